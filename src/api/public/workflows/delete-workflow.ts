import { Type } from '#core/schema.ts'
import { deleteWorkflow as removeWorkflow } from '#store/tables/workflow-ends.ts'
import { answer } from '../../operation.ts'
import { Closed, NamedRecord, WorkflowId } from '../../schemas.ts'
import { defineOperation } from '../context.ts'
import { audited } from './audited.ts'
import { requireWorkflow } from './examine-graph.ts'
import { changed, ifMatchHeader, matchVersion, readIfMatch } from './if-match.ts'

export const deleteWorkflow = defineOperation({
  id: 'deleteWorkflow',
  route: 'DELETE /workflows/{workflowId}',
  summary: 'Delete a workflow permanently',
  description: 'Runs already started continue and keep their history.',
  scope: 'workflows:write',
  params: Closed({ workflowId: WorkflowId }),
  requestHeaders: ifMatchHeader,
  checkHeaders: (headerValues) => void readIfMatch(headerValues),
  tool: {
    name: 'svc_delete_workflow',
    description:
      'Delete a workflow permanently. Only with the authorization of the user, and only with the exact workflow ID they mean: it cannot be undone. After a time-out the call may be repeated; WORKFLOW_NOT_FOUND then means that it is gone.',
  },
  success: {
    200: {
      description: 'Deleted',
      data: NamedRecord('DeletedWorkflow', {
        id: WorkflowId,
        workflowId: WorkflowId,
        deleted: Type.Literal(true),
      }),
    },
  },
  errors: ['WORKFLOW_NOT_FOUND', 'PRECONDITION_FAILED'],
  repeatable: true,
  async handle(context, { params: { workflowId } }) {
    const { services, principal } = context
    const condition = readIfMatch(context.headerValues)
    const stored = await requireWorkflow(context, workflowId)
    const ifVersion = matchVersion(condition, stored.version)
    const recorded = audited(context, 'workflow.deleted', (made) =>
      made === true ? `${workflowId} ${stored.name}` : null,
    )
    const isDeleted = await removeWorkflow(recorded, {
      accountId: principal.accountId,
      id: workflowId,
      ifVersion,
      nowMs: services.clock.nowMs(),
    })
    if (!isDeleted) throw changed((await requireWorkflow(context, workflowId)).version)
    return answer({ id: workflowId, workflowId, deleted: true })
  },
})
