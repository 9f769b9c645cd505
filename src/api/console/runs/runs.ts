import { runStatuses } from '#core/run-states.ts'
import { Type } from '#core/schema.ts'
import { callbacksOf } from '#store/tables/deliveries.ts'
import { searchRuns } from '#store/tables/run-search.ts'
import { answer } from '../../operation.ts'
import { summaryOf } from '../../public/runs/show-run.ts'
import { OneOf, WorkflowId } from '../../schemas.ts'
import { defineConsole, requireSession } from '../context.ts'
import { cursorsOf, listOf, listQuery } from '../cursor.ts'
import { spanQuery, withInstants } from '../instants.ts'
import { ListedRun, listedFacts } from './listed-run.ts'

export const searchAccountRuns = defineConsole({
  id: 'searchRuns',
  route: 'GET /runs',
  summary: 'Searches the runs of all workflows of the account, newest first',
  access: 'viewer',
  query: Type.Object({
    status: Type.Optional(
      OneOf(
        [...runStatuses, 'ACTIVE', 'WAITING'],
        'ACTIVE: all that have not ended. WAITING: those that sleep until a time, an answer or a message.',
      ),
    ),
    workflowId: Type.Optional(WorkflowId),
    ...spanQuery,
    q: Type.Optional(
      Type.String({
        maxLength: 500,
        description:
          'Part of the name the workflow had (ignoring case), or an identifier, or at least the first 8 characters of one.',
      }),
    ),
    ...listQuery,
  }),
  success: { 200: { description: 'Runs.', data: listOf(ListedRun) } },
  async handle(context, { query: { cursor, size = 50, ...filters } }) {
    const { accountId } = requireSession(context)
    const { db, clock, secretBox } = context.services
    const cursors = cursorsOf<string>(secretBox, { list: 'runs', accountId, filters })
    const position = { before: cursors.read(cursor), limit: size }
    const { rows, next } = await searchRuns(db, accountId, withInstants(filters), position)
    const withCallback = rows.filter((row) => row.callback_url !== null).map((row) => row.id)
    const callbacks = await callbacksOf(db, withCallback)
    const facts = await listedFacts(context.services.api, accountId, rows)
    const nowMs = clock.nowMs()
    const items = rows.map((row) => {
      const callback = callbacks.get(row.id)
      return {
        ...summaryOf(row, { nowMs, ...(callback ? { callback } : {}) }),
        ...facts(row.id),
      }
    })
    return answer({ items, next: cursors.write(next) })
  },
})
