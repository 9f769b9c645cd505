import type { Model } from '#providers/catalogue.ts'
import { ProviderError } from '#providers/provider.ts'
import type { Pictures, TaskDeps, TaskWork } from './task-work.ts'

/** All pictures of a task are in memory at once, next to the request that carries them. */
const maxTotalBytes = 50 * 1024 * 1024

/** A fallback may take fewer pictures than the model that was asked for. */
export async function loadPictures(
  deps: Pick<TaskDeps, 'loadImage'>,
  { row, request, signal }: Pick<TaskWork, 'row' | 'request' | 'signal'>,
  { id, capabilities }: Model,
): Promise<Pictures> {
  const { image, references = [] } = request
  if (!image) return {}
  const most = capabilities.maxInputImages ?? 1
  if (1 + references.length > most) throw refused(`${id} takes ${most} of these pictures at most`)
  const loaded = []
  let totalBytes = 0
  for (const each of [image, ...references]) {
    const picture = await deps.loadImage(row.account_id, each, signal)
    totalBytes += picture.bytes.byteLength
    if (totalBytes > maxTotalBytes) throw refused('the pictures are larger than 50 MiB together')
    loaded.push(picture)
  }
  const [first, ...further] = loaded
  return { image: first, ...(further.length > 0 ? { references: further } : {}) }
}

const refused = (message: string) => new ProviderError('invalid', { outcome: 'not_sent', message })
