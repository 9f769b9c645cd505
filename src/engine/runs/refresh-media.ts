// Replaces the addresses of media inside a value. A value may have a million members and one
// picture, so it is walked once without waiting, all media are looked up together, and only the
// objects that contain media are copied.

import { isMedia } from '#graph/node/values.ts'
import type { MediaStore } from '#media/media-store.ts'

const maxDepth = 64

/** By media id; media that are missing here keep their address. */
type NewAddresses = (
  accountId: string,
  mediaIds: readonly string[],
) => Promise<ReadonlyMap<string, string>>

/**
 * Gives new signed addresses, only to the account's own media: a value may hold any address that a
 * user wrote, and signing it would expose media of others.
 */
export function createMediaRefresher(
  media: Pick<MediaStore, 'recognise' | 'findOwn' | 'publicMedia'>,
) {
  return createRewriter(media, async (accountId, ids) => {
    const own = await media.findOwn(accountId, ids)
    return new Map(own.map((record) => [record.id, media.publicMedia(record).url]))
  })
}

/** Names the account's media by their content: equal pictures are then equal values. */
export function createMediaNamer(media: Pick<MediaStore, 'recognise' | 'findOwn'>) {
  return createRewriter(media, async (accountId, ids) => {
    const own = await media.findOwn(accountId, ids)
    return new Map(own.map(({ id, hash }) => [id, hash]))
  })
}

/** The digest of an account's media, found by its address; null for anything else. */
export const createMediaDigests =
  (media: Pick<MediaStore, 'recognise' | 'findOwn'>) =>
  async (accountId: string, { url }: { url: string }): Promise<string | null> => {
    const known = media.recognise(url)
    if (!known) return null
    const [own] = await media.findOwn(accountId, [known.id])
    return own?.hash ?? null
  }

/**
 * Copies the records of media inside a value, so that they live as long as the value that is stored
 * now. Undefined if one of them is gone.
 */
export function createMediaKeeper(media: MediaStore) {
  return async (accountId: string, value: unknown): Promise<unknown> => {
    let isAnyGone = false
    const keep = createRewriter(media, async (_, ids) => {
      const addresses = new Map<string, string>()
      for (const id of ids) {
        const copy = await media.copyOwn(accountId, id)
        if (copy) addresses.set(id, media.publicMedia(copy).url)
        else isAnyGone = true
      }
      return addresses
    })
    const kept = await keep(accountId, value)
    return isAnyGone ? undefined : kept
  }
}

function createRewriter(
  { recognise }: Pick<MediaStore, 'recognise'>,
  newAddresses: NewAddresses,
): (accountId: string, value: unknown) => Promise<unknown> {
  return async (accountId, value) => {
    const { ids, holders } = findMediaIn(value, recognise)
    if (ids.size === 0) return value
    const addresses = await newAddresses(accountId, [...new Set(ids.values())])
    const rewrite = (part: unknown): unknown => {
      if (typeof part !== 'object' || part === null) return part
      const id = ids.get(part)
      if (id !== undefined) {
        const url = addresses.get(id)
        return url === undefined ? part : { ...part, url }
      }
      if (!holders.has(part)) return part
      if (Array.isArray(part)) return part.map(rewrite)
      return Object.fromEntries(
        Object.entries(part).map(([name, member]) => [name, rewrite(member)]),
      )
    }
    return rewrite(value)
  }
}

/** This server's media within a value, with their ids, and every object that contains one. */
function findMediaIn(value: unknown, recognise: MediaStore['recognise']) {
  const ids = new Map<object, string>()
  const holders = new Set<object>()

  function look(part: unknown, depth: number): boolean {
    if (typeof part !== 'object' || part === null || depth > maxDepth) return false
    const known = isMedia(part) && recognise(part.url)
    if (known) {
      ids.set(part, known.id)
      return true
    }
    let isHolder = false
    for (const member of Object.values(part)) isHolder = look(member, depth + 1) || isHolder
    if (isHolder) holders.add(part)
    return isHolder
  }

  look(value, 0)
  return { ids, holders }
}
