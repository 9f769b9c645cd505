import type { MediaStore } from '#media/media-store.ts'
import { isMedia, isObject } from '#nodes/values.ts'

const maxDepth = 64

/**
 * Gives media inside a value new signed addresses. Only the account's own: a value may hold any
 * address a user wrote, and signing it would open what belongs to others.
 */
export function createMediaRefresher(media: MediaStore) {
  async function refresh(accountId: string, value: unknown, depth: number): Promise<unknown> {
    if (typeof value !== 'object' || value === null || depth > maxDepth) return value
    if (Array.isArray(value)) {
      return Promise.all(value.map((item) => refresh(accountId, item, depth + 1)))
    }
    const known = isMedia(value) && media.recognise(value.url)
    if (known) {
      const own = await media.openOwn(accountId, known.id)
      return own ? { ...value, url: media.publicMedia(own.record).url } : value
    }
    if (!isObject(value)) return value
    const entries = await Promise.all(
      Object.entries(value).map(
        async ([name, member]) => [name, await refresh(accountId, member, depth + 1)] as const,
      ),
    )
    return Object.fromEntries(entries)
  }

  /** Most values hold none: then nothing is copied. */
  return async (accountId: string, value: unknown): Promise<unknown> =>
    holdsMedia(value, 0) ? refresh(accountId, value, 0) : value
}

function holdsMedia(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return false
  if (isMedia(value)) return true
  return Object.values(value).some((member) => holdsMedia(member, depth + 1))
}
