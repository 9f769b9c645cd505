import { toRfc3339 } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import { type Static, Type } from '#core/schema.ts'
import { findWorkflowHead } from '#store/tables/runs.ts'
import {
  countRunsByVersion,
  findVersion,
  listVersions,
  noteVersion,
  type VersionRow,
} from '#store/tables/versions.ts'
import { answer } from '../../operation.ts'
import { GraphShape } from '../../public/workflows/workflow-record.ts'
import { Closed, NamedRecord, Nullable, OneOf, Timestamp, WorkflowId } from '../../schemas.ts'
import { type ConsoleContext, defineConsole, requireSession } from '../context.ts'

const Version = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })
const Note = Nullable(
  Type.String({
    maxLength: 500,
    // PostgreSQL cannot store NUL.
    pattern: '^[^\\u0000]*$',
    description: 'A note by its author.',
  }),
)

const summary = {
  version: Version,
  createdAt: Timestamp,
  author: Nullable(
    Closed({
      kind: OneOf(['user', 'key']),
      id: Type.String(),
      name: Nullable(Type.String({ description: 'E-mail of the person, or name of the API key.' })),
    }),
  ),
  nodeCount: Type.Integer({ minimum: 0 }),
  connectionCount: Type.Integer({ minimum: 0 }),
  note: Note,
  runs: Type.Integer({
    minimum: 0,
    description: "How many of the workflow's newest 1,000 runs had this graph.",
  }),
}
const VersionSummary = NamedRecord('VersionSummary', summary)
const WholeVersion = NamedRecord('WorkflowVersion', { ...summary, data: GraphShape })

const authorOf = (row: VersionRow): Static<typeof VersionSummary>['author'] => {
  if (row.author_key !== null) return { kind: 'key', id: row.author_key, name: row.key_name }
  if (row.author_user === null) return null
  return { kind: 'user', id: row.author_user, name: row.author_email }
}

const toSummary = (
  row: VersionRow,
  runs: ReadonlyMap<number, number>,
): Static<typeof VersionSummary> => ({
  version: row.version,
  createdAt: toRfc3339(row.created_at),
  author: authorOf(row),
  nodeCount: row.node_count,
  connectionCount: row.connection_count,
  note: row.note,
  runs: runs.get(row.version) ?? 0,
})

const params = Type.Object({ workflowId: WorkflowId, version: Version })

export const listWorkflowVersions = defineConsole({
  id: 'listWorkflowVersions',
  route: 'GET /workflows/{workflowId}/versions',
  summary: 'Lists the saved graphs of a workflow, newest first',
  description:
    'The newest 50 are kept regardless of age. Changing only the name or zoom saves no graph, so numbers may be missing. To restore a version, send its data with updateWorkflow.',
  access: 'viewer',
  params: Type.Object({ workflowId: WorkflowId }),
  success: {
    200: {
      description: 'The versions.',
      data: Closed({ items: Type.Array(VersionSummary), next: Type.Null() }),
    },
  },
  errors: ['WORKFLOW_NOT_FOUND'],
  async handle(context, { params: { workflowId } }) {
    const { accountId } = requireSession(context)
    const { db } = context.services
    const rows = await listVersions(db, accountId, workflowId)
    if (rows.length === 0) throw new Failure('WORKFLOW_NOT_FOUND')
    const runs = await countRunsByVersion(db, accountId, workflowId)
    return answer({ items: rows.map((row) => toSummary(row, runs)), next: null })
  },
})

export const getWorkflowVersion = defineConsole({
  id: 'getWorkflowVersion',
  route: 'GET /workflows/{workflowId}/versions/{version}',
  summary: 'Reads a saved graph of a workflow',
  access: 'viewer',
  params,
  success: { 200: { description: 'The version.', data: WholeVersion } },
  errors: ['WORKFLOW_NOT_FOUND', 'VERSION_NOT_FOUND'],
  handle: (context, { params }) => readVersion(context, params),
})

export const noteWorkflowVersion = defineConsole({
  id: 'noteWorkflowVersion',
  route: 'PUT /workflows/{workflowId}/versions/{version}',
  summary: 'Sets the note of a saved graph',
  access: 'editor',
  params,
  body: Closed({ note: Note }),
  success: { 200: { description: 'The version.', data: WholeVersion } },
  errors: ['WORKFLOW_NOT_FOUND', 'VERSION_NOT_FOUND'],
  audit: {
    action: 'version.noted',
    target: ({ params: { workflowId, version } }) => `${workflowId} version ${version}`,
  },
  repeatable: true,
  async handle(context, { params, body: { note } }) {
    const { accountId } = requireSession(context)
    await noteVersion(context.services.db, accountId, { ...params, note })
    return readVersion(context, params)
  },
})

async function readVersion(
  context: ConsoleContext,
  { workflowId, version }: Static<typeof params>,
) {
  const { accountId } = requireSession(context)
  const { db } = context.services
  const row = await findVersion(db, accountId, workflowId, version)
  if (!row) {
    const isThere = await findWorkflowHead(db, accountId, workflowId)
    throw new Failure(isThere ? 'VERSION_NOT_FOUND' : 'WORKFLOW_NOT_FOUND')
  }
  const runs = await countRunsByVersion(db, accountId, workflowId)
  return answer({ ...toSummary(row, runs), data: row.data.value })
}
