import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { withBrowser } from '../../support/browser.ts'
import { P } from '../../support/server.ts'
import { smallFilm } from '../../support/small-media.ts'
import { type Bench, chat, ended, openBench, says, submitted } from './setting.ts'

/** Loads both addresses in a browser, like a page of the same server. */
const look = (image: string, video: string) => `(async () => {
  const picture = new Image()
  picture.src = ${JSON.stringify(image)}
  await picture.decode()
  const film = document.createElement('video')
  film.muted = true
  film.src = ${JSON.stringify(video)}
  document.body.append(film)
  const until = (name) => new Promise((resolve, reject) => {
    film.addEventListener(name, resolve, { once: true })
    film.addEventListener('error', () => reject(new Error(film.error.message)), { once: true })
  })
  await until('loadeddata')
  film.currentTime = 2.5
  await until('seeked')
  return {
    picture: [picture.naturalWidth, picture.naturalHeight],
    film: [film.videoWidth, film.videoHeight],
    duration: film.duration,
    at: film.currentTime,
  }
})()`

async function inBrowser(bench: Bench, image: string, video: string) {
  return withBrowser(async (browser) => {
    const page = await browser.newPage()
    await page.goto(`${bench.url}/healthz`)
    return (await page.evaluate(look(image, video))) as {
      picture: [number, number]
      film: [number, number]
      duration: number
      at: number
    }
  })
}

describe('without a key', () => {
  test('models, chat, a picture and a film of 3 seconds work, and a browser opens both', async (t) => {
    const bench = await openBench(t)
    const models = await bench.call(`${P}/models`)
    assert.equal(models.body.data.total, 4)
    const film = submitted(bench, 'video', { model: 'demo-video', ...smallFilm, videoSeconds: 3 })
    const picture = submitted(bench, 'image', { model: 'demo-image', imageAspectRatio: '16:9' })
    const sum = await chat(bench, { model: 'demo-text', messages: [says('What is 6 * 7?')] })
    assert.equal(sum.status, 200, sum.text)
    assert.match(sum.body.data.content, /42/)
    assert.deepEqual(sum.body.data.cost, { amount: 0, currency: 'USD' })
    const code = await chat(bench, {
      model: 'demo-code',
      messages: [says('Write a function that reverses a string in Python.')],
    })
    assert.match(code.body.data.content, /def /)

    const image = await ended(bench, await picture)
    const video = await ended(bench, await film)
    assert.deepEqual([image.status, video.status], ['COMPLETED', 'COMPLETED'])
    const [png] = image.imageContent
    const [mp4] = video.videoContent
    assert.deepEqual([png.mimeType, mp4.mimeType], ['image/png', 'video/mp4'])
    assert.ok(Math.abs(mp4.durationSeconds - 3) < 0.1)
    const seen = await inBrowser(bench, png.url, mp4.url)
    assert.deepEqual(seen.picture, [png.width, png.height])
    assert.deepEqual(seen.film, [mp4.width, mp4.height])
    assert.ok(Math.abs(seen.duration - 3) < 0.1)
    assert.equal(seen.at, 2.5)
  })
})
