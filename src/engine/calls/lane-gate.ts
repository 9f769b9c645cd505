// What a call waits for before it is made: the limits of its provider key, and the pause that a
// vendor asked for with a 429. People wait a few seconds and are then told to try again; a node of a
// run waits within its time. A call that can go to another model does not wait.
import { createBoundedMap } from '#core/bounded-map.ts'
import { delay, type TimedClock } from '#core/clock.ts'
import type { StopSignal } from '#core/stop.ts'
import { ProviderError } from '#providers/provider.ts'
import type { Served } from './circuit-breaker.ts'
import type { LanePass, Lanes } from './lanes.ts'
import { longestWaitMs } from './provider-failure.ts'
import { withinTime } from './time-limit.ts'

export type Waiting = {
  call: { principal: { accountId: string } }
  signal: StopSignal
  /** Of a run: the end of its patience. */
  waitUntil?: (() => StopSignal) | undefined
  /** It can be offered to another model instead. */
  isNotLast?: boolean | undefined
  /** When the call first had to wait. */
  waitingSinceMs?: number | undefined
}

export type LaneGate = {
  /** Undefined if there is nothing to wait for. Throws a ProviderError after too long a wait. */
  enter(served: Served, waiting: Waiting, tokens: number): Promise<LanePass | undefined> | undefined
  /** Remembers a 429. Since when the call waits, if it may be made again; the next `enter` waits. */
  repeatsSince(served: Served, waiting: Waiting, error: unknown): number | undefined
}

type Pause = { untilMs: number; refusals: number }

type Deps = {
  lanes: Pick<Lanes, 'enter' | 'isLimited'>
  clock: TimedClock
  /** How long people wait. */
  patienceMs: number
  random(): number
}

const maxPauses = 10_000
const firstPauseMs = 1_000
const longestPauseMs = 30_000
/** After this, the next refusal counts as the first again. */
const forgetAfterMs = 60_000
/** How long a call that could go to another model waits for this one. */
const movingMs = 300

export function createLaneGate({ lanes, clock, patienceMs, random }: Deps): LaneGate {
  const pauses = createBoundedMap<Pause>({ maxBytes: maxPauses, bytesOf: () => 1 })
  const leftMs = ({ waitUntil, waitingSinceMs }: Waiting): number => {
    const most = waitUntil ? longestWaitMs : patienceMs
    return waitingSinceMs === undefined ? most : most - (clock.monotonicMs() - waitingSinceMs)
  }

  function recent(served: Served): Pause | undefined {
    const pause = pauses.get(keyOf(served))
    if (!pause || clock.monotonicMs() - pause.untilMs < forgetAfterMs) return pause
    pauses.delete(keyOf(served))
    return undefined
  }

  function pausedMs(served: Served): number {
    if (pauses.size === 0) return 0
    const pause = recent(served)
    return pause ? Math.max(0, pause.untilMs - clock.monotonicMs()) : 0
  }

  /** Those who waited together do not go on in the same moment. */
  async function waitFor(pauseMs: number, waiting: Waiting): Promise<void> {
    if (waiting.isNotLast || pauseMs > leftMs(waiting)) throw busy(pauseMs)
    const end = waiting.waitUntil?.() ?? waiting.signal
    await delay(pauseMs * (1 + 0.1 * random()), end, clock)
  }

  async function enterSlowly(served: Served, waiting: Waiting, tokens: number, pauseMs: number) {
    if (pauseMs > 0) await waitFor(pauseMs, waiting)
    return enterLane(served, waiting, tokens)
  }

  async function enterLane(served: Served, waiting: Waiting, tokens: number) {
    const { signal, waitUntil, isNotLast } = waiting
    const { accountId } = waiting.call.principal
    const call = { accountId, isBatch: waitUntil !== undefined, tokens }
    if (waitUntil && !isNotLast) return lanes.enter(served, { ...call, until: waitUntil() })
    const limitMs = isNotLast ? movingMs : Math.max(1, leftMs(waiting))
    return withinTime(clock, { signal, limitMs }, async (until) =>
      lanes.enter(served, { ...call, until }),
    )
  }

  return {
    enter(served, waiting, tokens) {
      const pauseMs = pausedMs(served)
      if (pauseMs > 0) return enterSlowly(served, waiting, tokens, pauseMs)
      return lanes.isLimited(served) ? enterSlowly(served, waiting, tokens, 0) : undefined
    },
    repeatsSince(served, waiting, error) {
      if (!(error instanceof ProviderError) || error.status !== 429) return undefined
      if (error.outcome !== 'rejected' || patienceMs === 0) return undefined
      const { refusals } = recent(served) ?? { refusals: 0 }
      const ownMs = Math.min(longestPauseMs, firstPauseMs * 2 ** refusals)
      const pauseMs = Math.max(error.retryAfterMs ?? ownMs, 1)
      const nowMs = clock.monotonicMs()
      pauses.set(keyOf(served), { untilMs: nowMs + pauseMs, refusals: refusals + 1 })
      if (waiting.isNotLast || pauseMs > leftMs(waiting)) return undefined
      return waiting.waitingSinceMs ?? nowMs
    },
  }
}

const keyOf = ({ provider, providerModel, credentialId = null }: Served): string =>
  JSON.stringify([provider, providerModel, credentialId])

const busy = (retryAfterMs: number) =>
  new ProviderError('busy', {
    outcome: 'not_sent',
    message: 'The provider asked to wait. Nothing was sent.',
    retryAfterMs,
  })
