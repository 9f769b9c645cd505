// One call to the outside, recorded under its path in the run: the intent is stored, the call is
// made, its outcome is stored. After a crash a stored outcome is reused, and a call whose outcome
// is unknown is repeated only if that does no harm.
import { delay } from '#core/clock.ts'
import { Interruption, Stopping } from '#core/interruptions.ts'
import { isLong } from '#core/payload-text.ts'
import { readReused } from '#core/reused-call.ts'
import type { BegunStep, EndedStep, Step, StepKind } from '#core/step-states.ts'
import { RunLimitFailure } from '#graph/node/node-failure.ts'
import type { ReusableRequest } from '#graph/node/outside-calls.ts'
import { StoreUnavailable } from '#store/engine-store.ts'
import { longestWaitMs, tooLongAWait } from '../calls/provider-failure.ts'
import type { CallSite } from './call-site.ts'
import { outcomeLost, StepFailure, toNodeError, unforeseen } from './node-error.ts'
import type { NodeScope } from './node-scope.ts'
import { isReusing, keyOfCall, notePaid, noteReused, takeOver } from './reuse.ts'
import type { RunDeps, RunWork } from './run-deps.ts'
import { WindingDown } from './run-halt.ts'
import { answerLost, surelyNotMade } from './surely-not-made.ts'

/** `isReusable`: false if it is no answer to this very request that others may take over. */
export type Outcome<T> = { value: T; costMicros: number | null; isReusable?: boolean }

export type OutsideCall<T> = {
  kind: StepKind
  /** If its answer may be reused. */
  request?: ReusableRequest
  /** Doing it twice does no harm. */
  isSafe: boolean
  /** What counts as its outcome if nobody knows whether it was made; otherwise it fails then. */
  ifLost?: T | undefined
  /** The most it can cost; null if that is unknown, or if the run has no limit. */
  neededMicros: number | null
  perform(step: BegunStep): Promise<Outcome<T>>
  /** The least time to wait before the same call may be made again; null: never. */
  repeatAfterMs(error: unknown): number | null
}

/** The run is only being read, and this call is not recorded. */
export class NotRecorded extends Error {
  override name = 'NotRecorded'
}

const maxAttempts = 3
const backoffMs = [2_000, 8_000]

/** The next call of a node: its recorded outcome, or else what `make` does with its step. */
export async function recorded<T>(
  scope: NodeScope,
  site: CallSite,
  request: ReusableRequest | undefined,
  make: (call: CallAt) => Promise<T>,
): Promise<T> {
  const { deps, work, calls } = scope
  const path = `${site.path}#${site.calls++}`
  const known = work.steps.get(path)
  const over = known && known.status !== 'STARTED' ? known : undefined
  // In a list, answers that are only read again count among equal calls.
  const isKeyed = request && work.journal && (!over || path.includes('['))
  const key = isKeyed ? keyOfCall(scope, site, request) : null
  site.activity.begin()
  try {
    if (over) return await replay<T>(deps, work, site, over)
    if (!work.journal) throw new NotRecorded(path)
    calls.begin()
    try {
      if (request && !known && isReusing(work)) {
        const taken = await reusedAnswer(scope, site, { path, kind: request.kind, key: await key })
        if (taken) return taken.value as T
      }
      return await make({ path, known: known as BegunStep | undefined, key })
    } finally {
      calls.end()
    }
  } finally {
    site.activity.end()
  }
}

/** `known`: if it was begun before. `key`: under which its answer may be reused. */
export type CallAt = {
  path: string
  known: BegunStep | undefined
  key: string | null | Promise<string | null>
}

export const recordedCall = <T>(
  scope: NodeScope,
  site: CallSite,
  call: OutsideCall<T>,
): Promise<T> => recorded(scope, site, call.request, (at) => makeCall(scope, site, call, at))

