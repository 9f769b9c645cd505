import type { Model } from '#core/catalogue.ts'
import { readPictureHeader } from '#core/picture-header.ts'
import { type MediaInput, ProviderError } from '#providers/provider.ts'
import { type HeldPictures, PicturesTooLarge } from '../calls/picture-memory.ts'
import type { Pictures, TaskDeps, TaskWork } from './task-work.ts'

/** Refuses too many pictures: a fallback may accept fewer than the requested model. */
export async function holdTaskPictures(
  deps: Pick<TaskDeps, 'loadImage' | 'pictures'>,
  { row, request, signal }: Pick<TaskWork, 'row' | 'request' | 'signal'>,
  { id, capabilities }: Model,
): Promise<Pictures & Pick<HeldPictures, 'release'>> {
  const { image, references = [], mask } = request
  if (!image) return { release() {} }
  const most = capabilities.maxInputImages ?? 1
  if (1 + references.length > most) throw refused(`${id} accepts at most ${most} input images`)
  if (mask && !capabilities.mask) throw refused(`${id} takes no mask`)
  const { pictures, release } = await deps.pictures
    .hold(
      row.account_id,
      [image, ...references, ...(mask ? [mask] : [])],
      (each) => deps.loadImage(row.account_id, each, signal),
      signal,
    )
    .catch((error: unknown) => {
      const isTooLarge = error instanceof PicturesTooLarge
      throw isTooLarge ? refused('the pictures are larger than 50 MiB together') : error
    })
  const [first, ...further] = pictures
  const shape = mask ? further.pop() : undefined
  const problem = first && shape && maskProblem(first, shape)
  if (problem) {
    release()
    throw refused(problem)
  }
  return {
    image: first,
    ...(further.length > 0 ? { references: further } : {}),
    ...(shape ? { mask: shape } : {}),
    release,
  }
}

/** Vendors say so less clearly, and some only after the work. */
function maskProblem(image: MediaInput, mask: MediaInput): string | undefined {
  const [shown, shape] = [readPictureHeader(image.bytes), readPictureHeader(mask.bytes)]
  if (shape?.type !== 'png') return 'the mask must be a PNG'
  if (!shown || (shown.width === shape.width && shown.height === shape.height)) return undefined
  // A photograph may say that it is to be turned.
  const isTurned = shown.width === shape.height && shown.height === shape.width
  if (shown.type === 'jpeg' && isTurned) return undefined
  const sizes = `${shown.width} by ${shown.height} pixels, not ${shape.width} by ${shape.height}`
  return `the mask must have the size of the first picture: ${sizes}`
}

const refused = (message: string) => new ProviderError('invalid', { outcome: 'not_sent', message })
