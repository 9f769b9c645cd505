// One call outside, made at most once for its path in the run: the intent is stored, the call is
// made, its outcome is stored. After a crash a stored outcome is used again, and a call whose
// fate is unknown is repeated only where that cannot do harm.
import { delay } from '#core/clock.ts'
import { Interruption, Stopping } from '#core/interruptions.ts'
import type { NodeProgress } from '#core/run-nodes.ts'
import type { BegunStep, EndedStep, Step, StepKind } from '#core/step-states.ts'
import { NodeFailure } from '#nodes/execution/node-execution.ts'
import type { PlanNode } from '#nodes/execution/plan.ts'
import { StoreUnavailable } from '#store/db.ts'
import { abandoned, settleAttempts } from '#store/tables/ledger.ts'
import { isLong } from '#store/tables/payloads.ts'
import { attemptsOfNode } from '#store/tables/run-work.ts'
import { outcomeLost, StepFailure, toNodeError, unforeseen } from './node-error.ts'
import type { RunDeps, RunWork } from './run-work.ts'

/** Where in the run a node works. */
export type CallSite = {
  path: string
  /** The node of the run's own graph that this works for. */
  root: PlanNode
  progress: NodeProgress
  /** Numbers what it asks for. */
  calls: number
}

export type Outcome<T> = { value: T; costMicros: number | null }

export type OutsideCall<T> = {
  kind: StepKind
  /** Doing it twice does no harm. */
  isSafe: boolean
  /** The most it can cost; null is unknown, or of no interest to a run without a limit. */
  neededMicros: number | null
  perform(step: BegunStep): Promise<Outcome<T>>
  /** How long to wait at least before the same call may be made again; null: never. */
  repeatAfterMs(error: unknown): number | null
}

/** Only what is recorded may be used here, and this is not. */
export class NotRecorded extends Error {
  override name = 'NotRecorded'
}

const maxAttempts = 3
const backoffMs = [2_000, 8_000]

export async function recordedCall<T>(
  deps: RunDeps,
  work: RunWork,
  site: CallSite,
  call: OutsideCall<T>,
): Promise<T> {
  const path = nextPath(site)
  const known = work.steps.get(path)
  if (known && known.status !== 'STARTED') return replay(deps, work, site, known)
  if (!work.journal) throw new NotRecorded(path)
  if (known && !call.isSafe && !(await surelyNotMade(deps, work, known))) {
    await fail(deps, work, known, call.kind === 'TEXT' ? outcomeLost() : answerLost)
  }
  for (let attempt = (known?.attempts ?? 0) + 1; ; attempt++) {
    const step = newStep(deps, work, { path, kind: call.kind, attempt })
    note(work, site, step)
    hold(work, call.neededMicros)
    try {
      await beginStep(deps, work, step)
      work.halt.throwIfStopped()
      const paid = call.kind === 'TEXT' ? 1 : 0
      work.callsOut += paid
      try {
        const { value, costMicros } = await call.perform(step)
        const json = JSON.stringify(value)
        // A short one is stored with whatever else this tick brings.
        const result = isLong(json) ? await deps.payloads.put(work.row.account_id, json) : json
        conclude(deps, work, site, { step, result, costMicros })
        return value
      } finally {
        work.callsOut -= paid
        // It may have cost something that the run, being stopped, did not count.
        if (work.halt.reason) work.isPaid = true
      }
    } catch (error) {
      const pauseMs = attempt < maxAttempts ? call.repeatAfterMs(error) : null
      if (pauseMs === null) return await fail(deps, work, step, error)
      await pause(deps, attempt, pauseMs)
    } finally {
      work.money.heldMicros -= call.neededMicros ?? 0
    }
  }
}

export const nextPath = (site: CallSite): string => `${site.path}#${site.calls++}`

export async function replay<T>(
  deps: RunDeps,
  work: RunWork,
  site: CallSite,
  step: EndedStep,
): Promise<T> {
  note(work, site, step)
  pay(work, site, step.cost_micros)
  if (step.status === 'FAILED') throw new StepFailure(step.error)
  const held = step.result ?? (await deps.steps.resultOf(step))
  return (await deps.payloads.read(work.row.account_id, held)) as T
}

/** Whoever goes on with a run, or looks into it, reads all its calls. */
export const maxCallsPerRun = 100_000

/** Throws where the run has made as many calls as it may. */
export function newStep(
  { clock }: RunDeps,
  work: RunWork,
  step: { path: string; kind: StepKind; attempt: number },
): BegunStep {
  if (step.attempt === 1 && ++work.callCount > maxCallsPerRun) {
    throw new NodeFailure(
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

/** Throws where the run may not spend what the call needs. */
export function hold(work: RunWork, neededMicros: number | null) {
  const { money, row } = work
  const needed = neededMicros ?? 0
  const limit = row.max_cost_micros
  const isPast =
    limit !== null &&
    (money.spentMicros + money.heldMicros + needed > limit || (needed > 0 && limit === 0))
  if (isPast) {
    const message = 'The run would cost more than its maxCost: nothing further was started.'
    throw new StepFailure({ code: 'COST_LIMIT_REACHED', message, retryable: false })
  }
  money.heldMicros += needed
}

function beginStep(deps: RunDeps, work: RunWork, step: BegunStep): Promise<void> | undefined {
  if (deps.stopping.aborted) throw new Stopping()
  work.halt.throwIfStopped()
  return work.journal?.begin(step)
}

/** Stored with whatever else this tick brings: nothing that builds on it can be stored before it. */
export function conclude(
  deps: RunDeps,
  work: RunWork,
  site: CallSite,
  { step, result, costMicros }: { step: BegunStep; result: string; costMicros: number | null },
) {
  // Nobody waits any more: the run has ended, or goes on elsewhere.
  work.halt.throwIfStopped()
  pay(work, site, costMicros)
  const ended_at = deps.clock.nowMs()
  store(deps, work, { ...step, status: 'DONE', ended_at, result, cost_micros: costMicros })
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

/** Not an outcome of the call: the run goes on elsewhere, or not at all. */
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
  work.money.spentMicros += costMicros
  site.progress.costMicros = (site.progress.costMicros ?? 0) + costMicros
}

async function pause(deps: RunDeps, attempt: number, leastMs: number) {
  const planned = (backoffMs[attempt - 1] ?? 8_000) * (0.8 + 0.4 * deps.random())
  const stop = () => {
    throw new Stopping()
  }
  await delay(Math.max(leastMs, planned), deps.stopping).catch(stop)
}

const answerLost = new NodeFailure(
  'HTTP_FAILED',
  'The answer was lost. The request may have been acted on, so it was not repeated.',
)

/**
 * Of paid calls the ledger knows: an attempt is written there before it leaves. Whoever made it may
 * still be alive and know better.
 */
async function surelyNotMade(deps: RunDeps, work: RunWork, step: BegunStep): Promise<boolean> {
  if (step.kind !== 'TEXT') return false
  const attempts = await attemptsOfNode(deps.db, work.row.id, step.path)
  const open = attempts.filter(({ outcome }) => outcome !== 'REJECTED')
  const nowMs = deps.clock.nowMs()
  const lost = open
    .filter(({ outcome }) => outcome === 'PENDING')
    .map((attempt) => abandoned(attempt, nowMs))
  if (lost.length > 0) await deps.db.transaction((tx) => settleAttempts(tx, lost))
  return open.length === 0
}
