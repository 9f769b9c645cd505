// Everything that reads triggers and their firings.
import { Type } from '#core/schema.ts'
import { lastFirings, listFirings as readFirings } from '#store/tables/firings.ts'
import { listTriggers as readTriggers } from '#store/tables/triggers.ts'
import { seriesNames } from '#store/tables/usage.ts'
import { Named } from '../../named.ts'
import { answer } from '../../operation.ts'
import { Closed, Nullable, Uuid, WorkflowId } from '../../schemas.ts'
import { type Context, defineOperation } from '../context.ts'
import { requireWorkflow } from '../workflows/examine-graph.ts'
import { requireTrigger, showTrigger } from './store-trigger.ts'
import { Firing, Trigger, toFiring, toTrigger, triggerParams } from './trigger-record.ts'

const listQuery = Type.Object({
  cursor: Type.Optional(Uuid('`next` of the previous answer.')),
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
})
const next = Nullable(
  Type.String({ description: '`cursor` of the items after these; null at the end.' }),
)
const TriggerList = Named('TriggerList', Closed({ items: Type.Array(Trigger), next }))
const FiringList = Named('FiringList', Closed({ items: Type.Array(Firing), next }))

const nextOf = <Item extends { id: string }>(rows: readonly Item[], size: number) =>
  rows.length > size ? (rows[size - 1]?.id ?? null) : null

async function listAll(
  { services, principal }: Context,
  workflowId: number | null,
  { cursor, size = 50 }: { cursor?: string; size?: number },
) {
  const { accountId } = principal
  const before = cursor?.toLowerCase() ?? null
  const rows = await readTriggers(services.db, accountId, { workflowId, before, limit: size + 1 })
  const shown = rows.slice(0, size)
  const ids = shown.map(({ id }) => id)
  const workflowIds = new Set(shown.map((row) => String(row.workflow_id)))
  const [firings, names, nowMs] = await Promise.all([
    lastFirings(services.db, accountId, ids),
    seriesNames(services.db, accountId, 'workflow', [...workflowIds]),
    services.triggers.now(),
  ])
  const last = new Map(firings.map((firing) => [firing.trigger_id, firing]))
  const items = shown.map((row) => ({
    ...toTrigger(row, { nowMs, last: last.get(row.id) }),
    workflowName: names.get(String(row.workflow_id)) ?? '',
  }))
  return answer({ items, next: nextOf(rows, size) })
}

export const listTriggers = defineOperation({
  id: 'listTriggers',
  route: 'GET /triggers',
  summary: 'List the triggers of all workflows, newest first',
  scope: 'workflows:read',
  query: listQuery,
  success: { 200: { description: 'A part of the list', data: TriggerList } },
  handle: (context, { query }) => listAll(context, null, query),
})

export const listWorkflowTriggers = defineOperation({
  id: 'listWorkflowTriggers',
  route: 'GET /workflows/{workflowId}/triggers',
  summary: 'List the triggers of a workflow, newest first',
  scope: 'workflows:read',
  params: Closed({ workflowId: WorkflowId }),
  query: listQuery,
  success: { 200: { description: 'A part of the list', data: TriggerList } },
  errors: ['WORKFLOW_NOT_FOUND'],
  async handle(context, { params: { workflowId }, query }) {
    await requireWorkflow(context, workflowId)
    return listAll(context, workflowId, query)
  },
})

export const getTrigger = defineOperation({
  id: 'getTrigger',
  route: 'GET /workflows/{workflowId}/triggers/{triggerId}',
  summary: 'Read a trigger',
  scope: 'workflows:read',
  params: triggerParams,
  success: { 200: { description: 'The trigger', data: Trigger } },
  errors: ['TRIGGER_NOT_FOUND'],
  handle: async (context, { params }) =>
    answer(await showTrigger(context, await requireTrigger(context, params))),
})

export const listFirings = defineOperation({
  id: 'listFirings',
  route: 'GET /workflows/{workflowId}/triggers/{triggerId}/firings',
  summary: 'List the firings of a trigger, newest first, each with its run or why there is none',
  scope: 'runs:read',
  params: triggerParams,
  query: listQuery,
  success: { 200: { description: 'A part of the list', data: FiringList } },
  errors: ['TRIGGER_NOT_FOUND'],
  async handle(context, { params, query: { cursor, size = 50 } }) {
    const { id: triggerId, account_id: accountId } = await requireTrigger(context, params)
    const before = cursor?.toLowerCase() ?? null
    const of = { accountId, triggerId }
    const rows = await readFirings(context.services.db, of, { before, limit: size + 1 })
    return answer({ items: rows.slice(0, size).map(toFiring), next: nextOf(rows, size) })
  },
})
