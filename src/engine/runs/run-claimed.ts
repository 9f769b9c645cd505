import { LeaseLost, Stopping } from '#core/interruptions.ts'
import { newNode } from '#core/run-nodes.ts'
import type { Step } from '#core/step-states.ts'
import { PayloadGone } from '#media/payload-store.ts'
import { StoreUnavailable } from '#store/db.ts'
import { claimOf } from '#store/tables/claims.ts'
import { inlineValue, isReference } from '#store/tables/payloads.ts'
import type { FinishedRun } from '#store/tables/run-progress.ts'
import type { ClaimedRun } from '#store/tables/run-work.ts'
import { hasCallsInFlight } from '#store/tables/runs.ts'
import { executeRun, failWith, runError, wasDoneBeforeCancel } from './execute-run.ts'
import { NotWritten } from './journal-batch.ts'
import { unforeseen } from './node-error.ts'
import { type ReleaseScope, releaseClaimed } from './release-run.ts'
import { createHalt, RunCancelled, RunTimeUp } from './run-halt.ts'
import type { RunJournal } from './run-journal.ts'
import type { CompiledRun, PlanCache } from './run-plan.ts'
import type { RunDeps, RunWork } from './run-work.ts'

type ClaimScope = ReleaseScope & {
  deps: RunDeps & { cancelTasks(runId: string): Promise<void> }
  plans: PlanCache
  working: Map<string, RunWork>
}

/** Never rejects: a run that cannot go on here is ended, or released. */
export async function runClaimed(scope: ClaimScope, row: ClaimedRun): Promise<void> {
  let work: RunWork | undefined
  // Elsewhere, or here in a moment, there is room for it.
  const isRoom = () => !hasLongInputs(row) || !scope.deps.memory.isFull()
  if (!isRoom()) return releaseClaimed(scope, row, { isCounted: false })
  try {
    const ready = await prepare(scope, row)
    if (ready instanceof Error) return scope.onEnded(await failToStart(scope, row, ready))
    const isResumed = row.epoch > 1 || row.retry_of !== null
    const steps = isResumed ? await scope.deps.steps.ofRun(row.id) : []
    // Others were getting ready at the same time.
    if (!isRoom()) return await releaseClaimed(scope, row, { isCounted: false })
    work = newWork(
      scope.deps,
      ready.row,
      ready.compiled,
      steps,
      scope.journal,
      scope.lease.workerId,
    )
    scope.working.set(row.id, work)
    stopIfOver(scope, work)
    scope.onEnded(await executeRun(scope.deps, work))
  } catch (error) {
    await endOrRelease(scope, row, work, error)
  } finally {
    work?.held.close()
    // Another claim of it may be at work here already, under a later lease.
    if (scope.working.get(row.id)?.claim.epoch === row.epoch) scope.working.delete(row.id)
  }
}

/** As objects they may need twenty times the memory of their text. */
const hasLongInputs = ({ inputs }: ClaimedRun) => isReference(inputs) || inputs.length > 4096

/** Before anything is executed: a run that is over must not depend on how its nodes fare. */
function stopIfOver({ deps, lease }: ClaimScope, work: RunWork) {
  const { row, halt } = work
  if (lease.lost.aborted) halt.stop(lease.lost.reason)
  if (deps.clock.nowMs() > row.deadline_at) halt.stop(new RunTimeUp())
  // What was done before somebody asked still counts; it is only read again.
  const isCancelled = row.status === 'CANCEL_REQUESTED' && !wasDoneBeforeCancel(work)
  if (isCancelled && row.node_errors === null) halt.stop(new RunCancelled())
}

/**
 * Whatever goes wrong with the run itself ends it. If the store is away, or did not take what the
 * run had to write, another worker may do better.
 */
async function endOrRelease(
  scope: ClaimScope,
  row: ClaimedRun,
  work: RunWork | undefined,
  error: unknown,
): Promise<void> {
  // Whoever has the lease now goes on; a stopping process releases everything at once.
  if (isElsewhere(error)) return
  // Reported once: the next workers meet the same.
  if (row.releases === 0) scope.deps.onError(error, row.id)
  if (error instanceof StoreUnavailable) return releaseClaimed(scope, row, { isCounted: false })
  if (!work || error instanceof NotWritten) return releaseClaimed(scope, row, { isCounted: true })
  try {
    work.isPaid = true
    const inFlight = await hasCallsInFlight(scope.deps.db, row.id)
    const errors = [runError(scope.deps, unforeseen)]
    scope.onEnded(await failWith(scope.deps, work, errors, { inFlight }))
  } catch (again) {
    if (isElsewhere(again)) return
    await releaseClaimed(scope, row, { isCounted: !(again instanceof StoreUnavailable) })
  }
}

const isElsewhere = (error: unknown) => error instanceof LeaseLost || error instanceof Stopping

/** The row comes back with its inputs in it; an error says why the run can never start. */
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

export function newWork(
  { memory }: Pick<RunDeps, 'memory'>,
  row: ClaimedRun,
  compiled: CompiledRun,
  steps: readonly Step[],
  journal: RunJournal | null,
  workerId: string,
): RunWork {
  const inputs = inlineValue(row.inputs) as RunWork['inputs']
  return {
    row,
    claim: claimOf(row, workerId),
    compiled,
    spender: { accountId: row.account_id, ...row.spender },
    inputs,
    held: memory.open(inputs),
    steps: new Map(steps.map((step) => [step.path, step])),
    journal,
    halt: createHalt(),
    nodes: compiled.plan.nodes.map(newNode),
    money: { spentMicros: 0, heldMicros: 0 },
    orders: new Set(),
    callCount: steps.length,
    callsOut: 0,
    isPaid: false,
    stored: Promise.resolve(),
    isChanged: false,
    isBeingShown: false,
  }
}

/** The graph was checked when the run was accepted; something it rests on is gone. */
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
  const work = newWork(
    scope.deps,
    row,
    { ...compiled, onlyWaits: [], called: new Map() },
    [],
    scope.journal,
    scope.lease.workerId,
  )
  const message = `The workflow cannot be run any more: ${cause.message}`
  const error = { code: 'INTERNAL_ERROR' as const, message, retryable: false }
  return failWith(scope.deps, work, [runError(scope.deps, error)]).finally(work.held.close)
}
