// Every write of a task's execution. Each names the claim, so that a worker that lost the task
// changes nothing; task and ledger change together, so that after a crash they agree.

import { type CatalogueEntry, withStandIn } from '#core/catalogue.ts'
import { delay } from '#core/clock.ts'
import type { CallDelay } from '#core/delayed-call.ts'
import type { TaskRequest } from '#core/generation.ts'
import { Stopping } from '#core/interruptions.ts'
import type { Via } from '#core/route.ts'
import type { JobRef, ProviderError } from '#providers/provider.ts'
import {
  type Attempt,
  CommitUnknown,
  type Retry,
  type Settlement,
  StoreUnavailable,
  type TaskRow,
} from '#store/engine-store.ts'
import { isRateLimit, type TaskError } from '../calls/provider-failure.ts'
import { attemptId, mostMicros, type TaskDeps, type TaskWork } from './task-work.ts'

const backoffMs = [2_000, 8_000]
const storePauseMs = 500

/** Durable before the call is made. Throws RunStopped if the call must not be made any more. */
export async function recordIntent(
  deps: TaskDeps,
  work: TaskWork,
  { entry, credential }: { entry: CatalogueEntry; credential?: string | undefined },
) {
  const { row } = work
  if (work.stopping.aborted) throw new Stopping()
  const nowMs = deps.clock.nowMs()
  const { pricing } = entry.model
  const attempt: Attempt = {
    attempt: attemptId(row.id, row.attempts + 1),
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
    reservedMicros: reservedFor(work, mostMicros(row.kind, work.request, entry.model) ?? 0),
    createdAtMs: nowMs,
    tag: row.tag ?? undefined,
    via: viaOf(
      { ...row, attempts: row.attempts + 1, deployment: entry.deployment ?? null },
      work.request,
    ),
  }
  // It must be certain whether the intent is stored: the call is made only if it is, and an intent
  // without a call would count as a call with an unknown outcome.
  await durably(deps, work, (retry) => deps.tasks.begin(work, attempt, retry))
  row.attempts += 1
  row.stage = 'SUBMITTING'
  row.served_by = entry.model.id
  row.deployment = entry.deployment ?? null
  row.submitted_at = nowMs
}

/** Under a limit the dearest candidate stays reserved: the next one may be that. */
const reservedFor = ({ row, request }: TaskWork, ownMicros: number): number =>
  request.isCostLimited ? Math.max(ownMicros, row.reserved_micros) : ownMicros

/** Of the last attempt. */
function viaOf(
  { id, attempts, deployment }: Pick<TaskRow, 'id' | 'attempts' | 'deployment'>,
  { route }: Pick<TaskRequest, 'route'>,
): Via | undefined {
  if (!route && deployment === null) return undefined
  const key = deployment === null ? {} : { deployment }
  return { ...key, route: route?.name, number: attempts, first: attemptId(id, 1) }
}

/** Durable before the first poll. */
export async function recordJob(deps: TaskDeps, work: TaskWork, ref: JobRef) {
  const jobRef = JSON.stringify(ref)
  await durably(deps, work, (retry) => deps.tasks.accepted(work, jobRef, retry))
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
  const { tasks, clock, onEnded } = deps
  const { row } = work
  const { media, error, units, costMicros, remark, outcome = 'SUCCEEDED' } = end
  const status = error ? 'FAILED' : 'COMPLETED'
  const nowMs = clock.nowMs()
  const attempt = attemptId(row.id, row.attempts)
  const settlement = { attempt, outcome, units, costMicros, nowMs, remark }
  const ended = { status, media, error: error && JSON.stringify(error), costMicros, nowMs } as const
  await durably(deps, work, (retry) => tasks.end(work, ended, settlement, retry))
  onEnded(row.kind, status)
  report(deps, work, { outcome: 'SUCCEEDED', units, costMicros, nowMs })
}

/**
 * A short outage of the store must not lose what is already paid for. If the answer to a commit was
 * lost, the store looks before anything is written again: a second write would find that the task
 * is no longer ours.
 */
async function durably(
  { clock }: TaskDeps,
  { lost }: TaskWork,
  write: (retry: Retry) => Promise<void>,
): Promise<void> {
  for (let mayBeMade = false; ; ) {
    try {
      return await write({ mayBeMade })
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      mayBeMade ||= error instanceof CommitUnknown
      await delay(storePauseMs, lost, clock)
    }
  }
}

