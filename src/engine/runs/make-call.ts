// One call to the outside: the intent is stored, the call is made, its outcome is stored. After a
// crash, a call whose outcome is unknown is repeated only if that does no harm. Between two tries
// the call is delayed (delay-call.ts), and the run may sleep.
import { type CallDelay, LongDelay } from '#core/delayed-call.ts'
import { Stopping } from '#core/interruptions.ts'
import { isLong } from '#core/payload-text.ts'
import type { BegunStep, StepKind } from '#core/step-states.ts'
import type { ReusableRequest } from '#graph/node/outside-calls.ts'
import { tooLongAWait } from '../calls/provider-failure.ts'
import type { CallSite } from './call-site.ts'
import { delayCall, mayBeDelayed } from './delay-call.ts'
import { outcomeLost, StepFailure, toNodeError, unforeseen } from './node-error.ts'
import type { NodeScope } from './node-scope.ts'
import {
  bookAgain,
  type CallAt,
  conclude,
  fail,
  isInterruption,
  newStep,
  note,
  recorded,
} from './recorded-call.ts'
import { WindingDown } from './run-halt.ts'
import { refreshSpender } from './run-spender.ts'
import { answerLost, surelyNotMade } from './surely-not-made.ts'

/** `isReusable`: false if it is no answer to this very request that others may take over. */
export type Outcome<T> = { value: T; costMicros: number | null; isReusable?: boolean }

/**
 * `sinceMs`: since when the call is delayed. `payAgain`: before another model is asked although one
 * may be paid; rejects if that could exceed what the run may cost.
 */
type Waiting = { sinceMs: number | undefined; payAgain(): Promise<void> }

export type OutsideCall<T> = {
  kind: StepKind
  /** The model that is called. */
  model?: string
  /** If its answer may be reused. */
  request?: ReusableRequest
  /** False if its node will fail over this answer, so that nobody else is to be given it. */
  isUsable?(value: T): boolean
  /** Doing it twice does no harm. */
  isSafe: boolean
  /** What counts as its outcome if nobody knows whether it was made; otherwise it fails then. */
  ifLost?: T | undefined
  /** The most it can cost; null if that is unknown, or if the run has no limit. */
  neededMicros: number | null
  /** Rejects with a LongDelay if it was not made and is to be tried again later. */
  perform(step: BegunStep, waiting: Waiting): Promise<Outcome<T>>
  /** The least time to wait before the same call may be made again; null: never. */
  repeatAfterMs(error: unknown): number | null
}

const maxFailures = 3
const backoffMs = [2_000, 8_000]

export const recordedCall = <T>(
  scope: NodeScope,
  site: CallSite,
  call: OutsideCall<T>,
): Promise<T> => recorded(scope, site, call.request, (at) => makeCall(scope, site, call, at))

export async function makeCall<T>(
  scope: NodeScope,
  site: CallSite,
  call: OutsideCall<T>,
  at: CallAt,
): Promise<T> {
  const { deps, work } = scope
  const { path, known } = at
  const before = delayedBefore(scope, at)
  if (known && !before && !call.isSafe && !(await surelyNotMade(deps, work, known))) {
    if (call.ifLost === undefined) {
      await fail(deps, work, known, call.kind === 'TEXT' ? outcomeLost() : answerLost)
    } else {
      const result = JSON.stringify(call.ifLost)
      conclude(deps, work, site, { step: known, result, costMicros: null, reuse: null })
      return call.ifLost
    }
  }
  const state = { path, attempts: 0, failures: 0, sinceMs: undefined, ...before }
  const tries: Tries = { ...state, attempts: known?.attempts ?? 0 }
  if (!before) tries.failures = tries.attempts
  else await delayCall(scope, site, before, (before.untilMs ?? 0) - deps.clock.nowMs())
  for (;;) {
    const tried = await tryOnce(scope, site, call, { at, tries })
    if ('value' in tried) return tried.value
    const { delay, ms } = tried
    tries.sinceMs ??= deps.clock.nowMs()
    const untilMs = deps.clock.nowMs() + ms
    await delayCall(scope, site, { ...delay, ...tries, sinceMs: tries.sinceMs, untilMs }, ms)
  }
}

