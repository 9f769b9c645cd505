// @ts-check

/**
 * An LRU cache of users' compiled programs.
 * @template T
 * @typedef {{ get(key: string): T | undefined, set(key: string, value: T): void }} Kept
 */

/**
 * Bounded by the number of entries and by the length of the keys. The keys are the source texts,
 * and the size of compiled code grows with them.
 * @template T
 * @param {{ entries: number, chars: number }} bounds
 * @returns {Kept<T>}
 */
export function createKept({ entries, chars }) {
  /** @type {Map<string, T>} */
  const kept = new Map()
  let keptChars = 0
  const forget = (/** @type {string} */ key) => {
    if (kept.delete(key)) keptChars -= key.length
  }
  return {
    get(key) {
      const value = kept.get(key)
      if (value === undefined) return undefined
      kept.delete(key)
      kept.set(key, value)
      return value
    },
    set(key, value) {
      if (key.length > chars) return
      forget(key)
      kept.set(key, value)
      keptChars += key.length
      for (const oldest of kept.keys()) {
        if (kept.size <= entries && keptChars <= chars) break
        forget(oldest)
      }
    },
  }
}
