export type Chance = { below(n: number): number; of<T>(choices: readonly T[]): T }

/** Mulberry32: small, and good enough to choose. The same seed makes the same choices. */
export function seeded(seed: number): Chance {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (n: number) => Math.floor(next() * n)
  return {
    below,
    of<T>(choices: readonly T[]): T {
      const choice = choices[below(choices.length)]
      if (choice === undefined) throw new Error('nothing to choose from')
      return choice
    },
  }
}
