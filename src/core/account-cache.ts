import { type BoundedMap, createBoundedMap } from './bounded-map.ts'

/** Bounded by bytes, in all and for each account; what was used longest ago is forgotten first. */
export type AccountCache<Value> = {
  get(accountId: string, key: string): Value | undefined
  /** Not kept at all where it is larger than an account's share. */
  set(accountId: string, key: string, value: Value, bytes: number): void
  readonly bytes: number
}

type Entry<Value> = { accountId: string; key: string; value: Value; bytes: number }

// One account can push out a quarter of what others have, and never all of it.
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
      // Both count it as used.
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
 * What a graph takes in memory, by the length of its JSON. Measured with plan: 4 to 7 bytes for
 * each character of ordinary graphs, 21 for one made of empty objects, the worst there is.
 */
export const graphBytes = (chars: number): number => 24 * chars + 2_048
