const maxKeys = 1_000
const maxKeyLength = 64
const keptMs = 4_000

/**
 * The hashes of keys accepted in the last seconds: hashing is most of what checking one costs.
 * Says nothing about whether a key is good; whoever asks looks that up by the hash. Only accepted
 * keys come in, so that made-up ones cannot push them out.
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
