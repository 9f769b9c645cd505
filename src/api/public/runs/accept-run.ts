import { after, toRfc3339 } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import type { Principal } from '#core/principal.ts'
import { keyReused, type RunSubmission, type SubmittedRun } from '#core/run-submission.ts'
import { findRunByKey } from '#store/tables/runs.ts'
import { type Answer, answer } from '../../operation.ts'
import { apiPrefix, type Context, type Services } from '../context.ts'
import { adviceFor } from './show-run.ts'

const undecidedMs = 2_000

/** The run that this key has already started, once it is on disk. Throws if the content differs. */
export async function findReplay(
  { services, principal }: { services: Services; principal: Pick<Principal, 'accountId'> },
  workflowId: number,
  key: string,
  fingerprint: string,
): Promise<SubmittedRun | undefined> {
  const known = await findRunByKey(services.db, principal.accountId, workflowId, key)
  if (!known) return undefined
  await services.db.synced()
  const { id, status, created_at: createdAtMs, wake_at: wakeAtMs } = known
  if (known.fingerprint !== fingerprint) throw keyReused(id)
  return { id, workflowId, status, createdAtMs, wakeAtMs, isNew: false }
}

/**
 * A duplicate is refused after two seconds if the first submission is still undecided. The first
 * one itself waits as long as a request may take.
 */
export function submitRun(
  { services, principal }: Context,
  submission: Omit<RunSubmission, 'principal'>,
): Promise<SubmittedRun> {
  return new Promise((resolve, reject) => {
    let cancel = () => {}
    const refuse = () => reject(new Failure('IDEMPOTENCY_IN_PROGRESS', { retryAfterSeconds: 1 }))
    const onDuplicate = () => {
      cancel()
      cancel = after(undecidedMs, refuse)
    }
    const submitted = services.runs.submit({ principal, ...submission, onDuplicate })
    submitted.then(resolve, reject).finally(() => cancel())
  })
}

export function submitted({ services }: Context, run: SubmittedRun): Answer {
  const { status, createdAtMs: created_at, wakeAtMs: wake_at = null } = run
  const isReplay = !run.isNew
  const advice = adviceFor({ status, created_at, wake_at }, services.clock.nowMs())
  return answer(
    {
      runId: run.id,
      workflowId: run.workflowId,
      status: run.status,
      createdAt: toRfc3339(run.createdAtMs),
      idempotentReplay: isReplay,
      retryAfterSeconds: advice,
    },
    {
      status: isReplay ? 200 : 202,
      headers: {
        Location: `${apiPrefix}/workflow-runs/${run.id}`,
        'Retry-After': String(advice),
        ...(isReplay ? { 'Idempotent-Replayed': 'true' } : {}),
      },
    },
  )
}
