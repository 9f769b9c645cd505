const maxKeys = 1_000
const maxKeyLength = 64
const keptMs = 4_000

/**
 * Caches the hashes of keys accepted in the last seconds, because hashing is most of the cost of
 * checking a key. An entry does not mean that the key is valid: the caller looks that up by the
 * hash. Only accepted keys are added, so made-up keys cannot fill the cache.
 */
export function createKeysInUse() {
  const hashes = new Map<string, string>()
  let keptSinceMs = 0

  return {
    hashOf(key: string, nowMs: number): string | undefined {
      const isCurrent = nowMs - keptSinceMs < keptMs && nowMs >= keptSinceMs
      if (isCurrent) return hashes.get(key)
      hashes.clear()
      keptSinceMs = nowMs
      return undefined
    },
    remember(key: string, hash: string): void {
      if (key.length <= maxKeyLength && hashes.size < maxKeys) hashes.set(key, hash)
    },
    clear: () => hashes.clear(),
  }
}
