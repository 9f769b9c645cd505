import { tagPattern } from '#core/budgets.ts'
import { uuidPattern } from '#core/ids.ts'
import { type Static, Type } from '#core/schema.ts'
import {
  type CallFilter,
  type CallPosition,
  listCalls as selectCalls,
} from '#store/tables/calls.ts'
import { answer } from '../../operation.ts'
import { OneOf, Uuid } from '../../schemas.ts'
import { defineConsole, requireCaller } from '../context.ts'
import { cursorsOf, listOf, listQuery } from '../cursor.ts'
import { ModelName } from '../fields.ts'
import { badQuery, readInstant, spanQuery } from '../instants.ts'
import { Call, toCall } from './call-record.ts'
import { LocalDay, readZone, spanOfDay, TimeZoneName } from './local-days.ts'

const CallsQuery = Type.Object({
  runId: Type.Optional(Uuid('Calls of this run.')),
  taskId: Type.Optional(Uuid('Calls of this task.')),
  requestId: Type.Optional(
    Type.String({
      pattern: `^(chatcmpl-|msg_|resp_)?${uuidPattern.slice(1)}`,
      description: 'The call behind one answer, by the `id` of the answer.',
    }),
  ),
  day: Type.Optional({ ...LocalDay, description: 'Calls settled on this day, in `tz`.' }),
  tz: Type.Optional(TimeZoneName),
  ...spanQuery,
  model: Type.Optional(ModelName),
  keyId: Type.Optional(
    Type.String({
      pattern: `${uuidPattern}|^none$`,
      description: 'Calls with this API key; `none`: with a token.',
    }),
  ),
  workflowId: Type.Optional(
    Type.String({
      pattern: '^([1-9][0-9]{0,14}|none)$',
      description: 'Calls of runs of this workflow; `none`: of no run.',
    }),
  ),
  tag: Type.Optional(
    Type.String({
      pattern: tagPattern,
      description: 'Calls with this tag; `none`: without one.',
    }),
  ),
  unsettled: Type.Optional(
    OneOf(['true'], 'Only calls that count as spent although nobody knows what they cost.'),
  ),
  ...listQuery,
})

export const listCalls = defineConsole({
  id: 'listCalls',
  route: 'GET /calls',
  summary:
    'Lists the calls to providers of a run, a task, an answer or a span of time, newest first',
  access: 'viewer',
  takesKeys: true,
  query: CallsQuery,
  success: { 200: { description: 'Rows of the ledger.', data: listOf(Call) } },
  async handle(context, { query: { cursor, size = 50, ...filters } }) {
    const { accountId } = requireCaller(context)
    const { db, secretBox, chats } = context.services
    const cursors = cursorsOf<CallPosition>(secretBox, { list: 'calls', accountId, filters })
    const from = { before: cursors.read(cursor), limit: size }
    const which = whichOf(filters)
    // Chats reach the ledger shortly after they are answered.
    await chats.flush(accountId)
    const { rows, next } = await selectCalls(db, accountId, which, filterOf(filters), from)
    return answer({ items: rows.map(toCall), next: cursors.write(next) })
  },
})

type Filters = Omit<Static<typeof CallsQuery>, 'cursor' | 'size'>

function whichOf({ runId, taskId, requestId, day, tz, from, to, unsettled }: Filters) {
  const given = [runId, taskId, requestId, day, from ?? to].filter((value) => value !== undefined)
  if (given.length > 1 || (given.length === 0 && unsettled === undefined))
    throw badQuery('day', 'or one of runId, taskId, requestId and from must be given')
  if (runId !== undefined) return { runId }
  if (taskId !== undefined) return { taskId }
  // An answer has the identifier of its attempt, after a prefix of the vendor's form.
  if (requestId !== undefined) return { attempt: requestId.slice(-36).toLowerCase() }
  if (day !== undefined) return spanOfDay(readZone(tz), day)
  const fromMs = readInstant('from', from) ?? 0
  return { fromMs, toMs: readInstant('to', to) ?? Number.MAX_SAFE_INTEGER }
}

const filterOf = ({ model, keyId, workflowId, tag, unsettled }: Filters): CallFilter => ({
  model,
  tag: tag === 'none' ? null : tag,
  isUnsettled: unsettled !== undefined,
  keyId: keyId === 'none' ? null : keyId?.toLowerCase(),
  workflowId:
    workflowId === undefined ? undefined : workflowId === 'none' ? null : Number(workflowId),
})
