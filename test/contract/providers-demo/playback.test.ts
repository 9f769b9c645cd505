import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { withBrowser } from '../../support/browser.ts'
import { film, make, plainPicture, withProvider } from './studio.ts'

/** Plays to the end, then seeks back; reports what a viewer would have seen. */
const watch = `(async () => {
  const video = document.createElement('video')
  video.muted = true
  // In hand as a whole: seeking shall depend on the file, not on this server's ranges.
  video.src = URL.createObjectURL(await (await fetch('/film.mp4')).blob())
  document.body.append(video)
  const until = (name) => new Promise((resolve, reject) => {
    video.addEventListener(name, resolve, { once: true })
    video.addEventListener('error', () => reject(new Error(video.error.message)), { once: true })
  })
  const canvas = document.createElement('canvas')
  const look = (x, y) => {
    canvas.width = video.videoWidth
    canvas.height = video.videoHeight
    const context = canvas.getContext('2d')
    context.drawImage(video, 0, 0)
    return [...context.getImageData(x * canvas.width, y * canvas.height, 1, 1).data].slice(0, 3)
  }
  await until('canplaythrough')
  video.playbackRate = 4
  video.play()
  await until('ended')
  const end = video.currentTime
  video.currentTime = 0.5
  await until('seeked')
  const sought = video.currentTime
  video.currentTime = 0
  await until('seeked')
  const start = look(0.3, 0.3)
  return { width: video.videoWidth, height: video.videoHeight, duration: video.duration, end, start, sought }
})()`

async function playback(mp4: Buffer) {
  const server = createServer((request, response) => {
    const found = request.url === '/film.mp4'
    response.setHeader('content-type', found ? 'video/mp4' : 'text/html')
    response.end(found ? mp4 : '<!doctype html><title>Film</title>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  try {
    return await withBrowser(async (browser) => {
      const page = await browser.newPage()
      await page.goto(`http://127.0.0.1:${port}/`)
      return (await page.evaluate(watch)) as {
        width: number
        height: number
        duration: number
        end: number
        start: [number, number, number]
        sought: number
      }
    })
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

test('a browser plays the video to its end and seeks in it, and it starts from the picture sent along', async () => {
  const picture = { bytes: plainPicture('#2060c0', 160, 90), mimeType: 'image/png' }
  const request = film('A blue start', { aspectRatio: '16:9', image: picture })
  const mp4 = await withProvider(({ submit }) => make(submit, request))
  const seen = await playback(mp4)
  assert.deepEqual([seen.width, seen.height, seen.duration], [640, 360, 1])
  assert.equal(seen.end, 1)
  assert.equal(seen.sought, 0.5)
  // Encoding is lossy, and the finish of the film lies above: near is enough.
  for (const [i, channel] of [0x20, 0x60, 0xc0].entries()) {
    assert.ok(Math.abs((seen.start[i] ?? 0) - channel) < 24, `${seen.start}`)
  }
})
