// Every write of a task's execution. Each names the claim, so that a worker that lost the task
// changes nothing; task and ledger change together, so that after a crash they agree.

import { type CatalogueEntry, withStandIn } from '#core/catalogue.ts'
import { delay } from '#core/clock.ts'
import { Stopping } from '#core/interruptions.ts'
import type { JobRef, ProviderError } from '#providers/provider.ts'
import { CommitUnknown, type Reader, StoreUnavailable, type Tx } from '#store/db.ts'
import { openAttempt, outcomeOf, settleAttempts, spendFreed } from '#store/tables/ledger.ts'
import { hasRunStopped } from '#store/tables/runs.ts'
import type { Settlement } from '#store/tables/settlement.ts'
import {
  findTask,
  finishTask,
  markSubmitted,
  markSubmitting,
  markUnsubmitted,
  releaseUntil,
} from '#store/tables/tasks.ts'
import type { TaskError } from '../calls/provider-failure.ts'
import { attemptId, mostMicros, type TaskDeps, type TaskWork } from './task-work.ts'

const backoffMs = [2_000, 8_000]
const storePauseMs = 500

/** The run that ordered the task was cancelled or has ended, so nothing is sent any more. */
export class RunStopped extends Error {
  override name = 'RunStopped'
}

/** Durable before the call is made. Throws RunStopped if the call must not be made any more. */
export async function recordIntent(
  deps: TaskDeps,
  work: TaskWork,
  { entry, credential }: { entry: CatalogueEntry; credential?: string | undefined },
) {
  const { row, claim } = work
  if (work.stopping.aborted) throw new Stopping()
  const nowMs = deps.clock.nowMs()
  const { pricing } = entry.model
  const attempt = attemptId(row.id, row.attempts + 1)
  const record = async (tx: Tx) => {
    // In this transaction, because a worker that takes over a task after a crash knows nothing of
    // its run, and may come before the worker that ends the run.
    if (row.run_id !== null && (await hasRunStopped(tx, row.run_id))) throw new RunStopped()
    await markSubmitting(tx, claim, { servedBy: entry.model.id, nowMs })
    await openAttempt(tx, {
      attempt,
      accountId: row.account_id,
      keyId: row.key_id,
      taskId: row.id,
      runId: row.run_id,
      nodeId: row.node_id,
      operation: row.kind === 'IMAGE' ? 'image' : 'video',
      provider: entry.provider,
      credential,
      model: entry.model.id,
      unitPrice: pricing ? JSON.stringify(pricing) : null,
      reservedMicros: mostMicros(row.kind, work.request, entry.model) ?? 0,
      createdAtMs: nowMs,
    })
  }
  // It must be certain whether the intent is stored: the call is made only if it is, and an intent
  // without a call would count as a call with an unknown outcome.
  await durably(deps, work, record, async (reader) => (await outcomeOf(reader, attempt)) !== null)
  row.attempts += 1
  row.stage = 'SUBMITTING'
  row.served_by = entry.model.id
  row.submitted_at = nowMs
}

/** Durable before the first poll. */
export async function recordJob(deps: TaskDeps, work: TaskWork, ref: JobRef) {
  const jobRef = JSON.stringify(ref)
  const record = (tx: Tx) => markSubmitted(tx, work.claim, jobRef)
  const { account_id, id } = work.row
  await durably(deps, work, record, async (reader) => {
    const found = await findTask(reader, account_id, id)
    return JSON.stringify(found?.job_ref) === jobRef
  })
  work.row.stage = 'SUBMITTED'
}

/** The provider did its work and is paid; an error means that there is no usable result. */
export async function recordResult(
  deps: TaskDeps,
  work: TaskWork,
  end: Pick<Settlement, 'units' | 'costMicros' | 'remark'> & {
    media: string | null
    error: TaskError | null
    outcome?: 'SUCCEEDED' | 'FAILED'
  },
) {
  const { clock, onEnded } = deps
  const { row, claim } = work
  const { media, error, units, costMicros, remark, outcome = 'SUCCEEDED' } = end
  const status = error ? 'FAILED' : 'COMPLETED'
  const nowMs = clock.nowMs()
  const record = async (tx: Tx) => {
    await finishTask(tx, claim, {
      status,
      media,
      error: error && JSON.stringify(error),
      costMicros,
      nowMs,
    })
    const attempt = attemptId(row.id, row.attempts)
    await settleAttempts(tx, [{ attempt, outcome, units, costMicros, nowMs, remark }])
    tx.notify(spendFreed)
  }
  await durably(deps, work, record, (reader) => hasEnded(reader, row))
  onEnded(row.kind, status)
  report(deps, work, { outcome: 'SUCCEEDED', units, costMicros, nowMs })
}

/**
 * A short outage of the store must not lose what is already paid for. If the answer to a commit was
 * lost, `isMade` looks before anything is written again: a second write would find that the task
 * is no longer ours.
 */
