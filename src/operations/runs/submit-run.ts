import { toRfc3339 } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import { retryAfterSeconds } from '#core/poll-advice.ts'
import { isTerminal } from '#core/run-states.ts'
import { apiPrefix, type Context } from '#operations/context.ts'
import { type Answer, answer } from '#operations/operation.ts'
import { findRunByKey, type KnownKey } from '#store/tables/runs.ts'
import { keyReused, type RunOrder } from './store-submissions.ts'

const undecidedMs = 2_000

/** The run this key started before; another content under the same key is refused. */
export async function findReplay(
  { services, principal }: Context,
  workflowId: number,
  key: string,
  fingerprint: string,
): Promise<KnownKey | undefined> {
  const known = await findRunByKey(services.db, principal.accountId, workflowId, key)
  if (known && known.fingerprint !== fingerprint) throw keyReused(known)
  return known
}

/** Answers within two seconds, also where the store cannot decide so fast. */
export async function submitRun({ services, principal }: Context, order: RunOrder) {
  let timer: NodeJS.Timeout | undefined
  const undecided = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new Failure('IDEMPOTENCY_IN_PROGRESS', { retryAfterSeconds: 1 }))
    timer = setTimeout(giveUp, undecidedMs)
  })
  try {
    return await Promise.race([services.runs.intake.submit(principal, order), undecided])
  } finally {
    clearTimeout(timer)
  }
}

export function submitted({ services }: Context, run: KnownKey, isReplay: boolean): Answer {
  const ageMs = services.clock.nowMs() - run.created_at
  const advice = retryAfterSeconds(ageMs, { isTerminal: isTerminal(run.status) })
  return answer(
    {
      runId: run.id,
      workflowId: run.workflow_id,
      status: run.status,
      createdAt: toRfc3339(run.created_at),
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
