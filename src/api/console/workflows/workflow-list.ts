import { toRfc3339 } from '#core/clock.ts'
import { money } from '#core/money.ts'
import { runStatuses } from '#core/run-states.ts'
import { costOfWorkflows, type LastRun, lastRuns } from '#store/tables/workflow-activity.ts'
import { listWorkflows } from '#store/tables/workflows.ts'
import { answer } from '../../operation.ts'
import { pageOf, pageQuery, readFrom, toPage } from '../../public/list-page.ts'
import { toSummary, WorkflowSummary } from '../../public/workflows/workflow-record.ts'
import { Closed, Money, NamedRecord, Nullable, OneOf, Timestamp, Uuid } from '../../schemas.ts'
import { defineConsole, requireSession } from '../context.ts'

const spentDays = 30
const dayMs = 86_400_000

const ListedWorkflow = NamedRecord('ListedWorkflow', {
  ...WorkflowSummary.properties,
  lastRun: Nullable(
    Closed({
      runId: Uuid('Identifier of the run.'),
      status: OneOf(runStatuses),
      createdAt: Timestamp,
    }),
  ),
  spent: { ...Money, description: `What its runs cost in the last ${spentDays} days.` },
})

export const listAccountWorkflows = defineConsole({
  id: 'listWorkflowsWithRuns',
  route: 'GET /workflows',
  summary: 'Lists workflows with their last run and the cost of their runs, newest first',
  access: 'viewer',
  query: pageQuery(50),
  success: { 200: { description: 'A page of workflows.', data: pageOf(ListedWorkflow) } },
  async handle(context, { query }) {
    const { accountId } = requireSession(context)
    const { db, clock, chats } = context.services
    // Chats reach the sums shortly after they are answered.
    await chats.flush(accountId)
    const from = readFrom(query, { defaultSize: 50, numbers: 2 })
    const { rows, ...position } = await listWorkflows(db, accountId, from)
    const ids = rows.map(({ id }) => id)
    const [runs, costs] = await Promise.all([
      lastRuns(db, accountId, ids),
      costOfWorkflows(db, accountId, ids, clock.nowMs() - spentDays * dayMs),
    ])
    const items = rows.map((row) => ({
      ...toSummary(row),
      lastRun: toLastRun(runs.get(row.id)),
      spent: money(costs.get(row.id) ?? 0),
    }))
    return answer(toPage(items, from, position))
  },
})

const toLastRun = (run: LastRun | undefined) =>
  run ? { runId: run.id, status: run.status, createdAt: toRfc3339(run.created_at) } : null
