import { createBoundedMap } from '#core/bounded-map.ts'
import type { Principal } from '#core/principal.ts'
import { isFresh, type Refused, type Trusted, type Verdict } from './verdict.ts'

const maxTrusted = 10_000
const maxRefused = 1_000

/** Verdicts of the last few seconds, keyed by the hash of the credential: some 100 bytes each. */
export function createVerdictCache() {
  const trusted = createBoundedMap<Trusted>({ maxEntries: maxTrusted })
  /** A separate map, so that made-up keys cannot evict trusted ones. */
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
