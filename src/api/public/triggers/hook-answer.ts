import type { FiringRow } from '#store/tables/firings.ts'
import { findRun, type RunRow } from '#store/tables/runs.ts'
import type { TriggerRow } from '#store/tables/triggers.ts'
import { type Answer, answer } from '../../operation.ts'
import type { Services } from '../context.ts'

/** A request to a webhook, the trigger that it is for, and until when it is to be answered. */
export type Hook = { services: Services; trigger: TriggerRow; untilMs: number }

/** Once the firing is stored: its run, or with `respond: result` how that run ended. */
export async function hookAnswer(
  { services, trigger, untilMs }: Hook,
  firing: FiringRow,
): Promise<Answer> {
  const { settings, account_id: accountId } = trigger
  const { id: firingId, run_id: runId, reason } = firing
  const accepted = answer({ firingId, runId, ...(reason ? { reason } : {}) }, { status: 202 })
  if (settings.respond !== 'result' || runId === null) return accepted
  const hasEnded = await services.triggers.awaitRun(runId, untilMs)
  const run = hasEnded ? await findRun(services.db, accountId, runId) : undefined
  if (!run || run.completed_at === null) return accepted
  // An end may be read before it is on disk.
  await services.db.synced()
  return answer(await resultOf(services, run))
}

/** Whatever the end: an error status would only make the sender repeat the request. */
async function resultOf({ runs }: Services, run: RunRow) {
  const { id: runId, account_id: accountId, status, outputs, node_errors: nodeErrors } = run
  if (status !== 'COMPLETED') return { runId, status, nodeErrors: nodeErrors ?? [] }
  const value = outputs === null ? {} : await runs.payloads.read(accountId, outputs)
  return { runId, status, outputs: await runs.refreshMedia(accountId, value) }
}
