import type { DelayedCall } from '#core/delayed-call.ts'
import { LeaseLost, RunCancelled, Stopping } from '#core/interruptions.ts'
import { once } from '#core/once.ts'
import { inlineValue, isReference, PayloadGone } from '#core/payload-text.ts'
import { type NodeProgress, newNode, unpackNodes } from '#core/run-nodes.ts'
import type { Step } from '#core/step-states.ts'
import {
  type ClaimedRun,
  claimOf,
  type FinishedRun,
  StoreUnavailable,
} from '#store/engine-store.ts'
import { Activity } from './activity.ts'
import { createCallNumbers } from './call-numbers.ts'
import { createCallsUnderWay } from './calls-under-way.ts'
import { executeRun, failedSteps, failWith, runError, wasDoneBeforeCancel } from './execute-run.ts'
import { Asleep, type FallAsleepDeps, fallAsleep } from './fall-asleep.ts'
import { NotWritten } from './journal-batch.ts'
import { hasCallsLeft } from './late-calls.ts'
import { unforeseen } from './node-error.ts'
import { quarantineClaimed, type ReleaseScope, releaseClaimed } from './release-run.ts'
import { renewIfOverdue } from './renew-held.ts'
import { isSuspect, maxDeaths, observedMs, type Resumptions, survivedMs } from './resumptions.ts'
import { readRetried } from './retried-answers.ts'
import type { RunDeps, RunWork, WorkingRuns } from './run-deps.ts'
import { createHalt, RunTimeUp } from './run-halt.ts'
import type { RunJournal } from './run-journal.ts'
import { createRunMoney } from './run-money.ts'
import { type ReadPast, type RememberedRun, remember, type StoredPast } from './run-past.ts'
import type { CompiledRun, PlanCache } from './run-plan.ts'
import { createRunWaits } from './run-waits.ts'

type ClaimScope = ReleaseScope & {
  journal: RunJournal
  deps: RunDeps & { cancelTasks(runId: string): Promise<void> }
  plans: PlanCache
  working: WorkingRuns
  resumptions: Resumptions
  readPast: ReadPast
}

/** Never rejects: a run that cannot continue here is ended or released. */
export async function runClaimed(scope: ClaimScope, row: ClaimedRun): Promise<void> {
  const { deps, lease } = scope
  // One that only has to be ended needs no turn.
  const isOver = row.status === 'CANCEL_REQUESTED' || deps.clock.nowMs() > row.deadline_at
  // Its last worker did not die: there was none, or it let the run sleep.
  const isFresh = row.epoch === row.slept_epoch + 1
  if (isFresh || isOver) return executeClaimed(scope, row)
  if (row.deaths >= maxDeaths) return quarantineClaimed(scope, row)
  const begun = once(await scope.resumptions.turn(row.deaths))
  const claim = claimOf(row, lease.workerId)
  const cancels: (() => void)[] = []
  try {
    if (deps.stopping.aborted) return
    await deps.runs.setDeaths(claim, row.deaths + 1)
    const clear = () => void deps.runs.setDeaths(claim, 0).catch(() => undefined)
    cancels.push(deps.clock.after(survivedMs, clear))
    if (isSuspect(row.deaths)) cancels.push(deps.clock.after(observedMs, begun))
    await executeClaimed(scope, row, isSuspect(row.deaths) ? undefined : begun)
  } catch (error) {
    await endOrRelease(scope, row, undefined, error)
  } finally {
    begun()
    for (const cancel of cancels) cancel()
  }
}

