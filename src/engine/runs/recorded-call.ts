// The calls of a node to the outside, each recorded under its path in the run: a stored outcome is
// read again, an answer of an earlier run is taken over, or else the call is made (make-call.ts).
import { Interruption } from '#core/interruptions.ts'
import { readReused } from '#core/reused-call.ts'
import type { BegunStep, EndedStep, Step, StepKind } from '#core/step-states.ts'
import { RunLimitFailure } from '#graph/node/node-failure.ts'
import type { ReusableRequest } from '#graph/node/outside-calls.ts'
import { StoreUnavailable } from '#store/engine-store.ts'
import type { CallSite } from './call-site.ts'
import { StepFailure, toNodeError, unforeseen } from './node-error.ts'
import type { NodeScope } from './node-scope.ts'
import { keepLate, keyOfCall, mayTakeOver, notePaid, noteReused, takeOver } from './reuse.ts'
import type { RunDeps, RunWork } from './run-deps.ts'
import { bookedIn } from './run-money.ts'
import { refreshSpender } from './run-spender.ts'

/** The run is only being read, and this call is not recorded. */
export class NotRecorded extends Error {
  override name = 'NotRecorded'
}

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
      if (request && !known && mayTakeOver(work)) {
        const taken = await reusedAnswer(scope, site, { path, request, key: await key })
        if (taken) return taken.value as T
      }
      const refreshed = isPaid(request) ? refreshSpender(deps, work) : undefined
      if (refreshed) await refreshed
      return await make({ path, known: known as BegunStep | undefined, key })
    } finally {
      calls.end()
    }
  } finally {
    site.activity.end()
  }
}

const isPaid = (request: ReusableRequest | undefined) =>
  request?.kind === 'TEXT' || request?.kind === 'MEDIA'

/** `known`: if it was begun before. `key`: under which its answer may be reused. */
export type CallAt = {
  path: string
  known: BegunStep | undefined
  key: string | null | Promise<string | null>
}

async function reusedAnswer(
  scope: NodeScope,
  site: CallSite,
  { path, request, key }: { path: string; request: ReusableRequest; key: string | null },
): Promise<{ value: unknown } | undefined> {
  const { deps, work, halt } = scope
  halt.throwIfEnding()
  const taken = key === null ? undefined : await takeOver(scope, site, { key, request })
  if (!taken) return notePaid(work, site.progress)
  halt.throwIfEnding()
  const step = {
    ...newStep(deps, work, { path, kind: request.kind, attempt: 1 }),
    task_id: taken.taskId,
  }
  note(work, site, step)
  const begun = work.journal?.begin(step)
  noteReused(work, site, taken.from)
  conclude(deps, work, site, { step, result: taken.result, costMicros: 0, reuse: taken.reuse })
  await begun
  return taken
}

export async function replay<T>(
  deps: RunDeps,
  work: RunWork,
  site: CallSite,
  step: EndedStep,
): Promise<T> {
  note(work, site, step)
  if (step.cost_micros !== null) {
    work.money.payAgain(step.cost_micros)
    notePaidFor(work, site, step.cost_micros)
  }
  if (step.status === 'FAILED') throw new StepFailure(step.error)
  const reused = readReused(step.reuse)
  if (reused) noteReused(work, site, reused)
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
  const done = { ...step, status: 'DONE' as const, ended_at: deps.clock.nowMs(), result, reuse }
  const ended = { ...done, cost_micros: costMicros }
  if (work.halt.reason) keepLate(deps, work, ended)
  // If stopped, nobody waits for the result: the run has ended, or continues elsewhere.
  work.halt.throwIfStopped()
  pay(work, site, costMicros)
  store(deps, work, ended)
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
    work.lost ??= error
    work.halt.stop(error)
  })
}

export function note(work: RunWork, site: CallSite, step: Step) {
  site.progress.attempts = Math.max(site.progress.attempts, step.attempts)
  if (step.task_id) site.progress.taskId ??= step.task_id
  work.isChanged = true
}

/**
 * What a call counts that brought nothing, or not yet what was asked: the provider may bill it, and
 * the ledger books that. `mostMicros`: if the ledger cannot be asked.
 */
export async function bookAgain(
  { deps, work }: Pick<NodeScope, 'deps' | 'work'>,
  call: string,
  mostMicros: number,
): Promise<void> {
  const { id, max_cost_micros: limit } = work.row
  if (limit === null) return
  const asked = deps.ledger.attemptsOf(id, call).then((attempts) => bookedIn(attempts).get(call))
  work.money.book(call, (await asked.catch(() => mostMicros)) ?? 0)
}

function pay(work: RunWork, site: CallSite, costMicros: number | null) {
  if (costMicros === null) return
  work.money.pay(costMicros)
  notePaidFor(work, site, costMicros)
}

function notePaidFor(work: RunWork, site: CallSite, costMicros: number) {
  if (costMicros > 0) work.isPaid = true
  site.progress.costMicros = (site.progress.costMicros ?? 0) + costMicros
}
