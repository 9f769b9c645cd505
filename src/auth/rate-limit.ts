// Admits at most the quota of each window. A refused request uses up no quota, and waiting for
// Retry-After is always enough. Memory is bounded, no matter how many addresses send requests.
// Counts are not shared: each process counts for itself.
import type { Clock } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import type { Principal } from '#core/principal.ts'
import { addressKey } from './address-key.ts'

const windowMs = 60_000
const windowSeconds = windowMs / 1000
const maxTracked = 50_000

type Window = { count: number; startedAtMs: number }
type Limit = { name: string; quota: number; window: Window }

/** What is left of the limit that ends first. */
export type RateLeft = {
  quota: number
  remaining: number
  resetSeconds: number
  resetsAtMs: number
}

/** The response headers of the limits that apply, and the refusal if one of them is used up. */
export type RateDecision = {
  headers: { 'RateLimit-Policy': string; RateLimit: string }
  left: RateLeft
  failure: Failure | null
}

/** One counter per key. All windows have the same length, so the first in the map is the oldest. */
function createWindows() {
  const windows = new Map<string, Window>()

  function restart(key: string, window: Window | undefined, nowMs: number): Window {
    if (window) windows.delete(key)
    // Each insertion removes at most two entries: enough for the table to shrink, with a small
    // fixed cost per check.
    let removalsLeft = 2
    for (const [oldest, { startedAtMs }] of windows) {
      const isOver = nowMs - startedAtMs >= windowMs
      if (removalsLeft-- === 0 || (!isOver && windows.size < maxTracked)) break
      windows.delete(oldest)
    }
    const fresh = window ?? { count: 0, startedAtMs: 0 }
    fresh.count = 0
    fresh.startedAtMs = nowMs
    windows.set(key, fresh)
    return fresh
  }

  return (key: string, nowMs: number): Window => {
    const window = windows.get(key)
    // If the clock was set back, start a new window instead of locking the caller out.
    const isCurrent =
      window !== undefined && nowMs - window.startedAtMs < windowMs && nowMs >= window.startedAtMs
    return isCurrent ? window : restart(key, window, nowMs)
  }
}

/** Counts the request against all limits, or refuses it and counts it against none. */
function take(limits: readonly Limit[], nowMs: number): RateDecision {
  const exhausted = limits.filter(({ window, quota }) => window.count >= quota)
  if (exhausted.length === 0) for (const { window } of limits) window.count++
  const headers = {
    'RateLimit-Policy': list(limits, ({ quota }) => `q=${quota};w=${windowSeconds}`),
    RateLimit: list(limits, ({ quota, window }) => {
      return `r=${Math.max(0, quota - window.count)};t=${secondsLeft(window, nowMs)}`
    }),
  }
  const left = leastOf(limits, nowMs)
  if (exhausted.length === 0) return { headers, left, failure: null }
  const retryAfterSeconds = Math.max(...exhausted.map(({ window }) => secondsLeft(window, nowMs)))
  return { headers, left, failure: new Failure('RATE_LIMITED', { headers, retryAfterSeconds }) }
}

/** Of limits with equally little left, the one that resets last. */
function leastOf(limits: readonly Limit[], nowMs: number): RateLeft {
  const [least] = limits
    .map(({ quota, window }) => ({
      quota,
      remaining: Math.max(0, quota - window.count),
      resetSeconds: secondsLeft(window, nowMs),
      resetsAtMs: window.startedAtMs + windowMs,
    }))
    .sort((a, b) => a.remaining - b.remaining || b.resetsAtMs - a.resetsAtMs)
  if (!least) throw new Error('no limit applies')
  return least
}

const list = (limits: readonly Limit[], parameters: (limit: Limit) => string): string =>
  limits.map((limit) => `"${limit.name}";${parameters(limit)}`).join(', ')

const secondsLeft = (window: Window, nowMs: number): number =>
  Math.max(1, Math.ceil((window.startedAtMs + windowMs - nowMs) / 1000))

/** `most`: how many items one request may ask for at all, however long it waits. */
export type Excess = { failure: Failure; most: number }

export type Rate = 'chat' | 'generation' | 'run'
/** Requests per account and minute; 0 means no limit. */
export type AccountQuotas = Record<'default' | Rate, number>

