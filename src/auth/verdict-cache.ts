import { createBoundedMap } from '#core/bounded-map.ts'
import type { Principal } from '#core/principal.ts'
import { isFresh, type Refused, type Trusted, type Verdict } from './verdict.ts'

const maxTrusted = 10_000
const maxRefused = 1_000

/** Verdicts of the last seconds by the hash of their credential: some hundred bytes each. */
export function createVerdictCache() {
  const trusted = createBoundedMap<Trusted>({ maxEntries: maxTrusted })
  /** Apart from the trusted, so that made-up keys cannot push those out. */
  const refused = createBoundedMap<Refused>({ maxEntries: maxRefused })

  return {
    find(hash: string, nowMs: number): Verdict | undefined {
      const verdict = trusted.get(hash) ?? refused.get(hash)
      return verdict !== undefined && isFresh(verdict, nowMs) ? verdict : undefined
    },
    remember(hash: string, verdict: Verdict): void {
      trusted.delete(hash)
      refused.delete(hash)
      if ('refusal' in verdict) refused.set(hash, verdict)
      else trusted.set(hash, verdict)
    },
    forget(isGone: (principal: Principal) => boolean): void {
      for (const [hash, { principal }] of trusted) if (isGone(principal)) trusted.delete(hash)
    },
  }
}