/** `onBegun` is called once its first nodes have been started. */
async function executeClaimed(
  scope: ClaimScope,
  row: ClaimedRun,
  onBegun?: () => void,
): Promise<void> {
  let work: RunWork | undefined
  // Without room, the run is released: another worker, or this one a little later, may have some.
  const isRoom = () => !hasLongInputs(row) || !scope.deps.memory.isFull()
  if (!isRoom()) return releaseClaimed(scope, row, { isCounted: false })
  try {
    const ready = await prepare(scope, row)
    if (ready instanceof Error) return scope.onEnded(await failToStart(scope, row, ready))
    const isResumed = row.epoch > 1 || row.retry_of !== null
    if (isResumed) await renewIfOverdue(scope.deps, row)
    const past = isResumed ? await scope.readPast(row) : noPast
    // Other runs may have taken the room in the meantime.
    if (!isRoom()) return await releaseClaimed(scope, row, { isCounted: false })
    const known = past.spender ? await remember(scope.deps, ready.row, past) : { row: ready.row }
    work = newWork(
      scope.deps,
      { ...past, ...known, compiled: ready.compiled },
      scope.journal,
      scope.lease.workerId,
    )
    scope.working.set(row.id, work)
    stopIfOver(scope, work)
    const executed = executeRun(scope.deps, work)
    // By then nodes without calls have been computed, and what they hold is counted.
    if (onBegun) scope.deps.clock.nextTick(onBegun)
    scope.onEnded(await executed)
  } catch (error) {
    await endOrRelease(scope, row, work, error)
  } finally {
    // Whatever it was doing, nothing of it begins after its end.
    work?.halt.windDown()
    work?.held.close()
    // A newer claim of the run may already be executing here, under a later lease.
    if (scope.working.get(row.id)?.claim.epoch === row.epoch) scope.working.delete(row.id)
  }
}

/** Parsed, they may need twenty times the memory of their text. */
const hasLongInputs = ({ inputs }: ClaimedRun) => isReference(inputs) || inputs.length > 4096

/** Checked before any node is executed, so that no node affects how such a run ends. */
function stopIfOver({ deps, lease }: ClaimScope, work: RunWork) {
  const { row, halt } = work
  if (lease.lost.aborted) halt.stop(lease.lost.reason)
  if (deps.clock.nowMs() > row.deadline_at) halt.stop(new RunTimeUp())
  // A run that was done before the request still completes: its calls are only read again.
  const isCancelled = row.status === 'CANCEL_REQUESTED' && !wasDoneBeforeCancel(work)
  if (isCancelled && row.node_errors === null) halt.stop(new RunCancelled())
  // Its worker died before it stored the failure of the node: only what is recorded is repeated.
  if (failedSteps(work).length > 0) halt.windDown()
}

/**
 * An error of the run itself ends it. If the store is unavailable or refused the run's writes, it
 * is released, because another worker may succeed.
 */
async function endOrRelease(
  scope: ClaimScope,
  row: ClaimedRun,
  work: RunWork | undefined,
  error: unknown,
): Promise<void> {
  // The new owner continues; a stopping process releases everything at once.
  if (isElsewhere(error)) return
  // Reported once: the next workers will meet the same error.
  if (row.releases === 0) scope.deps.onError(error, row.id)
  if (work) await leaveNothing(work, error)
  if (error instanceof StoreUnavailable) return releaseClaimed(scope, row, { isCounted: false })
  if (!work || error instanceof NotWritten) return releaseClaimed(scope, row, { isCounted: true })
  try {
    work.isPaid = true
    const inFlight = await hasCallsLeft(scope.deps, work)
    const errors = [runError(scope.deps, unforeseen)]
    scope.onEnded(await failWith(scope.deps, work, errors, { inFlight }))
  } catch (again) {
    if (isElsewhere(again)) return
    await releaseClaimed(scope, row, { isCounted: !(again instanceof StoreUnavailable) })
  }
}

/**
 * Once the run is released, another execution of it writes its steps. What this one has handed to
 * the journal must be stored or refused before that, and what it learns later must not be stored:
 * its calls are awaited, except for tasks, which the next worker waits for.
 */
async function leaveNothing(work: RunWork, error: unknown): Promise<void> {
  work.halt.windDown()
  await work.calls.allWaiting()
  work.halt.stop(error instanceof Error ? error : new NotWritten(error))
  await work.stored.catch(() => undefined)
}

const isElsewhere = (error: unknown) =>
  error instanceof LeaseLost || error instanceof Stopping || error instanceof Asleep

/** Returns the row with its inputs loaded, or an error that says why the run can never start. */
async function prepare({ deps, plans }: ClaimScope, row: ClaimedRun) {
  try {
    const compiled = await plans.planOf(row)
    return { compiled, row: isReference(row.inputs) ? await withInputs(deps, row) : row }
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    return error as Error
  }
}

