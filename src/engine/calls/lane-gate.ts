// What a call waits for before it is made: the limits of its provider key, and the pause that a
// vendor asked for with a 429. People wait a few seconds and are then told to try again. A node of a
// run waits as long here, and longer asleep (LongDelay). A call that can go to another model does not
// wait.
import { createBoundedMap } from '#core/bounded-map.ts'
import { delay, type TimedClock } from '#core/clock.ts'
import { LongDelay, shortestSleepMs } from '#core/delayed-call.ts'
import type { CallWaiting } from '#core/generation.ts'
import { TimeUp } from '#core/interruptions.ts'
import type { StopSignal } from '#core/stop.ts'
import { ProviderError } from '#providers/provider.ts'
import { keyOf, type Served } from './circuit-breaker.ts'
import type { LaneCall, LanePass } from './lane-entry.ts'
import type { Lanes } from './lanes.ts'
import { isRateLimit, longestWaitMs } from './provider-failure.ts'
import { TimeLimit, withinTime } from './time-limit.ts'

export type Waiting = {
  call: { principal: { accountId: string } }
  signal: StopSignal
  /** Of a run: the end of its patience. */
  waitUntil?: (() => StopSignal) | undefined
  waiting?: CallWaiting | undefined
  /** It can be offered to another model instead. */
  isNotLast?: boolean | undefined
  /** When the call first had to wait. */
  waitingSinceMs?: number | undefined
  /** Since when the call wants to go, by the clock; left out: since now. */
  sinceMs?: number | undefined
  /** Another model was paid for it, so that it may not be given up here and made anew later. */
  isPaid?: boolean | undefined
}

/** `model`: as callers name it. */
type Asked = Served & { model: { id: string } }

export type LaneGate = {
  /**
   * Undefined if there is nothing to wait for. Throws a ProviderError after too long a wait, and a
   * LongDelay for a run that should sleep.
   */
  enter(asked: Asked, waiting: Waiting, tokens: number): Promise<LanePass | undefined> | undefined
  /** For how long the vendor asked to wait, and how many calls of this process wait. */
  loadOf(served: Served): { pausedMs: number; waiting: number }
  /** Remembers a 429. Since when the call waits, if it may be made again; the next `enter` waits. */
  repeatsSince(served: Served, waiting: Waiting, error: unknown): number | undefined
}

type Pause = { untilMs: number; refusals: number }

type Deps = {
  lanes: Pick<Lanes, 'enter' | 'isLimited' | 'positionOf' | 'leave' | 'waitingFor'>
  clock: TimedClock
  /** How long people wait. */
  patienceMs: number
  random(): number
  /** By the vendor, or because a call waited too long for its lane. */
  onRefused?(served: Served, by: 'vendor' | 'lane'): void
}

const maxPauses = 10_000
const firstPauseMs = 1_000
const longestPauseMs = 30_000
/** After this, the next refusal counts as the first again. */
const forgetAfterMs = 60_000
/** How long a call that could go to another model waits for this one. */
const movingMs = 300
/** If a lane takes longer, the queue of runs is the better place: they hold their slots. */
const longestAwayMs = 300_000

export function createLaneGate(deps: Deps): LaneGate {
  const { lanes, clock, patienceMs } = deps
  const pauses = createBoundedMap<Pause>({ maxBytes: maxPauses, bytesOf: () => 1 })

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

  async function enterSlowly(asked: Asked, waiting: Waiting, tokens: number, pauseMs: number) {
    if (pauseMs > 0) await waitFor(deps, asked, waiting, pauseMs)
    return lanes.isLimited(asked) ? enterLane(deps, asked, waiting, tokens) : undefined
  }

  return {
    loadOf: (served) => ({ pausedMs: pausedMs(served), waiting: lanes.waitingFor(served) }),
    enter(asked, waiting, tokens) {
      const pauseMs = pausedMs(asked)
      if (pauseMs > 0) return enterSlowly(asked, waiting, tokens, pauseMs)
      return lanes.isLimited(asked) ? enterSlowly(asked, waiting, tokens, 0) : undefined
    },
    repeatsSince(served, waiting, error) {
      if (!(error instanceof ProviderError) || !isRateLimit(error)) return undefined
      deps.onRefused?.(served, 'vendor')
      // Without waiting there is nothing to remember, unless another key is asked meanwhile.
      if (patienceMs === 0 && served.deployment === undefined) return undefined
      const { refusals } = recent(served) ?? { refusals: 0 }
      const ownMs = Math.min(longestPauseMs, firstPauseMs * 2 ** refusals)
      const pauseMs = Math.max(error.retryAfterMs ?? ownMs, 1)
      const nowMs = clock.monotonicMs()
      pauses.set(keyOf(served), { untilMs: nowMs + pauseMs, refusals: refusals + 1 })
      if (waiting.isNotLast || pauseMs > leftMs(deps, waiting)) return undefined
      return waiting.waitingSinceMs ?? nowMs
    },
  }
}

