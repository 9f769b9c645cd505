import type { Principal } from '#core/principal.ts'
import { isFresh, type Refused, type Trusted, type Verdict } from './verdict.ts'

const maxTrusted = 10_000
const maxRefused = 1_000

/** Verdicts of the last seconds by the hash of their credential. */
export function createVerdictCache() {
  const trusted = new Map<string, Trusted>()
  /** Apart from the trusted, so that made-up keys cannot push those out. */
  const refused = new Map<string, Refused>()

  return {
    find(hash: string, nowMs: number): Verdict | undefined {
      const verdict = trusted.get(hash) ?? refused.get(hash)
      return verdict !== undefined && isFresh(verdict, nowMs) ? verdict : undefined
    },
    remember(hash: string, verdict: Verdict): void {
      trusted.delete(hash)
      refused.delete(hash)
      if ('refusal' in verdict) add(refused, maxRefused, hash, verdict)
      else add(trusted, maxTrusted, hash, verdict)
    },
    forget(isGone: (principal: Principal) => boolean): void {
      for (const [hash, { principal }] of trusted) if (isGone(principal)) trusted.delete(hash)
    },
  }
}

/** A Map keeps the order of insertion: its first entry is the oldest. */
function add<V>(cache: Map<string, V>, capacity: number, hash: string, value: V): void {
  for (const oldest of cache.keys()) {
    if (cache.size < capacity) break
    cache.delete(oldest)
  }
  cache.set(hash, value)
}
