import { createHash } from 'node:crypto'

/**
 * Repeatable random numbers: the same seed always gives the same sequence. Mulberry32 over the
 * SHA-256 of the seed is quick, and the same on every machine.
 */
export function seededRandom(seed: string) {
  let state = createHash('sha256').update(seed).digest().readUInt32LE(0)
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    between: (min: number, max: number) => min + next() * (max - min),
    pick: <const T>(items: readonly [T, ...T[]]): T =>
      items[Math.floor(next() * items.length)] ?? items[0],
  }
}

export type Random = ReturnType<typeof seededRandom>
