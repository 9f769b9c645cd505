import { isBudgeted } from '#core/budgets.ts'
import type { Clock } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import type { Spender } from '#core/generation.ts'
import { sequencedUuid } from '#core/ids.ts'
import { keyReused, type PendingSubmission, type RunSubmission } from '#core/run-submission.ts'
import type { DoneStep } from '#core/step-states.ts'
import type { Answer, KnownKey, ListState, MadeRuns, NewRun } from '#store/engine-store.ts'

type Limits = { clock: Clock; maxQueued: number; queueTimeoutMs: number }

/** Makes runs for keys that have none yet, as far as there is room. */
export function makeRuns(
  limits: Limits,
  byKey: ReadonlyMap<string, readonly PendingSubmission[]>,
  { known, room, firstSeq, createdAtMs }: ListState,
): MadeRuns {
  const runs = new Map(known.map((run) => [run.idempotency_key, run]))
  const made = new Set<PendingSubmission>()
  const rows: NewRun[] = []
  const steps: DoneStep[] = []
  for (const [key, [entry]] of byKey) {
    if (!entry || runs.has(key) || rows.length === room) continue
    const row = toRow(limits, entry.item.submission, { seq: firstSeq + rows.length, createdAtMs })
    rows.push(row)
    steps.push(...reusedSteps(entry.item.submission, row.id))
    made.add(entry)
    runs.set(key, { ...row, status: 'QUEUED', completed_at: null, wake_at: null })
  }
  const answers = [...byKey.values()]
    .flat()
    .map((entry) => answerOf(entry, runs, made.has(entry), limits.maxQueued))
  return { rows, steps, answers }
}

function toRow(
  { clock, queueTimeoutMs }: Limits,
  { principal, workflow, ...submission }: RunSubmission,
  { seq, createdAtMs }: { seq: number; createdAtMs: number },
): NewRun {
  const {
    accountId,
    userId = null,
    keyId,
    limits,
    accountSpendPerMonthMicros,
    standIns,
    tag,
  } = principal
  // created_at never decreases within a list, so it may be ahead of the clock. The times that
  // schedule work use the clock itself, so that this does not delay them.
  const nowMs = clock.nowMs()
  const deadlineMs = submission.options?.deadlineMs
  return {
    id: sequencedUuid(createdAtMs, seq),
    account_id: accountId,
    workflow_id: workflow.id,
    seq,
    spender: {
      ...{ keyId, userId, limits, accountSpendPerMonthMicros },
      ...(standIns ? { standIns } : {}),
      ...(tag === undefined ? {} : { tag }),
      ...(isBudgetedNow(principal) ? { isBudgeted: true } : {}),
      ...(submission.routes ? { routes: submission.routes } : {}),
    },
    workflow_name: workflow.name,
    workflow_version: workflow.version,
    data_version: workflow.dataVersion,
    called: submission.called,
    node_count: submission.nodeCount,
    inputs: submission.inputs,
    metadata: submission.metadata,
    callback_url: submission.callbackUrl,
    callback_events: submission.callbackEvents ?? null,
    max_cost_micros: submission.maxCostMicros,
    options: submission.options ?? null,
    idempotency_key: submission.key,
    fingerprint: submission.fingerprint,
    retry_of: submission.retryOf,
    created_at: createdAtMs,
    run_at: nowMs,
    deadline_at: deadlineMs ?? nowMs + queueTimeoutMs,
    must_end_by: deadlineMs ?? null,
  }
}

/** Not the budgets themselves: they are looked up for each call, and may be many. */
const isBudgetedNow = ({ spending, ...spender }: Spender): boolean =>
  spending !== undefined && isBudgeted(spender, spending)

const reusedSteps = ({ steps = [] }: RunSubmission, runId: string): DoneStep[] =>
  steps.map(({ path, kind, attempts, startedAtMs, endedAtMs, taskId, result }) => ({
    run_id: runId,
    path,
    kind,
    status: 'DONE',
    attempts,
    started_at: startedAtMs,
    ended_at: endedAtMs,
    task_id: taskId,
    result,
    error: null,
    cost_micros: null,
  }))

function answerOf(
  { item: { submission }, resolve, reject }: PendingSubmission,
  runs: ReadonlyMap<string, KnownKey>,
  isNew: boolean,
  maxQueued: number,
): Answer {
  const run = runs.get(submission.key)
  if (!run) {
    const message = `At most ${maxQueued} runs of an account may wait.`
    return () => reject(new Failure('QUOTA_EXCEEDED', { message, retryAfterSeconds: 15 }))
  }
  const { id, workflow_id: workflowId, status, created_at: createdAtMs } = run
  if (run.fingerprint !== submission.fingerprint) return () => reject(keyReused(id))
  return () => resolve({ id, workflowId, status, createdAtMs, isNew })
}
