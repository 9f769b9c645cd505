import { Failure } from '#core/errors.ts'
import { defineOperation } from '#operations/context.ts'
import { answer } from '#operations/operation.ts'
import { Closed, pageOf, pageQuery, toPage, WorkflowId } from '#operations/schemas.ts'
import { findWorkflow } from '#store/workflows.ts'
import { RunSummary } from './run-record.ts'

export const listWorkflowRuns = defineOperation({
  id: 'listWorkflowRuns',
  route: 'GET /workflows/{workflowId}/runs',
  summary: 'List the runs of a workflow, newest first',
  scope: 'runs:read',
  params: Closed({ workflowId: WorkflowId }),
  query: pageQuery(200),
  tool: {
    name: 'svc_list_workflow_runs',
    description: 'List the runs of a workflow, newest first.',
    arguments: Closed({ workflowId: WorkflowId }),
  },
  success: { 200: { description: 'A page of runs', data: pageOf(RunSummary) } },
  errors: ['WORKFLOW_NOT_FOUND'],
  repeatable: true,
  async handle({ services, principal }, { params, query: { page = 1, size = 200 } }) {
    if (!(await findWorkflow(services.db, principal.accountId, params.workflowId))) {
      throw new Failure('WORKFLOW_NOT_FOUND')
    }
    return answer(toPage([], page, size, 0))
  },
})
