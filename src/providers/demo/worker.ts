// The entry point of a worker thread: one job in, one reply out. Makes a PNG or an MP4, byte for
// byte the same for the same job. On the main thread, seconds of drawing would delay every request.
import { setImmediate as nextTick } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import { Resvg } from '@resvg/resvg-js'
import { composeScene, sceneAt } from './art/compose.ts'
import { imageOf, keptPart } from './art/picture.ts'
import { fontPath } from './art/type.ts'
import type { Job } from './plan.ts'

export type Reply =
  | { bytes: Uint8Array<ArrayBuffer> }
  | { failure: 'unreadable' | 'broken'; message: string }

parentPort?.on('message', async (job: Job) => {
  const reply = await answer(job)
  parentPort?.postMessage(reply, 'bytes' in reply ? [reply.bytes.buffer] : [])
})

async function answer(job: Job): Promise<Reply> {
  try {
    if (!canReadPicture(job)) return { failure: 'unreadable', message: '' }
    // Copied, because the renderer's memory cannot be transferred.
    return { bytes: new Uint8Array(await produce(job)) }
  } catch (error) {
    return { failure: 'broken', message: String(error) }
  }
}

/** The renderer silently leaves out pictures that it cannot decode. */
function canReadPicture({ picture }: Job): boolean {
  const size = { width: 16, height: 16 }
  const image = picture && imageOf(picture, { x: 0, y: 0, ...size })
  return !image || render(sceneAt([image], size, size, 0)).pixels.some((byte) => byte !== 0)
}

function render(svg: string) {
  // The font is read from disk for each rendering, so it is given only if there is text.
  const fontFiles = svg.includes('<text') ? [fontPath] : []
  const font = { loadSystemFonts: false, fontFiles, defaultFontFamily: 'Inter' }
  return new Resvg(svg, { font, logLevel: 'off' }).render()
}

export async function produce(job: Job): Promise<Uint8Array> {
  if (job.kind === 'VIDEO') {
    // A picture takes less time than loading the encoder.
    const { encodeMp4, framesPerSecond } = await import('./mp4.ts')
    return encodeMp4(job, framesOf(job, framesPerSecond))
  }
  const { prompt, width, height, finish, picture, mask } = job
  const given = picture && mask ? {} : { framed: picture }
  const scene = composeScene({ prompt, aspect: width / height, finish, ...given })
  const kept = picture && mask ? [keptPart(scene, picture, mask)] : []
  return render(sceneAt([...scene.layers, ...kept], scene, job, 0)).asPng()
}

/** One at a time, as RGBA: memory depends on the size of a frame, not on the video's length. */
async function* framesOf(job: Extract<Job, { kind: 'VIDEO' }>, framesPerSecond: number) {
  const { prompt, width, height, picture: filling } = job
  const scene = composeScene({ prompt, aspect: width / height, finish: 'plain', filling })
  for (let count = 0; count < job.seconds * framesPerSecond; count++) {
    yield render(sceneAt(scene.layers, scene, job, count / framesPerSecond)).pixels
    // The renderer's memory is freed only between ticks. Without this one, a video of ten seconds
    // would hold every frame it ever drew.
    await nextTick()
  }
}
