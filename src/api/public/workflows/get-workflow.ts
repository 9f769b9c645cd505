import { answer } from '../../operation.ts'
import { Closed, WorkflowId } from '../../schemas.ts'
import { defineOperation } from '../context.ts'
import { requireWorkflow } from './examine-graph.ts'
import { etagOf } from './if-match.ts'
import { etagHeader, toRecord, Workflow } from './workflow-record.ts'

export const getWorkflow = defineOperation({
  id: 'getWorkflow',
  route: 'GET /workflows/{workflowId}',
  summary: 'Read a workflow with its graph',
  scope: 'workflows:read',
  params: Closed({ workflowId: WorkflowId }),
  tool: {
    name: 'svc_get_workflow',
    description:
      'Read one workflow with its nodes and connections. Read it before changing or deleting it.',
  },
  success: { 200: { description: 'The workflow', data: Workflow, headers: etagHeader } },
  errors: ['WORKFLOW_NOT_FOUND'],
  async handle(context, { params: { workflowId } }) {
    const row = await requireWorkflow(context, workflowId)
    return answer(toRecord(row, row.data.value), { headers: { ETag: etagOf(row.version) } })
  },
})
