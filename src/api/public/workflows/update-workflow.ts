import { Type } from '#core/schema.ts'
import {
  updateWorkflow as changeWorkflow,
  findGraph,
  type WholeWorkflow,
  type WorkflowRow,
} from '#store/tables/workflows.ts'
import { answer } from '../../operation.ts'
import { Closed, NamedRecord, Nullable, WorkflowId } from '../../schemas.ts'
import { type Context, defineOperation } from '../context.ts'
import { audited, numberAndName } from './audited.ts'
import { requireValid, requireWorkflow } from './examine-graph.ts'
import { changed, etagOf, ifMatchHeader, matchVersion, readIfMatch } from './if-match.ts'
import {
  CanvasScale,
  etagHeader,
  GraphShape,
  graphIssueCodes,
  Name,
  readOnlyMembers,
  toRecord,
  Workflow,
  workflowBodyBytes,
} from './workflow-record.ts'

export const updateWorkflow = defineOperation({
  id: 'updateWorkflow',
  route: 'PUT /workflows/{workflowId}',
  summary: 'Change a workflow',
  description:
    'Members that are left out keep their value; at least one must be sent. Runs already started keep the graph they started with.',
  scope: 'workflows:write',
  params: Closed({ workflowId: WorkflowId }),
  requestHeaders: ifMatchHeader,
  checkHeaders: (headerValues) => void readIfMatch(headerValues),
  bodyLimitBytes: workflowBodyBytes,
  bodyFailure: 'WORKFLOW_INVALID',
  issueCodes: graphIssueCodes,
  body: NamedRecord(
    'WorkflowPatch',
    {
      name: Type.Optional(Name),
      data: Type.Optional(GraphShape),
      canvasScale: Type.Optional(Nullable(CanvasScale)),
      ...readOnlyMembers,
    },
    {
      anyOf: ['name', 'data', 'canvasScale'].map((member) => ({ required: [member] })),
    },
  ),
  tool: {
    name: 'svc_update_workflow',
    description:
      'Change the name, the graph or the zoom of a workflow; members you leave out keep their value. Only with the authorization of the user. Read the workflow first, and send a changed graph as a whole. After a time-out the same call may be repeated.',
    arguments: Closed({
      workflowId: WorkflowId,
      name: Type.Optional(Name),
      data: Type.Optional(GraphShape),
      canvasScale: Type.Optional(Nullable(CanvasScale)),
    }),
  },
  success: {
    200: { description: 'The workflow as it is now', data: Workflow, headers: etagHeader },
  },
  errors: ['WORKFLOW_NOT_FOUND', 'PRECONDITION_FAILED', 'WORKFLOW_INVALID'],
  repeatable: true,
  async handle(context, { params: { workflowId }, body }) {
    const { services, principal } = context
    const condition = readIfMatch(context.headerValues)
    const stored = await requireWorkflow(context, workflowId)
    const ifVersion = matchVersion(condition, stored.version)
    const data: unknown = body.data ?? stored.data.value
    const { validation } = await requireValid(context, data, workflowId)
    const recorded = audited(context, 'workflow.changed', numberAndName)
    const row = await changeWorkflow(recorded, {
      accountId: principal.accountId,
      id: workflowId,
      ifVersion,
      ...(body.name === undefined ? {} : { name: body.name.trim() }),
      ...(body.canvasScale === undefined ? {} : { canvasScale: body.canvasScale }),
      ...(body.data === undefined
        ? {}
        : {
            graph: {
              data: JSON.stringify(body.data),
              nodeCount: validation.nodeCount,
              connectionCount: validation.connectionCount,
            },
          }),
      author: { userId: principal.userId, keyId: principal.keyId },
      nowMs: services.clock.nowMs(),
    })
    if (!row) throw changed((await requireWorkflow(context, workflowId)).version)
    const shown = body.data ?? (await graphOf(context, row, stored))
    return answer(toRecord(row, shown), { headers: { ETag: etagOf(row.version) } })
  },
})

/** Somebody else may have stored another one since it was read, and the ETag names that one. */
async function graphOf(
  { services }: Context,
  { id, data_version }: WorkflowRow,
  read: WholeWorkflow,
): Promise<unknown> {
  if (data_version === read.data_version) return read.data.value
  return (await findGraph(services.db, id, data_version))?.value
}
