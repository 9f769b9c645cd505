import { Type } from '#core/schema.ts'
import { insertWorkflow } from '#store/tables/workflows.ts'
import { answer } from '../../operation.ts'
import { Closed, NamedRecord, Nullable } from '../../schemas.ts'
import { apiPrefix, defineOperation } from '../context.ts'
import { audited, numberAndName } from './audited.ts'
import { requireValid } from './examine-graph.ts'
import { etagOf } from './if-match.ts'
import {
  CanvasScale,
  createdHeaders,
  GraphShape,
  graphIssueCodes,
  Name,
  readOnlyMembers,
  toRecord,
  Workflow,
  workflowBodyBytes,
} from './workflow-record.ts'

export const createWorkflow = defineOperation({
  id: 'createWorkflow',
  route: 'POST /workflows',
  summary: 'Store a new workflow',
  description: 'An invalid graph is refused with a list of all its problems.',
  scope: 'workflows:write',
  bodyLimitBytes: workflowBodyBytes,
  bodyFailure: 'WORKFLOW_INVALID',
  issueCodes: graphIssueCodes,
  body: NamedRecord('NewWorkflow', {
    name: Name,
    data: GraphShape,
    canvasScale: Type.Optional(Nullable(CanvasScale)),
    ...readOnlyMembers,
  }),
  tool: {
    name: 'svc_create_workflow',
    description:
      'Store a new workflow: a graph of nodes and connections. Only with the authorization of the user. Validate the graph first with svc_validate_workflow; use the model identifiers of svc_list_models. There is no idempotency key: after a time-out, check with svc_list_workflows before creating it again.',
    arguments: Closed({
      name: Name,
      data: GraphShape,
      canvasScale: Type.Optional(Nullable(CanvasScale)),
    }),
  },
  success: { 200: { description: 'Created', data: Workflow, headers: createdHeaders } },
  errors: ['WORKFLOW_INVALID'],
  repeatable: false,
  ifUnknown: 'List your workflows, newest first: it is there if it was created.',
  async handle(context, { body }) {
    const { services, principal } = context
    const { validation } = await requireValid(context, body.data, null)
    const recorded = audited(context, 'workflow.created', numberAndName)
    const row = await insertWorkflow(recorded, {
      accountId: principal.accountId,
      name: body.name.trim(),
      canvasScale: body.canvasScale ?? null,
      data: JSON.stringify(body.data),
      nodeCount: validation.nodeCount,
      connectionCount: validation.connectionCount,
      author: { userId: principal.userId, keyId: principal.keyId },
      nowMs: services.clock.nowMs(),
    })
    return answer(toRecord(row, body.data), {
      headers: { Location: `${apiPrefix}/workflows/${row.id}`, ETag: etagOf(row.version) },
    })
  },
})
