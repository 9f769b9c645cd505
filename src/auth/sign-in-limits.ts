// Slows down whoever guesses passwords, codes or links, per address and per e-mail. Only failed
// tries count, so that an office of any size signs in through one address.
//
//   try -> slot of the e-mail -> slot of the address -> attempt -> slots released
//          as many slots as failures are left           wrong: counted; right: forgiven
//
// Tries beyond the free slots wait for those under way, because any of them may turn out wrong:
// a thousand guesses at once get no further than ten. Each process counts for itself.
import { createBoundedMap } from '#core/bounded-map.ts'
import type { Clock } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import { addressKey } from './address-key.ts'

const windowMs = 60_000
/** After this long without another refusal, waits begin with a minute again. */
const forgivenAfterMs = 3_600_000
/** As many as wait for the hash of a password (passwords.ts). */
const maxWaiting = 64
const mostTracked = 50_000

export type SignInQuotas = {
  /** Failed tries per minute. */
  perEmail: number
  perAddress: number
  /** The wait after too many failures doubles each time, up to this. */
  maxWaitMs: number
}

export type SignInLimits = {
  /**
   * Makes one try. It counts if it fails with INVALID_CREDENTIAL, and never if it fails for another
   * reason, such as a database that is away. Throws RATE_LIMITED. `onLimited` is called when this
   * try is the last that the e-mail has for now.
   */
  attempt<T>(who: Trier, work: () => Promise<T>): Promise<T>
}
export type Trier = { address: string; email?: string; onLimited?: (waitMs: number) => void }

type Counter = {
  quota: number
  failures: number
  underWay: number
  windowEndsMs: number
  blockedUntilMs: number
  /** How often it was blocked in a row. */
  rounds: number
  /** Of an address: whose failures they were, to be forgiven when that person gets in. */
  failuresOf: Map<string, number>
  waiting: (() => void)[]
  /** Those who wait, and those who were woken and have not looked yet. */
  toLookAgain: number
}

type Rules = { clock: Clock; maxTracked?: number } & SignInQuotas

export function createSignInLimits(rules: Rules): SignInLimits {
  const { perEmail, perAddress, maxTracked = mostTracked } = rules
  // Apart, because an address costs nothing: many of them must not push out what counts for an e-mail.
  const emails = createBoundedMap<Counter>({ maxEntries: maxTracked })
  const addresses = createBoundedMap<Counter>({ maxEntries: maxTracked })
  /** Pairs of e-mail and address that signed in, so that guesses elsewhere lock nobody out. */
  const known = createBoundedMap<object>({ maxEntries: maxTracked })

  function counterOf(counters: typeof emails, key: string, quota: number): Counter | null {
    if (quota === 0) return null
    const counter = counters.get(key) ?? newCounter(quota)
    counters.set(key, counter)
    return counter
  }

  return {
    async attempt({ address, email, onLimited }, work) {
      const from = addressKey(address)
      const pair = `pair ${from} ${email}`
      const emailKey = known.has(pair) ? pair : `email ${email}`
      const ofEmail = email === undefined ? null : counterOf(emails, emailKey, perEmail)
      const ofAddress = counterOf(addresses, from, perAddress)
      const entered: Counter[] = []
      try {
        // Always in this order: whoever holds a slot of the address waits for nothing more.
        for (const counter of [ofEmail, ofAddress]) {
          if (!counter) continue
          await enter(counter, rules)
          entered.push(counter)
        }
        const made = await work()
        if (email !== undefined) {
          known.set(pair, {})
          if (ofEmail) clear(ofEmail)
          if (ofAddress) forgive(ofAddress, email)
        }
        return made
      } catch (error) {
        if (isWrong(error)) {
          if (ofAddress) fail(ofAddress, rules, email)
          const waitMs = ofEmail ? fail(ofEmail, rules) : 0
          if (waitMs > 0) onLimited?.(waitMs)
        }
        throw error
      } finally {
        for (const counter of entered) release(counter)
        // Whoever invents an e-mail for each try, and is refused, must not push out those that count.
        if (ofEmail && isUnused(ofEmail)) emails.delete(emailKey)
      }
    },
  }
}

const newCounter = (quota: number): Counter => ({
  ...{ quota, failures: 0, underWay: 0, rounds: 0, windowEndsMs: 0, blockedUntilMs: 0 },
  failuresOf: new Map(),
  waiting: [],
  toLookAgain: 0,
})

async function enter(counter: Counter, { clock, maxWaitMs }: Rules): Promise<void> {
  for (;;) {
    const nowMs = clock.nowMs()
    forget(counter, nowMs, maxWaitMs)
    if (nowMs < counter.blockedUntilMs) throw limited(counter.blockedUntilMs - nowMs)
    if (counter.failures + counter.underWay < counter.quota) break
    if (counter.waiting.length >= maxWaiting) {
      throw new Failure('SERVICE_UNAVAILABLE', { retryAfterSeconds: 10 })
    }
    counter.toLookAgain++
    await new Promise<void>((resolve) => counter.waiting.push(resolve))
    counter.toLookAgain--
  }
  counter.underWay++
}

/** Returns how long the counter blocks from now on, or 0. */
function fail(counter: Counter, { clock, maxWaitMs }: Rules, email?: string): number {
  const nowMs = clock.nowMs()
  if (counter.failures === 0) counter.windowEndsMs = nowMs + windowMs
  counter.failures++
  if (email !== undefined) {
    counter.failuresOf.set(email, (counter.failuresOf.get(email) ?? 0) + 1)
  }
  if (counter.failures < counter.quota) return 0
  const waitMs = Math.min(maxWaitMs, windowMs * 2 ** counter.rounds++)
  counter.blockedUntilMs = nowMs + waitMs
  clear(counter)
  return waitMs
}

const isWrong = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'INVALID_CREDENTIAL'

const isUnused = ({ failures, underWay, rounds, toLookAgain }: Counter): boolean =>
  failures + underWay + rounds + toLookAgain === 0

function release(counter: Counter): void {
  counter.underWay--
  // All look again: this one may have used up the last failure, or freed several slots.
  for (const wake of counter.waiting.splice(0)) wake()
}

function clear(counter: Counter): void {
  counter.failures = 0
  counter.failuresOf.clear()
}

function forgive(counter: Counter, email: string): void {
  counter.failures -= counter.failuresOf.get(email) ?? 0
  counter.failuresOf.delete(email)
}

/** Drops what is over. A clock that was set back must not lock anybody out for longer. */
function forget(counter: Counter, nowMs: number, maxWaitMs: number): void {
  if (nowMs >= counter.windowEndsMs || nowMs < counter.windowEndsMs - windowMs) clear(counter)
  if (counter.blockedUntilMs - nowMs > maxWaitMs) counter.blockedUntilMs = 0
  if (nowMs >= counter.blockedUntilMs + forgivenAfterMs) counter.rounds = 0
}

const limited = (waitMs: number) => {
  const retryAfterSeconds = Math.ceil(waitMs / 1000)
  const message = `Too many failed tries to sign in. Wait ${retryAfterSeconds} seconds.`
  return new Failure('RATE_LIMITED', { message, retryAfterSeconds })
}
