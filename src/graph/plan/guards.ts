/**
 * The condition under which a node runs: a conjunction of branches, one bit each; 0 means
 * "always". A flow.condition has two adjacent bits, exactly one of which becomes true.
 */
export type Guard = bigint

export const always: Guard = 0n

export function createGuardBook() {
  let pairs = 0n
  let lowBits = 0n

  function addPair(): Guard {
    const low = 1n << (pairs * 2n)
    pairs++
    lowBits |= low
    return low
  }

  return {
    /** Two branches, exactly one of which is taken. */
    fork(): [Guard, Guard] {
      const low = addPair()
      return [low, low << 1n]
    },
    /** An event that may or may not happen. */
    chance: addPair,
    /** True if all guards hold. */
    all: (guards: readonly Guard[]): Guard => guards.reduce((sum, guard) => sum | guard, always),
    /** True if it requires both branches of one condition. */
    isImpossible: (guard: Guard): boolean => (guard & (guard >> 1n) & lowBits) !== 0n,
    /**
     * True if at least one guard holds. Both branches of a condition cancel out. Anything more
     * involved becomes a new, independent event, which is correct but may be too cautious.
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
      return isCovered ? common : common | addPair()
    },
  }
}

export type GuardBook = ReturnType<typeof createGuardBook>
