// What live tests may spend. A check begins only if the most it can cost still fits; a model
// without a price cannot be bounded, so it is not called.

export type Permission = { granted: true } | { granted: false; why: string }

export type Budget = {
  readonly limitMicros: number
  readonly spentMicros: number
  /** `mostMicros`: the most the check can cost; null where the price is not known. */
  ask(mostMicros: number | null): Permission
  /** What it did cost; the most it could, where nobody can tell. */
  spend(micros: number): void
}

export function createBudget(limitMicros: number): Budget {
  let spentMicros = 0
  return {
    limitMicros,
    get spentMicros() {
      return spentMicros
    },
    ask(mostMicros) {
      if (mostMicros === null) return { granted: false, why: 'its price is not known' }
      if (spentMicros + mostMicros <= limitMicros) return { granted: true }
      return { granted: false, why: `it could cost ${usd(mostMicros)} of ${usd(limitMicros)}` }
    },
    spend(micros) {
      spentMicros += micros
    },
  }
}

export const usd = (micros: number): string => `$${(micros / 1_000_000).toFixed(4)}`