type Tries = { path: string; attempts: number; failures: number; sinceMs: number | undefined }

/** How a call was delayed before the run slept. If it was tried again since, that is over. */
function delayedBefore({ work }: NodeScope, { path, known }: CallAt) {
  const before = known && work.delayed.get(path)
  return before?.attempts === known?.attempts ? before : undefined
}

type Tried<T> = { value: T } | { delay: CallDelay; ms: number }

async function tryOnce<T>(
  scope: NodeScope,
  site: CallSite,
  call: OutsideCall<T>,
  { at, tries }: { at: CallAt; tries: Tries },
): Promise<Tried<T>> {
  const { deps, work, halt } = scope
  if (deps.stopping.aborted) throw new Stopping()
  halt.throwIfEnding()
  const attempt = ++tries.attempts
  const step = newStep(deps, work, { path: at.path, kind: call.kind, attempt })
  note(work, site, step)
  const neededMicros = call.neededMicros ?? 0
  const waited = work.money.hold(neededMicros)
  if (waited) await waited
  let heldMicros = neededMicros
  const payAgain = async () => {
    await bookAgain(scope, at.path, neededMicros)
    work.money.release(heldMicros)
    heldMicros = 0
    await work.money.hold(neededMicros)
    heldMicros = neededMicros
  }
  try {
    // It may have been delayed, or have waited for a batch or for room, while limits were set.
    const refreshed = call.kind === 'TEXT' ? refreshSpender(deps, work) : undefined
    if (refreshed) await refreshed
    await work.journal?.begin(step)
    halt.throwIfEnding()
    const waiting = { sinceMs: tries.sinceMs, payAgain }
    return { value: await performed(scope, site, call, { step, waiting, key: at.key }) }
  } catch (error) {
    // The call may have cost something that is not counted here.
    if (call.kind === 'TEXT') work.isPaid = true
    // It was not made, so nobody has to wonder later what became of it.
    if (error instanceof WindingDown && attempt === 1) await work.journal?.forget(step)
    if (call.kind === 'TEXT' && !isInterruption(error) && !(error instanceof LongDelay))
      await bookAgain(scope, at.path, neededMicros)
    const again = againAfter(scope, call, tries, error)
    if (again === null) return await fail(deps, work, step, error)
    const nowMs = deps.clock.nowMs()
    const untilMs = nowMs + again.ms
    if (mayBeDelayed(scope, { sinceMs: tries.sinceMs ?? nowMs, untilMs })) return again
    const asked = tooLongAWait(toNodeError(error) ?? unforeseen, untilMs)
    return await fail(deps, work, step, new StepFailure(asked, error))
  } finally {
    work.money.release(heldMicros)
  }
}

/** Null if it is not to be tried again. A call that was held up has not failed. */
function againAfter<T>(
  { deps }: NodeScope,
  call: OutsideCall<T>,
  tries: Tries,
  error: unknown,
): { delay: CallDelay; ms: number } | null {
  if (error instanceof LongDelay) return error
  const failures = ++tries.failures
  const leastMs = failures < maxFailures ? call.repeatAfterMs(error) : null
  if (leastMs === null) return null
  const planned = (backoffMs[failures - 1] ?? 8_000) * (0.8 + 0.4 * deps.random())
  return { delay: { kind: 'RETRY', model: call.model }, ms: Math.max(leastMs, planned) }
}

async function performed<T>(
  { deps, work }: NodeScope,
  site: CallSite,
  call: OutsideCall<T>,
  { step, waiting, key }: { step: BegunStep; waiting: Waiting; key: CallAt['key'] },
): Promise<T> {
  const paid = call.kind === 'TEXT' ? 1 : 0
  work.callsOut += paid
  try {
    const { value, costMicros, isReusable = true } = await call.perform(step, waiting)
    const isKept = isReusable && call.isUsable?.(value) !== false
    const json = JSON.stringify(value)
    // A short result is stored with the other writes of this tick.
    const result = isLong(json) ? await deps.payloads.put(work.row.account_id, json) : json
    const reuse = !isKept ? null : key instanceof Promise ? await key : key
    conclude(deps, work, site, { step, result, costMicros, reuse })
    return value
  } finally {
    work.callsOut -= paid
  }
}