const keyLimitOf = {
  chat: 'chatPerMinute',
  generation: 'generationPerMinute',
  run: 'runPerMinute',
} as const

export function createAccountLimits({ clock, quotas }: { clock: Clock; quotas: AccountQuotas }) {
  const accounts = { default: createWindows(), ...perRate() }
  const keys = { default: createWindows(), ...perRate() }

  function limitsOf(principal: Principal, rate: Rate | undefined, nowMs: number): Limit[] {
    const found: Limit[] = []
    const add = (name: string, quota: number | undefined, window: () => Window) => {
      if (quota) found.push({ name, quota, window: window() })
    }
    const { accountId, keyId, limits } = principal
    add('default', quotas.default, () => accounts.default(accountId, nowMs))
    if (rate) add(rate, quotas[rate], () => accounts[rate](accountId, nowMs))
    if (keyId === null) return found
    add('key', limits.requestsPerMinute, () => keys.default(keyId, nowMs))
    if (rate) add(`key-${rate}`, limits[keyLimitOf[rate]], () => keys[rate](keyId, nowMs))
    return found
  }

  return {
    /** Counts one request of this caller and returns null if no limit applies. */
    count(principal: Principal, rate?: Rate): RateDecision | null {
      if (!isLimited(quotas, principal, rate)) return null
      const nowMs = clock.nowMs()
      return take(limitsOf(principal, rate, nowMs), nowMs)
    },
    /**
     * For a request that is already counted: counts the further items it asks for. If they are too
     * many, the request is refused and no longer counts. Returns null if it is admitted.
     */
    countMore(principal: Principal, rate: Rate, more: number): Excess | null {
      if (!isLimited(quotas, principal, rate)) return null
      const nowMs = clock.nowMs()
      const counted = limitsOf(principal, rate, nowMs)
      const limits = counted.filter(({ name }) => name === rate || name === `key-${rate}`)
      const exceeded = limits.filter(({ window, quota }) => window.count + more > quota)
      if (exceeded.length === 0) {
        for (const { window } of limits) window.count += more
        return null
      }
      for (const { window } of counted) window.count = Math.max(0, window.count - 1)
      const waits = exceeded.map(({ window }) => secondsLeft(window, nowMs))
      const failure = new Failure('RATE_LIMITED', { retryAfterSeconds: Math.max(...waits) })
      return { failure, most: Math.min(...exceeded.map(({ quota }) => quota)) }
    },
  }
}

const perRate = () => ({
  chat: createWindows(),
  generation: createWindows(),
  run: createWindows(),
})

/** Checked first, so that a caller without limits costs no allocation. */
function isLimited(quotas: AccountQuotas, { limits }: Principal, rate: Rate | undefined): boolean {
  if (quotas.default > 0 || limits.requestsPerMinute) return true
  return rate !== undefined && (quotas[rate] > 0 || Boolean(limits[keyLimitOf[rate]]))
}

export function createAddressLimit({ clock, quota }: { clock: Clock; quota: number }) {
  const addresses = createWindows()
  return {
    /** Counts one request without a valid credential. */
    count(address: string): Failure | null {
      if (quota === 0) return null
      const nowMs = clock.nowMs()
      return take([{ name: 'ip', quota, window: addresses(addressKey(address), nowMs) }], nowMs)
        .failure
    },
    /** Takes a count back, if it turns out that it was not the caller's failure. */
    uncount(address: string): void {
      const window = addresses(addressKey(address), clock.nowMs())
      window.count = Math.max(0, window.count - 1)
    },
  }
}

/** Throws RATE_LIMITED. */
export type AccountLimit = { admit(accountId: string): void }

/** A separate limit for one kind of request, per account and minute. */
export function createAccountLimit(options: {
  clock: Clock
  name: string
  quota: number
}): AccountLimit {
  const { clock, name, quota } = options
  const accounts = createWindows()
  return {
    admit(accountId: string) {
      const nowMs = clock.nowMs()
      const { failure } = take([{ name, quota, window: accounts(accountId, nowMs) }], nowMs)
      if (failure) throw failure
    },
  }
}
