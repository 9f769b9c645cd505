// Makes what a job asks for: a PNG or an MP4, byte for byte the same for the same job. Never
// runs on the main thread, where seconds of drawing would hold up every request.
import { composeScene, sceneAt } from './art/compose.ts'
import type { Picture } from './art/finish.ts'
import type { Job } from './plan.ts'
import { renderPixels, renderPng } from './render.ts'
import { encodeMp4 } from './video/encode.ts'
import { toFastStart } from './video/fast-start.ts'
import { shootFilm } from './video/film.ts'

const framesPerSecond = 24

export async function produce(job: Job): Promise<Uint8Array> {
  const { kind, prompt, width, height, picture } = job
  if (picture && !decodes(picture)) throw new UnreadablePicture()
  const aspect = width / height
  switch (kind) {
    case 'IMAGE': {
      const given = picture ? { picture: { use: 'framed', picture } as const } : {}
      const scene = composeScene({ prompt, aspect, finish: job.finish, ...given })
      return renderPng(sceneAt(scene.layers, scene, { width, height }, 0))
    }
    case 'VIDEO': {
      const given = picture ? { picture: { use: 'filling', picture } as const } : {}
      const scene = composeScene({ prompt, aspect, finish: 'plain', ...given })
      const length = { seconds: job.seconds, framesPerSecond }
      const mp4 = await encodeMp4({ width, height }, framesPerSecond, (onFrame) =>
        shootFilm(scene, { width, height }, length, onFrame),
      )
      return toFastStart(mp4, framesPerSecond)
    }
    default:
      return kind satisfies never
  }
}

export class UnreadablePicture extends Error {
  override name = 'UnreadablePicture'
}

/** The renderer leaves out, without a word, what it cannot decode. */
function decodes({ type, bytes }: Picture): boolean {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  const pixels = renderPixels(
    `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"><image width="16" height="16" href="data:image/${type};base64,${data}"/></svg>`,
  )
  return pixels.some((byte) => byte !== 0)
}
