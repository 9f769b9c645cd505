import { type BoundedMap, createBoundedMap } from './bounded-map.ts'

/** An LRU cache bounded by bytes, both in total and for each account. */
export type AccountCache<Value> = {
  get(accountId: string, key: string): Value | undefined
  /** A value larger than an account's share is not stored. */
  set(accountId: string, key: string, value: Value, bytes: number): void
  readonly bytes: number
}

type Entry<Value> = { accountId: string; key: string; value: Value; bytes: number }

// An account may fill a quarter of the cache, so no account can evict everything of the others.
const sharesPerCache = 4

export function createAccountCache<Value>({ maxBytes }: { maxBytes: number }): AccountCache<Value> {
  const shares = new Map<string, BoundedMap<Entry<Value>>>()
  const bytesOf = ({ bytes }: Entry<Value>) => bytes
  const nameOf = ({ accountId, key }: Pick<Entry<Value>, 'accountId' | 'key'>) =>
    `${accountId} ${key}`
  const all = createBoundedMap<Entry<Value>>({
    ...{ maxBytes, bytesOf },
    onRemoved: ({ accountId, key }) => {
      const share = shares.get(accountId)
      share?.delete(key)
      if (share?.size === 0) shares.delete(accountId)
    },
  })
  const openShare = () =>
    createBoundedMap<Entry<Value>>({
      maxBytes: Math.floor(maxBytes / sharesPerCache),
      bytesOf,
      onRemoved: (entry) => void all.delete(nameOf(entry)),
    })
  return {
    get(accountId, key) {
      // Reading from both caches marks the entry as recently used in both.
      all.get(nameOf({ accountId, key }))
      return shares.get(accountId)?.get(key)?.value
    },
    set(accountId, key, value, bytes) {
      const entry = { accountId, key, value, bytes }
      const share = shares.get(accountId) ?? openShare()
      share.delete(key)
      share.set(key, entry)
      if (!share.has(key)) return
      shares.set(accountId, share)
      all.set(nameOf(entry), entry)
    },
    get bytes() {
      return all.calculatedSize
    },
  }
}

/**
 * Estimates the memory a graph takes from the length of its JSON. Measured together with its
 * plan: 4 to 7 bytes per character for ordinary graphs, 21 for the worst case (empty objects only).
 */
export const graphBytes = (chars: number): number => 24 * chars + 2_048