/** The time of a run is watched by whoever executes it, unless its call cannot sleep. */
function leftMs({ clock, patienceMs }: Deps, waiting: Waiting): number {
  const { waitUntil, isPaid, waitingSinceMs } = waiting
  if (waitUntil && !isPaid) return Number.POSITIVE_INFINITY
  const sinceMs = waitingSinceMs ?? clock.monotonicMs()
  return (waitUntil ? longestWaitMs : patienceMs) - (clock.monotonicMs() - sinceMs)
}

/** Those who waited together do not go on in the same moment. */
async function waitFor(deps: Deps, asked: Asked, waiting: Waiting, pauseMs: number): Promise<void> {
  if (waiting.isNotLast || pauseMs > leftMs(deps, waiting)) throw busy(pauseMs)
  const spreadMs = pauseMs * (1 + 0.1 * deps.random())
  const why = { kind: 'RATE_LIMIT', model: asked.model.id } as const
  if (waiting.waiting && !waiting.isPaid && spreadMs > shortestSleepMs)
    throw new LongDelay(why, spreadMs)
  const over = waiting.waiting?.began(why)
  const end = waiting.waitUntil?.() ?? waiting.signal
  await delay(spreadMs, end, deps.clock).finally(over)
}

async function enterLane(
  deps: Deps,
  asked: Asked,
  waiting: Waiting,
  tokens: number,
): Promise<LanePass | undefined> {
  const { lanes, clock } = deps
  const { signal, waitUntil, isNotLast, sinceMs } = waiting
  const { accountId } = waiting.call.principal
  const isBatch = waitUntil !== undefined
  const call = { accountId, isBatch, tokens, model: asked.providerModel, sinceMs }
  if (waitUntil && !isNotLast) return enterForRun(deps, asked, waiting, call)
  const limitMs = isNotLast ? movingMs : Math.max(1, leftMs(deps, waiting))
  try {
    return await withinTime(clock, { signal, limitMs }, async (until) =>
      lanes.enter(asked, { ...call, until }),
    )
  } catch (error) {
    if (!signal.aborted && !isNotLast) deps.onRefused?.(asked, 'lane')
    throw error
  }
}

/**
 * It waits here for as long as a run does not sleep. After that the run sleeps until its turn is
 * near, and then goes first among the calls of its account.
 */
export async function enterForRun(
  { lanes, clock }: Pick<Deps, 'lanes' | 'clock'>,
  asked: Asked,
  { signal, waitUntil, waiting, isPaid }: Omit<Waiting, 'call'>,
  call: Omit<LaneCall, 'until'>,
): Promise<LanePass | undefined> {
  const own = { ...call, sinceMs: waiting?.sinceMs ?? call.sinceMs ?? clock.nowMs() }
  const model = asked.model.id
  for (;;) {
    const { position } = lanes.positionOf(asked, own)
    const over = waiting?.began({ kind: 'LANE', model, position })
    const until = new TimeLimit(waitUntil?.() ?? signal)
    const cancel = clock.after(shortestSleepMs, () => until.abort(new TimeUp()))
    try {
      return await lanes.enter(asked, { ...own, until })
    } catch (error) {
      if (!(until.reason instanceof TimeUp)) throw error
    } finally {
      cancel()
      until.close()
      over?.()
    }
    const left = lanes.positionOf(asked, own)
    if (!waiting || isPaid || left.ms > longestAwayMs) continue
    const ms = Math.max(left.ms, shortestSleepMs + 1)
    lanes.leave(asked, own, ms)
    throw new LongDelay({ kind: 'LANE', model, position: left.position }, ms)
  }
}

const busy = (retryAfterMs: number) =>
  new ProviderError('busy', {
    outcome: 'not_sent',
    message: 'The provider asked to wait. Nothing was sent.',
    retryAfterMs,
  })
