import { toRfc3339 } from '#core/clock.ts'
import { money } from '#core/money.ts'
import { runStatuses } from '#core/run-states.ts'
import { type Static, Type } from '#core/schema.ts'
import { isAsleep } from '#store/tables/runs.ts'
import { costOfWorkflows, type LastRun, lastRuns } from '#store/tables/workflow-activity.ts'
import {
  fillSearchTexts,
  readWorkflows,
  searchWorkflows,
  type WorkflowPosition,
} from '#store/tables/workflow-search.ts'
import { listTags, tagsOf } from '#store/tables/workflow-tags.ts'
import { answer } from '../../operation.ts'
import { toSummary, WorkflowSummary } from '../../public/workflows/workflow-record.ts'
import {
  Closed,
  Money,
  Name,
  NamedRecord,
  Nullable,
  OneOf,
  Timestamp,
  Uuid,
} from '../../schemas.ts'
import { type ConsoleContext, defineConsole, requireSession } from '../context.ts'
import { cursorsOf, listOf, listQuery } from '../cursor.ts'
import { searchWords, workflowSearchText } from './workflow-search-text.ts'

const spentDays = 30
const dayMs = 86_400_000

export const Tag = Name(40)

const ListedWorkflow = NamedRecord('ListedWorkflow', {
  ...WorkflowSummary.properties,
  tags: Type.Array(Type.String()),
  lastRun: Nullable(
    Closed({
      runId: Uuid('Identifier of the run.'),
      status: OneOf(runStatuses),
      createdAt: Timestamp,
      isWaiting: Type.Optional(Type.Literal(true, { description: 'It sleeps.' })),
    }),
  ),
  spent: { ...Money, description: `What its runs cost in the last ${spentDays} days.` },
})

/** Which workflows: of a list, or of a change to all that match. */
export const workflowFilter = {
  q: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'Words that must all occur in the name, or in the labels, types or models of the nodes, ignoring case.',
    }),
  ),
  tag: Type.Optional(Tag),
}
const Filter = Closed(workflowFilter)
export type WorkflowQuery = Static<typeof Filter>

/** The filter as the store takes it, after everything saved since the last search was read. */
export async function readFilter(
  { services: { db } }: ConsoleContext,
  accountId: string,
  { q, tag }: WorkflowQuery,
) {
  const words = searchWords(q)
  if (words.length > 0) await fillSearchTexts(db, accountId, workflowSearchText)
  return { words, ...(tag === undefined ? {} : { tag: tag.trim() }) }
}

export const listAccountWorkflows = defineConsole({
  id: 'listWorkflowsWithRuns',
  route: 'GET /workflows',
  summary: 'Searches workflows, with their tags, their last run and the cost of their runs',
  access: 'viewer',
  query: Type.Object({
    ...workflowFilter,
    sort: Type.Optional(
      OneOf(
        ['changed', 'name', 'created'],
        'Changed or created: newest first (default: created); name: from A to Z.',
      ),
    ),
    ...listQuery,
  }),
  success: {
    200: {
      description: 'Workflows.',
      data: Closed({
        ...listOf(ListedWorkflow).properties,
        total: Type.Integer({ minimum: 0, description: 'How many match.' }),
        totalIsExact: Type.Boolean({
          description: 'False if more than `total` match: at most 10,000 are counted.',
        }),
      }),
    },
  },
  async handle(context, { query: { cursor, size = 50, sort = 'created', ...filters } }) {
    const { accountId } = requireSession(context)
    const { db, clock, chats, secretBox } = context.services
    // Chats reach the sums shortly after they are answered.
    await chats.flush(accountId)
    const scope = { list: 'workflows', accountId, filters: { ...filters, sort } }
    const cursors = cursorsOf<WorkflowPosition>(secretBox, scope)
    const after = cursors.read(cursor)
    const filter = await readFilter(context, accountId, filters)
    const found = await searchWorkflows(db, accountId, filter, { sort, after, limit: size })
    const { ids } = found
    const [rows, tags, runs, costs] = await Promise.all([
      readWorkflows(db, accountId, ids),
      tagsOf(db, accountId, ids),
      lastRuns(db, accountId, ids),
      costOfWorkflows(db, accountId, ids, clock.nowMs() - spentDays * dayMs),
    ])
    const items = rows.map((row) => ({
      ...toSummary(row),
      tags: tags.get(row.id) ?? [],
      lastRun: toLastRun(runs.get(row.id)),
      spent: money(costs.get(row.id) ?? 0),
    }))
    const { next, total, isExact } = found
    return answer({ items, next: cursors.write(next), total, totalIsExact: isExact })
  },
})

const toLastRun = (run: LastRun | undefined) =>
  run
    ? {
        ...{ runId: run.id, status: run.status, createdAt: toRfc3339(run.created_at) },
        ...(isAsleep(run) ? { isWaiting: true as const } : {}),
      }
    : null

export const listWorkflowTags = defineConsole({
  id: 'listWorkflowTags',
  route: 'GET /workflow-tags',
  summary: 'Lists the tags of workflows, the most used first',
  access: 'viewer',
  success: {
    200: {
      description: 'At most 200 tags.',
      data: Closed({
        items: Type.Array(
          NamedRecord('WorkflowTag', {
            tag: Type.String(),
            workflows: Type.Integer({ minimum: 1, description: 'How many have it.' }),
          }),
        ),
      }),
    },
  },
  async handle(context) {
    const { accountId } = requireSession(context)
    const rows = await listTags(context.services.db, accountId, 200)
    return answer({
      items: rows.map(({ tag, workflows }) => ({ tag, workflows: Number(workflows) })),
    })
  },
})