export async function withInputs<Row extends ClaimedRun>(
  { payloads }: Pick<RunDeps, 'payloads'>,
  row: Row,
): Promise<Row> {
  const inputs = await payloads.get(row.account_id, row.inputs).catch((error) => {
    throw error instanceof PayloadGone ? error : new StoreUnavailable('inputs not read', error)
  })
  return { ...row, inputs }
}

/** A run as it was stored: its steps and, if it has slept, what it knew and waited for. */
type StoredRun = Partial<RememberedRun & StoredPast> & {
  row: ClaimedRun
  compiled: CompiledRun
  steps: readonly Step[]
}

const noWaits: readonly never[] = []
const noPast: StoredPast = { steps: [], waits: noWaits, spender: null, booked: null }
const noValues = new Map<string, never>()
const noDelays = new Map<string, never>()

const noNodes: readonly never[] = []

const delayedIn = (nodes: readonly NodeProgress[]): Map<string, DelayedCall> =>
  new Map(nodes.flatMap(({ delayed = [] }) => delayed).map((call) => [call.path, call]))

export function newWork(
  deps: FallAsleepDeps & Pick<RunDeps, 'memory' | 'steps'>,
  { row, compiled, steps, waits = noWaits, values = noValues, booked = null }: StoredRun,
  journal: RunJournal | null,
  workerId: string,
): RunWork {
  const inputs = inlineValue(row.inputs) as RunWork['inputs']
  const halt = createHalt()
  const before = row.nodes === null ? noNodes : unpackNodes(row.nodes.value, row.created_at)
  const work: RunWork = {
    row,
    claim: claimOf(row, workerId),
    compiled,
    spender: { accountId: row.account_id, workflowId: row.workflow_id, ...row.spender },
    spenderReadAtMs: row.created_at,
    inputs,
    held: deps.memory.open(inputs),
    steps: new Map(steps.map((step) => [step.path, step])),
    journal,
    halt,
    nodes: compiled.plan.nodes.map(newNode),
    money: createRunMoney(row.max_cost_micros, halt, booked),
    calls: createCallsUnderWay(),
    activity: new Activity((isAtRest) => {
      if (isAtRest && journal) deps.clock.nextTick(() => fallAsleep(deps, work))
    }),
    // Most runs never wait.
    waits: once(() => createRunWaits(deps.clock, { wakes: row.wakes, rows: waits })),
    hasWaits: waits.length > 0,
    values: { under: '', before: values, now: new Set(), loops: new Map() },
    before,
    delayed: row.nodes === null ? noDelays : delayedIn(before),
    orders: new Set(),
    callCount: steps.length,
    callsOut: 0,
    // The ledger knows what an earlier worker spent.
    isPaid: steps.length > 0,
    stored: Promise.resolve(),
    lost: undefined,
    spoiled: [],
    numbers: once(createCallNumbers),
    retried: once(() => readRetried(deps, row)),
    isChanged: false,
    isBeingShown: false,
  }
  return work
}

/** The graph was valid when the run was accepted, but something it depends on is gone. */
function failToStart(scope: ClaimScope, row: ClaimedRun, cause: Error): Promise<FinishedRun> {
  scope.deps.onError(cause, row.id)
  const nothing = { plan: { nodes: [], order: [], results: [], impossible: [] } }
  const compiled = {
    ...nothing,
    starters: [],
    wireCounts: [],
    readCounts: [],
    skipped: new Set<number>(),
    isMerge: [],
  }
  const stored = { row, compiled: { ...compiled, onlyWaits: [], called: new Map() }, steps: [] }
  const work = newWork(scope.deps, stored, scope.journal, scope.lease.workerId)
  work.hasWaits = row.slept_epoch > 0
  const message = `The workflow cannot be run any more: ${cause.message}`
  const error = { code: 'INTERNAL_ERROR' as const, message, retryable: false }
  return failWith(scope.deps, work, [runError(scope.deps, error)]).finally(work.held.close)
}
