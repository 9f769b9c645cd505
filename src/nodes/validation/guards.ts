/**
 * When a node runs: a conjunction of branches taken, one bit each; 0 is "always". A condition has
 * two neighbouring bits, of which exactly one comes true.
 */
export type Guard = bigint

export const always: Guard = 0n

export function createGuardBook() {
  let pairs = 0n
  let lowBits = 0n

  function takePair(): Guard {
    const low = 1n << (pairs * 2n)
    pairs++
    lowBits |= low
    return low
  }

  return {
    /** Two ways of which one is taken. */
    fork(): [Guard, Guard] {
      const low = takePair()
      return [low, low << 1n]
    },
    /** Something that may or may not happen. */
    chance: takePair,
    /** Everything must hold. */
    all: (guards: readonly Guard[]): Guard => guards.reduce((sum, guard) => sum | guard, always),
    /** It would need both ways of one condition. */
    isImpossible: (guard: Guard): boolean => (guard & (guard >> 1n) & lowBits) !== 0n,
    /**
     * One is enough. Both ways of a condition together are no condition; what is more involved
     * than that counts as a new chance, which is never wrong, only careful.
     */
    any(guards: readonly Guard[]): Guard {
      const [first = always, ...rest] = guards
      const common = rest.reduce((sum, guard) => sum & guard, first)
      let single = 0n
      for (const guard of guards) {
        const extra = guard & ~common
        if (extra === 0n) return common
        if ((extra & (extra - 1n)) === 0n) single |= extra
      }
      const isCovered = (single & (single >> 1n) & lowBits) !== 0n
      return isCovered ? common : common | takePair()
    },
  }
}

export type GuardBook = ReturnType<typeof createGuardBook>
