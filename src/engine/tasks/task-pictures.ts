import type { Model } from '#core/catalogue.ts'
import { ProviderError } from '#providers/provider.ts'
import { type HeldPictures, PicturesTooLarge } from '../calls/picture-memory.ts'
import type { Pictures, TaskDeps, TaskWork } from './task-work.ts'

/** Refuses too many pictures: a fallback may accept fewer than the requested model. */
export async function holdTaskPictures(
  deps: Pick<TaskDeps, 'loadImage' | 'pictures'>,
  { row, request, signal }: Pick<TaskWork, 'row' | 'request' | 'signal'>,
  { id, capabilities }: Model,
): Promise<Pictures & Pick<HeldPictures, 'release'>> {
  const { image, references = [] } = request
  if (!image) return { release() {} }
  const most = capabilities.maxInputImages ?? 1
  if (1 + references.length > most) throw refused(`${id} accepts at most ${most} input images`)
  const { pictures, release } = await deps.pictures
    .hold(
      row.account_id,
      [image, ...references],
      (each) => deps.loadImage(row.account_id, each, signal),
      signal,
    )
    .catch((error: unknown) => {
      const isTooLarge = error instanceof PicturesTooLarge
      throw isTooLarge ? refused('the pictures are larger than 50 MiB together') : error
    })
  const [first, ...further] = pictures
  return { image: first, ...(further.length > 0 ? { references: further } : {}), release }
}

const refused = (message: string) => new ProviderError('invalid', { outcome: 'not_sent', message })
