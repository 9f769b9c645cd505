import { delay } from '#core/clock.ts'
import { newNode } from '#core/run-nodes.ts'
import { PayloadGone } from '#media/payload-store.ts'
import { StoreUnavailable } from '#store/db.ts'
import { isReference } from '#store/payloads.ts'
import type { FinishedRun } from '#store/run-progress.ts'
import { type ClaimedRun, releaseRun } from '#store/run-work.ts'
import type { StepRow } from '#store/steps.ts'
import type { Lease } from '../lease-keeper.ts'
import { executeRun, failWith, runError } from './execute-run.ts'
import { createHalt, RunTimeUp } from './run-halt.ts'
import type { RunJournal } from './run-journal.ts'
import type { CompiledRun, PlanShelf } from './run-plan.ts'
import type { RunParts, RunWork } from './run-work.ts'

const giveBackPauseMs = 2_000

type Desk = {
  parts: RunParts & { cancelTasks(runId: string): Promise<void> }
  shelf: PlanShelf
  journal: RunJournal
  lease: Lease
  working: Map<string, RunWork>
  onEnded?(run: FinishedRun): void
}

/** Never rejects: a run that cannot go on here is ended, or given back. */
export async function runClaimed(desk: Desk, row: ClaimedRun): Promise<void> {
  const { parts, working, lease } = desk
  try {
    const ready = await prepare(desk, row)
    if (ready instanceof Error) {
      desk.onEnded?.(await failToStart(desk, row, ready))
      return
    }
    const isResumed = row.epoch > 1 || row.retry_of !== null
    const steps = isResumed ? await parts.steps.ofRun(row.id) : []
    const work = newWork(ready.row, ready.compiled, steps, desk.journal, lease.workerId)
    working.set(row.id, work)
    if (lease.lost.aborted) work.halt.stop(lease.lost.reason)
    // Its time was up before anybody claimed it: nothing more is called.
    if (parts.clock.nowMs() > row.deadline_at) work.halt.stop(new RunTimeUp())
    desk.onEnded?.(await executeRun(parts, work))
  } catch (error) {
    const { name } = error as Error
    // Whoever has the lease now goes on; a stopping process gives everything back at once.
    if (name === 'LeaseLost' || name === 'Stopping') return
    parts.onError(error, row.id)
    await giveBack(desk, row)
  } finally {
    // Another claim of it may be at work here already, under a later lease.
    if (working.get(row.id)?.lease.epoch === row.epoch) working.delete(row.id)
  }
}

/** The row comes back with its inputs in it; an error says why the run can never start. */
async function prepare({ parts, shelf }: Desk, row: ClaimedRun) {
  try {
    const compiled = await shelf.planOf(row)
    return { compiled, row: isReference(row.inputs) ? await withInputs(parts, row) : row }
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    return error as Error
  }
}

export async function withInputs<Row extends ClaimedRun>(
  { payloads }: Pick<RunParts, 'payloads'>,
  row: Row,
): Promise<Row> {
  const inputs = await payloads.get(row.account_id, row.inputs).catch((error) => {
    throw error instanceof PayloadGone ? error : new StoreUnavailable('inputs not read', error)
  })
  return { ...row, inputs }
}

export function newWork(
  row: ClaimedRun,
  compiled: CompiledRun,
  steps: readonly StepRow[],
  journal: RunJournal | null,
  workerId: string,
): RunWork {
  return {
    row,
    lease: { runId: row.id, workerId, epoch: row.epoch },
    compiled,
    spender: { accountId: row.account_id, ...JSON.parse(row.spender) },
    inputs: JSON.parse(row.inputs),
    steps: new Map(steps.map((step) => [step.path, step])),
    journal,
    halt: createHalt(),
    nodes: compiled.plan.nodes.map(newNode),
    money: { spentMicros: 0, heldMicros: 0 },
    orders: new Set(),
    callsOut: 0,
    isPaid: false,
    stored: Promise.resolve(),
    isChanged: false,
    isBeingShown: false,
  }
}

/** The graph was checked when the run was accepted; something it rests on is gone. */
function failToStart(desk: Desk, row: ClaimedRun, cause: Error): Promise<FinishedRun> {
  desk.parts.onError(cause, row.id)
  const nothing = { plan: { nodes: [], order: [], results: [], impossible: [] } }
  const compiled = {
    ...nothing,
    starters: [],
    wireCounts: [],
    skipped: new Set<number>(),
    isMerge: [],
  }
  const work = newWork(
    row,
    { ...compiled, onlyWaits: [], called: new Map() },
    [],
    desk.journal,
    desk.lease.workerId,
  )
  const message = `The workflow cannot be run any more: ${cause.message}`
  const error = { code: 'INTERNAL_ERROR', message, retryable: false }
  return failWith(desk.parts, work, [runError(desk.parts, error)])
}

/** Without this the run would stay ours, and idle, until its time is up. */
async function giveBack({ parts, lease }: Desk, row: ClaimedRun) {
  const until = AbortSignal.any([lease.lost, parts.stopping])
  const { workerId } = lease
  while (!until.aborted) {
    try {
      await parts.db.transaction((tx) =>
        releaseRun(
          tx,
          { runId: row.id, workerId, epoch: row.epoch },
          parts.clock.nowMs() + giveBackPauseMs,
        ),
      )
      return
    } catch {
      await delay(giveBackPauseMs, until).catch(() => undefined)
    }
  }
}