/** REJECTED: nothing was accepted. FAILED: accepted, and the provider says it failed. */
export async function recordFailure(
  deps: TaskDeps,
  work: TaskWork,
  error: TaskError,
  outcome: 'REJECTED' | 'FAILED' | 'UNKNOWN',
): Promise<void> {
  const { row } = work
  const nowMs = deps.clock.nowMs()
  const known = deps.catalogue.known(row.served_by ?? row.model)
  const entry = known && withStandIn(known, work.request.standIns)
  // What may have been billed counts as spent until someone knows better; if the model or its price
  // is gone, as much as was reserved.
  const mostCost = mostMicros(row.kind, work.request, entry?.model) ?? (row.reserved_micros || null)
  const costMicros = outcome === 'UNKNOWN' ? mostCost : 0
  const ended = { media: null, error: JSON.stringify(error), costMicros, nowMs }
  const attempt = attemptId(row.id, row.attempts)
  const settlement = row.attempts > 0 ? { attempt, outcome, units: {}, costMicros, nowMs } : null
  await durably(deps, work, (retry) =>
    deps.tasks.end(work, { status: 'FAILED', ...ended }, settlement, retry),
  )
  deps.onEnded(row.kind, 'FAILED')
  if (settlement) report(deps, work, settlement)
}

/** Nothing was sent, and nothing will be. */
export async function recordCancelled(deps: TaskDeps, work: TaskWork): Promise<void> {
  const nothing = { media: null, error: null, costMicros: null, nowMs: deps.clock.nowMs() }
  await durably(deps, work, (retry) =>
    deps.tasks.end(work, { status: 'CANCELLED', ...nothing }, null, retry),
  )
  deps.onEnded(work.row.kind, 'CANCELLED')
}

/** Stage and ledger change together: after a crash here it is still known that nothing was accepted. */
export async function recordRefusal(deps: TaskDeps, work: TaskWork): Promise<void> {
  const { tasks, clock } = deps
  const { row } = work
  const refused = {
    attempt: attemptId(row.id, row.attempts),
    outcome: 'REJECTED' as const,
    units: {},
    costMicros: 0,
    nowMs: clock.nowMs(),
  }
  await durably(deps, work, (retry) => tasks.refused(work, refused, retry))
  row.stage = 'READY'
  report(deps, work, refused)
}

function report(
  { catalogue, onSettled }: TaskDeps,
  { row, request }: TaskWork,
  { outcome, units, costMicros, nowMs }: Omit<Settlement, 'attempt'>,
): void {
  const model = row.served_by ?? row.model
  onSettled?.({
    provider: catalogue.known(model)?.provider ?? 'unknown',
    ...{ model, outcome, units, costMicros },
    ...{ runId: row.run_id, nodeId: row.node_id, taskId: row.id },
    operation: row.kind === 'IMAGE' ? 'image' : 'video',
    via: viaOf(row, request),
    elapsedMs: nowMs - (row.submitted_at ?? nowMs),
  })
}

export async function postpone(
  deps: TaskDeps,
  work: TaskWork,
  model: string,
  error: ProviderError,
): Promise<void> {
  const pauseMs = backoffMs[Math.min(work.row.attempts, backoffMs.length) - 1] ?? backoffMs[0] ?? 0
  const waitMs = Math.max(error.retryAfterMs ?? 0, pauseMs * (0.8 + 0.4 * deps.random()))
  await postponeFor(
    deps,
    work,
    { kind: isRateLimit(error) ? 'RATE_LIMIT' : 'RETRY', model },
    waitMs,
  )
}

/** It comes back at its time limit at the latest, however long the provider asks to wait. */
export async function postponeFor(
  { clock, tasks }: TaskDeps,
  { claim, row }: TaskWork,
  delay: CallDelay,
  ms: number,
): Promise<void> {
  const sinceMs = clock.nowMs()
  const untilMs = Math.min(Math.round(sinceMs + ms), row.deadline_at)
  await tasks.postpone(claim, untilMs, { ...delay, sinceMs, untilMs })
}
