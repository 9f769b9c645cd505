import type { Media, MediaStore } from '#media/media-store.ts'
import { isMedia, isObject } from '#nodes/execution/values.ts'

const maxDepth = 64

type NewAddress = (accountId: string, mediaId: string) => Promise<Media['url'] | null>

/**
 * Gives media inside a value new signed addresses. Only the account's own: a value may hold any
 * address a user wrote, and signing it would open what belongs to others.
 */
export function createMediaRefresher(media: MediaStore) {
  return createRewriter(media, async (accountId, id) => {
    const own = await media.openOwn(accountId, id)
    return own && media.publicMedia(own.record).url
  })
}

/**
 * Gives media inside a value records of their own, which live as long as what is stored now.
 * Undefined where one of them has gone.
 */
export function createMediaKeeper(media: MediaStore) {
  return async (accountId: string, value: unknown): Promise<unknown> => {
    let isAnyGone = false
    const keep = createRewriter(media, async (_, id) => {
      const copy = await media.copyOwn(accountId, id)
      isAnyGone ||= copy === null
      return copy && media.publicMedia(copy).url
    })
    const kept = await keep(accountId, value)
    return isAnyGone ? undefined : kept
  }
}

function createRewriter({ recognise }: Pick<MediaStore, 'recognise'>, newAddress: NewAddress) {
  async function rewrite(accountId: string, value: unknown, depth: number): Promise<unknown> {
    if (typeof value !== 'object' || value === null || depth > maxDepth) return value
    if (Array.isArray(value)) {
      return Promise.all(value.map((item) => rewrite(accountId, item, depth + 1)))
    }
    const known = isMedia(value) && recognise(value.url)
    if (known) {
      const url = await newAddress(accountId, known.id)
      return url === null ? value : { ...value, url }
    }
    if (!isObject(value)) return value
    const entries = await Promise.all(
      Object.entries(value).map(
        async ([name, member]) => [name, await rewrite(accountId, member, depth + 1)] as const,
      ),
    )
    return Object.fromEntries(entries)
  }

  /** Most values hold none: then nothing is copied. */
  return async (accountId: string, value: unknown): Promise<unknown> =>
    holdsMedia(value, 0) ? rewrite(accountId, value, 0) : value
}

function holdsMedia(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return false
  if (isMedia(value)) return true
  return Object.values(value).some((member) => holdsMedia(member, depth + 1))
}
