import { Failure } from '#core/errors.ts'
import { callbacksOf } from '#store/tables/deliveries.ts'
import { findWorkflowHead, listRuns } from '#store/tables/runs.ts'
import { Named } from '../../named.ts'
import { answer } from '../../operation.ts'
import { Closed, WorkflowId } from '../../schemas.ts'
import { defineOperation } from '../context.ts'
import { pageOf, pageQuery, readFrom, toPage } from '../list-page.ts'
import { RunSummary } from './run-record.ts'
import { summaryOf } from './show-run.ts'

export const listWorkflowRuns = defineOperation({
  id: 'listWorkflowRuns',
  route: 'GET /workflows/{workflowId}/runs',
  summary: 'List the runs of a workflow, newest first',
  scope: 'runs:read',
  params: Closed({ workflowId: WorkflowId }),
  query: pageQuery(200),
  tool: {
    name: 'svc_list_workflow_runs',
    description:
      'List the runs of a workflow, newest first, without their outputs. Use it to find a runId again; read the run with svc_get_workflow_run.',
    arguments: Closed({ workflowId: WorkflowId }),
  },
  success: { 200: { description: 'A page of runs', data: Named('RunPage', pageOf(RunSummary)) } },
  errors: ['WORKFLOW_NOT_FOUND'],
  async handle({ services, principal }, { params, query }) {
    const { db, clock } = services
    const from = readFrom(query, { defaultSize: 200, numbers: 1 })
    if (!(await findWorkflowHead(db, principal.accountId, params.workflowId))) {
      throw new Failure('WORKFLOW_NOT_FOUND')
    }
    const { rows, ...position } = await listRuns(db, principal.accountId, params.workflowId, from)
    const withWebhook = rows.filter((row) => row.callback_url !== null).map((row) => row.id)
    const callbacks = await callbacksOf(db, withWebhook)
    const nowMs = clock.nowMs()
    const items = rows.map((row) => {
      const callback = callbacks.get(row.id)
      return summaryOf(row, { nowMs, ...(callback ? { callback } : {}) })
    })
    return answer(toPage(items, from, position))
  },
})