async function reusedAnswer(
  scope: NodeScope,
  site: CallSite,
  { path, kind, key }: { path: string; kind: StepKind; key: string | null },
): Promise<{ value: unknown } | undefined> {
  const { deps, work, halt } = scope
  halt.throwIfEnding()
  const taken = key === null ? undefined : await takeOver(scope, site, key)
  if (!taken) return notePaid(work, site.progress)
  halt.throwIfEnding()
  const step = { ...newStep(deps, work, { path, kind, attempt: 1 }), task_id: taken.taskId }
  note(work, site, step)
  const begun = work.journal?.begin(step)
  noteReused(site, taken.from)
  conclude(deps, work, site, { step, result: taken.result, costMicros: 0, reuse: taken.reuse })
  await begun
  return taken
}

async function makeCall<T>(
  scope: NodeScope,
  site: CallSite,
  call: OutsideCall<T>,
  { path, known, key }: CallAt,
): Promise<T> {
  const { deps, work, halt } = scope
  if (known && !call.isSafe && !(await surelyNotMade(deps, work, known))) {
    if (call.ifLost === undefined) {
      await fail(deps, work, known, call.kind === 'TEXT' ? outcomeLost() : answerLost)
    } else {
      const result = JSON.stringify(call.ifLost)
      conclude(deps, work, site, { step: known, result, costMicros: null, reuse: null })
      return call.ifLost
    }
  }
  for (let attempt = (known?.attempts ?? 0) + 1; ; attempt++) {
    if (deps.stopping.aborted) throw new Stopping()
    halt.throwIfEnding()
    const step = newStep(deps, work, { path, kind: call.kind, attempt })
    note(work, site, step)
    const waited = work.money.hold(call.neededMicros ?? 0)
    if (waited) await waited
    try {
      await work.journal?.begin(step)
      halt.throwIfEnding()
      const paid = call.kind === 'TEXT' ? 1 : 0
      work.callsOut += paid
      try {
        const { value, costMicros, isReusable = true } = await call.perform(step)
        const json = JSON.stringify(value)
        // A short result is stored with the other writes of this tick.
        const result = isLong(json) ? await deps.payloads.put(work.row.account_id, json) : json
        const reuse = !isReusable ? null : key instanceof Promise ? await key : key
        conclude(deps, work, site, { step, result, costMicros, reuse })
        return value
      } finally {
        work.callsOut -= paid
      }
    } catch (error) {
      // The call may have cost something that is not counted here.
      if (call.kind === 'TEXT') work.isPaid = true
      // It was not made, so nobody has to wonder later what became of it.
      if (error instanceof WindingDown && attempt === 1) await work.journal?.forget(step)
      const pauseMs = attempt < maxAttempts ? call.repeatAfterMs(error) : null
      if (pauseMs === null) return await fail(deps, work, step, error)
      if (pauseMs > longestWaitMs) {
        const asked = tooLongAWait(toNodeError(error) ?? unforeseen, deps.clock.nowMs() + pauseMs)
        return await fail(deps, work, step, new StepFailure(asked, error))
      }
      await pause(scope, attempt, pauseMs)
    } finally {
      work.money.release(call.neededMicros ?? 0)
    }
  }
}

export async function replay<T>(
  deps: RunDeps,
  work: RunWork,
  site: CallSite,
  step: EndedStep,
): Promise<T> {
  note(work, site, step)
  pay(work, site, step.cost_micros)
  if (step.status === 'FAILED') throw new StepFailure(step.error)
  const reused = readReused(step.reuse)
  if (reused) noteReused(site, reused)
  const { account_id, slept_epoch } = work.row
  const held = step.result ?? (await deps.steps.resultOf(step))
  const value = await deps.payloads.read(account_id, held)
  // Addresses of media are valid for a day, and the run may have slept longer.
  return (slept_epoch > 0 ? await deps.refreshMedia(account_id, value) : value) as T
}

