/** Numbers that follow from a seed alone. */
export type Random = {
  /** 0 ≤ x < 1 */
  next(): number
  /** 0 ≤ x < bound, whole. */
  below(bound: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  fill(bytes: Uint8Array): void
}

/** sfc32: small, fast, and its first numbers differ even between neighbouring seeds. */
export function seededRandom(seed: number): Random {
  let [a, b, c, counter] = [seed | 0, 0x9e3779b9 | 0, 0x243f6a88 | 0, 1]
  const word = () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + sum) | 0
    return sum >>> 0
  }
  for (let i = 0; i < 12; i++) word()
  const next = () => word() / 2 ** 32
  const below = (bound: number) => Math.floor(next() * bound)
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: <T>(items: readonly T[]) => items[below(items.length)] as T,
    fill(bytes) {
      for (let i = 0; i < bytes.length; i += 4) {
        const four = word()
        bytes[i] = four
        bytes[i + 1] = four >>> 8
        bytes[i + 2] = four >>> 16
        bytes[i + 3] = four >>> 24
      }
    },
  }
}
