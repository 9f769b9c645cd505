import { Failure } from '#core/errors.ts'
import { newNode } from '#core/run-nodes.ts'
import { type Context, defineOperation } from '#operations/context.ts'
import { answer } from '#operations/operation.ts'
import { Closed, retryAfterHeader, Uuid } from '#operations/schemas.ts'
import { callbacksOf } from '#store/deliveries.ts'
import { findRun, hasCallsInFlight, type RunRow } from '#store/runs.ts'
import { Run } from './run-record.ts'
import { nodeHeads, nodeRecord, progressOf, summaryOf } from './show-run.ts'

export const getWorkflowRun = defineOperation({
  id: 'getWorkflowRun',
  route: 'GET /workflow-runs/{runId}',
  summary: 'Read the state of a run',
  scope: 'runs:read',
  params: Closed({ runId: Uuid('Identifier of the run.') }),
  tool: {
    name: 'svc_get_workflow_run',
    description:
      'Read a run. Wait retryAfterSeconds between calls until status is COMPLETED (read outputs), FAILED (read nodeErrors) or CANCELLED. Reading is free and may be repeated.',
  },
  success: { 200: { description: 'The run', data: Run, headers: retryAfterHeader } },
  errors: ['RUN_NOT_FOUND'],
  repeatable: true,
  async handle(context, { params: { runId } }) {
    const { services, principal } = context
    const row = await findRun(services.db, principal.accountId, runId)
    if (!row) throw new Failure('RUN_NOT_FOUND')
    const callbacks = row.callback_url === null ? null : await callbacksOf(services.db, [row.id])
    const callback = callbacks?.get(row.id)
    const summary = summaryOf(row, {
      nowMs: services.clock.nowMs(),
      ...(callback ? { callback } : {}),
      inFlight: await mayStillFinish(context, row),
    })
    const heads = await nodeHeads(context, row)
    const progress = progressOf(row)
    const run = {
      ...summary,
      outputs: await outputsOf(context, row),
      nodes: heads.map((head, i) => nodeRecord(head, progress[i] ?? newNode())),
    }
    return answer(run, { headers: { 'Retry-After': String(summary.retryAfterSeconds) } })
  },
})

export const mayStillFinish = async ({ services }: Context, row: RunRow): Promise<boolean> =>
  row.in_flight === 1 ||
  (row.status === 'CANCEL_REQUESTED' && (await hasCallsInFlight(services.db, row.id)))

async function outputsOf({ services }: Context, row: RunRow): Promise<unknown> {
  const { account_id, outputs } = row
  if (outputs === null) return null
  const json = await services.runs.payloads.get(account_id, outputs)
  return services.runs.refreshMedia(account_id, JSON.parse(json))
}