async function durably(
  { db, clock }: Pick<TaskDeps, 'db' | 'clock'>,
  { lost }: TaskWork,
  write: (tx: Tx) => Promise<unknown>,
  isMade: (reader: Reader) => Promise<boolean>,
): Promise<void> {
  for (let mayBeMade = false; ; ) {
    try {
      if (mayBeMade && (await isMade(db))) return
      await db.transaction(write, { isStored: isMade })
      return
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      mayBeMade ||= error instanceof CommitUnknown
      await delay(storePauseMs, lost, clock)
    }
  }
}

const hasEnded = async (reader: Reader, { account_id, id }: TaskWork['row']): Promise<boolean> => {
  const found = await findTask(reader, account_id, id)
  return found !== undefined && found.completed_at !== null
}

/** REJECTED: nothing was accepted. FAILED: accepted, and the provider says it failed. */
export async function recordFailure(
  deps: TaskDeps,
  work: TaskWork,
  error: TaskError,
  outcome: 'REJECTED' | 'FAILED' | 'UNKNOWN',
): Promise<void> {
  const { row, claim } = work
  const nowMs = deps.clock.nowMs()
  const known = deps.catalogue.known(row.served_by ?? row.model)
  const entry = known && withStandIn(known, work.request.standIns)
  // What may have been billed counts as spent until someone knows better.
  const costMicros = outcome === 'UNKNOWN' ? mostMicros(row.kind, work.request, entry?.model) : 0
  const record = async (tx: Tx) => {
    await finishTask(tx, claim, {
      status: 'FAILED',
      media: null,
      error: JSON.stringify(error),
      costMicros,
      nowMs,
    })
    if (row.attempts > 0) {
      await settleAttempts(tx, [
        { attempt: attemptId(row.id, row.attempts), outcome, units: {}, costMicros, nowMs },
      ])
    }
    tx.notify(spendFreed)
  }
  await durably(deps, work, record, (reader) => hasEnded(reader, row))
  deps.onEnded(row.kind, 'FAILED')
  if (row.attempts > 0) report(deps, work, { outcome, units: {}, costMicros, nowMs })
}

/** Nothing was sent, and nothing will be. */
export async function recordCancelled(deps: TaskDeps, work: TaskWork): Promise<void> {
  const { row, claim } = work
  const nowMs = deps.clock.nowMs()
  const nothing = { media: null, error: null, costMicros: null }
  const record = (tx: Tx) => finishTask(tx, claim, { status: 'CANCELLED', ...nothing, nowMs })
  await durably(deps, work, record, (reader) => hasEnded(reader, row))
  deps.onEnded(row.kind, 'CANCELLED')
}

/** Stage and ledger change together: after a crash here it is still known that nothing was accepted. */
export async function recordRefusal(deps: TaskDeps, work: TaskWork): Promise<void> {
  const { clock } = deps
  const { row, claim } = work
  const refused = {
    attempt: attemptId(row.id, row.attempts),
    outcome: 'REJECTED' as const,
    units: {},
    costMicros: 0,
    nowMs: clock.nowMs(),
  }
  const record = async (tx: Tx) => {
    await markUnsubmitted(tx, claim)
    await settleAttempts(tx, [refused])
  }
  const isMade = async (reader: Reader) =>
    (await outcomeOf(reader, refused.attempt)) === refused.outcome
  await durably(deps, work, record, isMade)
  row.stage = 'READY'
  report(deps, work, refused)
}

function report(
  { catalogue, onSettled }: TaskDeps,
  { row }: TaskWork,
  { outcome, units, costMicros, nowMs }: Omit<Settlement, 'attempt'>,
): void {
  const model = row.served_by ?? row.model
  onSettled?.({
    provider: catalogue.known(model)?.provider ?? 'unknown',
    ...{ model, outcome, units, costMicros },
    ...{ runId: row.run_id, nodeId: row.node_id, taskId: row.id },
    operation: row.kind === 'IMAGE' ? 'image' : 'video',
    elapsedMs: nowMs - (row.submitted_at ?? nowMs),
  })
}

export async function postpone(
  deps: TaskDeps,
  work: TaskWork,
  error: ProviderError,
): Promise<void> {
  const pauseMs = backoffMs[Math.min(work.row.attempts, backoffMs.length) - 1] ?? backoffMs[0] ?? 0
  const waitMs = Math.max(error.retryAfterMs ?? 0, pauseMs * (0.8 + 0.4 * deps.random()))
  // It comes back at its time limit at the latest, however long the provider asks to wait.
  const runAtMs = Math.min(Math.round(deps.clock.nowMs() + waitMs), work.row.deadline_at)
  await deps.db.transaction((tx) => releaseUntil(tx, work.claim, runAtMs))
}
