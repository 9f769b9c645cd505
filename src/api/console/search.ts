// What the command palette finds: a few of each kind, by the same rules as their own lists.
import { Type } from '#core/schema.ts'
import { toSearchText } from '#core/search-text.ts'
import { listApiKeys } from '#store/tables/api-keys.ts'
import { searchRuns } from '#store/tables/run-search.ts'
import { searchTasks } from '#store/tables/task-search.ts'
import { readWorkflows, searchWorkflows } from '#store/tables/workflow-search.ts'
import { answer } from '../operation.ts'
import { Closed, NamedRecord, Uuid, WorkflowId } from '../schemas.ts'
import { type ConsoleContext, defineConsole, requireSession } from './context.ts'
import { readFilter } from './workflows/workflow-list.ts'

const Found = NamedRecord('FoundThings', {
  workflows: Type.Array(Closed({ id: WorkflowId, name: Type.String() })),
  runs: Type.Array(
    Closed({
      runId: Uuid('Identifier of the run.'),
      workflowName: Type.String(),
      status: Type.String(),
    }),
  ),
  tasks: Type.Array(
    Closed({
      taskId: Uuid('Identifier of the task.'),
      promptPreview: Type.String(),
      kind: Type.String(),
      status: Type.String(),
    }),
  ),
  models: Type.Array(
    Closed({
      id: Type.String(),
      name: Type.String(),
      provider: Type.String(),
      kind: Type.String(),
    }),
  ),
  keys: Type.Array(Closed({ keyId: Uuid('Identifier of the key.'), name: Type.String() })),
})

export const searchEverything = defineConsole({
  id: 'search',
  route: 'GET /search',
  summary: 'Finds workflows, runs, tasks, models and API keys by words or identifiers',
  access: 'viewer',
  query: Closed({
    q: Type.String({ minLength: 1, maxLength: 200, description: 'Words, or an identifier.' }),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 20, default: 5, description: 'At most, of each kind.' }),
    ),
  }),
  success: { 200: { description: 'The newest of each kind.', data: Found } },
  async handle(context, { query: { q, limit = 5 } }) {
    const { accountId } = requireSession(context)
    const { db, clock } = context.services
    const [workflows, runs, tasks, keys] = await Promise.all([
      workflowsFor(context, accountId, q, limit),
      searchRuns(db, accountId, { q }, { before: null, limit }),
      searchTasks(db, accountId, { q }, { before: null, limit }),
      listApiKeys(db, accountId, clock.nowMs()),
    ])
    return answer({
      workflows,
      runs: runs.rows.map((run) => ({
        runId: run.id,
        workflowName: run.workflow_name,
        status: run.status,
      })),
      tasks: tasks.rows.map((task) => ({
        taskId: task.id,
        promptPreview: task.prompt_preview,
        kind: task.kind,
        status: task.status,
      })),
      models: modelsFor(context, q).slice(0, limit),
      keys: keys
        .filter(({ name, revokedAtMs }) => revokedAtMs === null && hasWords(name, q))
        .slice(0, limit)
        .map(({ id, name }) => ({ keyId: id, name })),
    })
  },
})

async function workflowsFor(context: ConsoleContext, accountId: string, q: string, limit: number) {
  const { db } = context.services
  const filter = await readFilter(context, accountId, { q })
  const page = { sort: 'changed', after: null, limit, total: 'ignored' } as const
  const { ids } = await searchWorkflows(db, accountId, filter, page)
  return (await readWorkflows(db, accountId, ids)).map(({ id, name }) => ({ id, name }))
}

const modelsFor = ({ services: { api } }: ConsoleContext, q: string) =>
  api.catalogue.models
    .filter(({ id, name, provider }) => hasWords(`${name} ${id} ${provider}`, q))
    .map(({ id, name, provider, kind }) => ({ id, name, provider, kind }))

function hasWords(text: string, q: string): boolean {
  const within = toSearchText(text)
  return toSearchText(q)
    .split(' ')
    .every((word) => within.includes(word))
}
