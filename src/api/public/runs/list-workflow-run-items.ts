import { Failure } from '#core/errors.ts'
import { type NodeStatus, nodeStatuses } from '#core/run-nodes.ts'
import { Type } from '#core/schema.ts'
import { findRun } from '#store/tables/runs.ts'
import { Named } from '../../named.ts'
import { type Answer, answer } from '../../operation.ts'
import { Closed, Money, NamedRecord, Nullable, OneOf, Timestamp, Uuid } from '../../schemas.ts'
import { type Context, defineOperation } from '../context.ts'
import { pageOf, pageQuery, readFrom, toPage } from '../list-page.ts'
import {
  countItems,
  findInside,
  innerRecord,
  isLoop,
  itemOf,
  stepsByChild,
  stepsUnder,
} from './run-inside.ts'

export const RunItem = NamedRecord('RunItem', {
  index: Type.Integer({ minimum: 0, description: 'Position in the list, or number of the pass.' }),
  path: Type.String({ description: 'Path of the item, such as write[3].' }),
  status: OneOf(nodeStatuses),
  attempts: Type.Integer({ minimum: 0, description: 'Of the call that needed most.' }),
  startedAt: Nullable(Timestamp),
  completedAt: Nullable(Timestamp),
  cost: Nullable(Money),
  error: Nullable(
    Closed({ code: Type.String(), message: Type.String(), retryable: Type.Boolean() }),
  ),
})

const defaultSize = 50

export const itemsQuery = Type.Object({
  path: Type.String({
    minLength: 1,
    maxLength: 1_000,
    description: 'The node, or its path inside called workflows: write, call/write, call[3]/write.',
  }),
  status: Type.Optional(OneOf(nodeStatuses, 'Only items of this state.')),
  ...pageQuery(defaultSize).properties,
})

export const RunItemPage = Named('RunItemPage', pageOf(RunItem))

export const listWorkflowRunItems = defineOperation({
  id: 'listWorkflowRunItems',
  route: 'GET /workflow-runs/{runId}/items',
  summary: 'List the items of a list in a run, or the passes of a loop',
  description:
    'With state, cost and error of each, in order. Items that make no calls have no times.',
  scope: 'runs:read',
  params: Closed({ runId: Uuid('Identifier of the run.') }),
  query: itemsQuery,
  success: { 200: { description: 'A page of items', data: RunItemPage } },
  errors: ['RUN_NOT_FOUND', 'NODE_NOT_FOUND'],
  handle: (context, { params: { runId }, query }) => showItems(context, runId, query),
})

type Query = { path: string; status?: NodeStatus; page?: number; size?: number; cursor?: string }

/** Also what the console's own operation does, for a signed-in person. */
export async function showItems(
  { services: { db, runs }, principal }: Context,
  runId: string,
  { path, status, ...position }: Query,
): Promise<Answer> {
  const from = readFrom(position, { defaultSize, numbers: 1 })
  const row = await findRun(db, principal.accountId, runId)
  if (!row) throw new Failure('RUN_NOT_FOUND')
  const steps = await runs.stepsOf(row.id)
  const run = await runs.reconstruct(row, row.started_at === null ? [] : steps, path)
  const inside = findInside(run, path)
  if (!inside || !isLoop(inside.type)) throw new Failure('NODE_NOT_FOUND')
  const byItem = stepsByChild(path, stepsUnder(path, steps))
  const recordOf = (index: number) => {
    const item = itemOf(inside, `[${index}]`) ?? inside
    const {
      type: _,
      label: __,
      ...record
    } = innerRecord(...([row, run, item, byItem.get(item.path) ?? []] as const))
    return { index, ...record }
  }
  const count = countItems(run, inside, byItem.keys())
  const all = Array.from({ length: count }, (_, index) => index)
  const wanted =
    status === undefined ? all : all.filter((index) => recordOf(index).status === status)
  const first = from.after?.[0] ?? -1
  const start = from.after
    ? wanted.findIndex((index) => index > first)
    : (from.page - 1) * from.size
  const shown = start < 0 ? [] : wanted.slice(start, start + from.size)
  const last = shown.at(-1)
  const hasMore = last !== undefined && last !== wanted.at(-1)
  return answer(
    toPage(shown.map(recordOf), from, { total: wanted.length, next: hasMore ? [last] : null }),
  )
}
