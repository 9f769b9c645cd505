import { invalid } from '#core/errors.ts'
import { uuidPattern } from '#core/ids.ts'
import { Type } from '#core/schema.ts'
import { waitScope } from '#core/scopes.ts'
import { toSearchText } from '#core/search-text.ts'
import { type KnownWait, readOpenWaits } from '#store/tables/wait-answers.ts'
import { Named } from '../../named.ts'
import { type Answer, answer } from '../../operation.ts'
import { Closed, Nullable, WorkflowId } from '../../schemas.ts'
import { type Context, defineOperation } from '../context.ts'
import { isAnswerable, shownHead } from './get-wait.ts'
import { personOf, refusalsOf } from './known-waits.ts'
import { WaitHead } from './wait-record.ts'

export const waitsQuery = Type.Object({
  mine: Type.Optional(Type.Boolean({ description: 'Only what you may decide.' })),
  workflowId: Type.Optional(WorkflowId),
  q: Type.Optional(
    Type.String({ maxLength: 200, description: 'Part of the title or of the workflow’s name.' }),
  ),
  cursor: Type.Optional(
    Type.String({ maxLength: 100, description: '`next` of the previous answer.' }),
  ),
  size: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Items per answer.' }),
  ),
})

export const WaitPage = Named(
  'WaitPage',
  Closed({
    items: Type.Array(WaitHead),
    next: Nullable(Type.String({ description: 'Cursor of the next page; null at the end.' })),
    count: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'How many match in all; 100 means 100 or more.',
    }),
  }),
)

export const listWaits = defineOperation({
  id: 'listWaits',
  route: 'GET /waits',
  summary: 'List what the runs of the account wait for, oldest first',
  description:
    'Approvals and callbacks that are open. Delays end by themselves and are not listed.',
  scope: 'runs:read',
  query: waitsQuery,
  success: { 200: { description: 'Open waits', data: WaitPage } },
  handle: (context, { query }) => showWaits(context, query),
})

type Query = { mine?: boolean; workflowId?: number; q?: string; cursor?: string; size?: number }

const maxCount = 100
/** A window is read by one index; the limit keeps a rare match from reading them all. */
const rowsPerWindow = 500
const windows = 5

/** Also what the console's own operation does, for a signed-in person. */
export async function showWaits(
  context: Context,
  { cursor, size = 50, ...filter }: Query,
): Promise<Answer> {
  const after = readCursor(cursor)
  const wanted = Math.max(size + 1, after === null ? maxCount : 0)
  const { found, end } = await search(context, filter, { after, wanted })
  // A later page does not hold what came before it, and what came before may be closed by now.
  const all =
    after === null
      ? found
      : (await search(context, filter, { after: null, wanted: maxCount })).found
  const shown = found.slice(0, size)
  const hasMore = found.length > size
  return answer({
    items: shown.map(({ row, mayDecide }) => shownHead(context.services, row, mayDecide)),
    next: hasMore ? (shown.at(-1)?.row.id ?? null) : end,
    count: Math.min(all.length, maxCount),
  })
}

type Found = { row: KnownWait; mayDecide: boolean }

/** `end` is where to continue if the search stopped before it had found enough. */
async function search(
  context: Context,
  { mine, workflowId, q }: Query,
  { after, wanted }: { after: string | null; wanted: number },
): Promise<{ found: Found[]; end: string | null }> {
  const { services, principal } = context
  const person = await personOf(context)
  const text = toSearchText(q ?? '')
  const found: Found[] = []
  let end = after
  for (let window = 0; window < windows; window++) {
    const rows = await readOpenWaits(services.db, principal.accountId, {
      ...{ after: end, limit: rowsPerWindow },
    })
    const refusals = await refusalsOf(context, person, rows)
    for (const [i, row] of rows.entries()) {
      const mayDecide = refusals[i] === null && principal.scopes.has(waitScope)
      if (mine === true && !(mayDecide && isAnswerable(row))) continue
      if (workflowId !== undefined && row.workflow_id !== workflowId) continue
      if (text !== '' && !toSearchText(`${row.title}\n${row.workflow_name}`).includes(text))
        continue
      found.push({ row, mayDecide })
    }
    if (rows.length < rowsPerWindow) return { found, end: null }
    end = rows.at(-1)?.id ?? null
    if (found.length >= wanted) return { found, end }
  }
  return { found, end }
}

const cursorForm = new RegExp(uuidPattern)

function readCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null
  if (cursorForm.test(cursor)) return cursor.toLowerCase()
  throw invalid(
    'INVALID_REQUEST',
    [{ path: '/query/cursor', rule: 'cursor', message: 'is not a cursor of this list' }],
    'cursor must be the `next` of an answer of this list.',
  )
}