/** Bounded, because resuming or inspecting a run reads all its calls. */
export const maxCallsPerRun = 100_000

/** Throws if the run has made as many calls as it may. */
export function newStep(
  { clock }: RunDeps,
  work: RunWork,
  step: { path: string; kind: StepKind; attempt: number },
): BegunStep {
  if (step.attempt === 1 && ++work.callCount > maxCallsPerRun) {
    throw new RunLimitFailure(
      'EXPRESSION_LIMIT',
      'The run has made 100,000 calls, and may make no more.',
    )
  }
  return {
    run_id: work.row.id,
    path: step.path,
    kind: step.kind,
    status: 'STARTED',
    attempts: step.attempt,
    started_at: clock.nowMs(),
    ended_at: null,
    task_id: null,
    result: null,
    error: null,
    cost_micros: null,
  }
}

/** Ends a wait for room under a limit: the run is ending, or continues in another process. */
export const waitEnd = ({ deps, halt }: Pick<NodeScope, 'deps' | 'halt'>): AbortSignal =>
  AbortSignal.any([halt.ending(), deps.stopping])

/** Stored with the other writes of this tick: nothing that builds on it can be stored before it. */
export function conclude(
  deps: RunDeps,
  work: RunWork,
  site: CallSite,
  { step, result, costMicros, reuse = null }: Concluded,
) {
  // If stopped, nobody waits for the result: the run has ended, or continues elsewhere.
  work.halt.throwIfStopped()
  pay(work, site, costMicros)
  const ended_at = deps.clock.nowMs()
  store(deps, work, { ...step, status: 'DONE', ended_at, result, cost_micros: costMicros, reuse })
}

type Concluded = {
  step: BegunStep
  result: string
  costMicros: number | null
  reuse?: string | null
}

export async function fail(
  deps: RunDeps,
  work: RunWork,
  step: BegunStep,
  error: unknown,
): Promise<never> {
  work.halt.throwIfStopped()
  if (isInterruption(error)) throw error
  if (step.kind === 'TEXT' || step.kind === 'MEDIA') work.isPaid = true
  const known = toNodeError(error)
  if (!known) deps.onError(error, work.row.id)
  const nodeError = known ?? unforeseen
  store(deps, work, {
    ...step,
    status: 'FAILED',
    ended_at: deps.clock.nowMs(),
    error: nodeError,
  })
  throw new StepFailure(nodeError, error)
}

/** The error is no outcome of the call: the run continues elsewhere, or not at all. */
export const isInterruption = (error: unknown): boolean =>
  error instanceof StoreUnavailable || error instanceof Interruption

function store(deps: RunDeps, work: RunWork, step: EndedStep) {
  work.isChanged = true
  deps.onStepEnded?.(step)
  const stored = work.journal?.end(step)
  if (!stored) return
  work.stored = stored
  stored.catch((error: Error) => {
    if (!isInterruption(error)) deps.onError(error, work.row.id)
    work.halt.stop(error)
  })
}

function note(work: RunWork, site: CallSite, step: Step) {
  site.progress.attempts = Math.max(site.progress.attempts, step.attempts)
  if (step.task_id) site.progress.taskId ??= step.task_id
  work.isChanged = true
}

function pay(work: RunWork, site: CallSite, costMicros: number | null) {
  if (costMicros === null) return
  if (costMicros > 0) work.isPaid = true
  work.money.pay(costMicros)
  site.progress.costMicros = (site.progress.costMicros ?? 0) + costMicros
}

async function pause({ deps, halt }: NodeScope, attempt: number, leastMs: number) {
  const planned = (backoffMs[attempt - 1] ?? 8_000) * (0.8 + 0.4 * deps.random())
  const ending = AbortSignal.any([deps.stopping, halt.ending()])
  await delay(Math.max(leastMs, planned), ending, deps.clock).catch(() => {
    halt.throwIfEnding()
    throw new Stopping()
  })
}
