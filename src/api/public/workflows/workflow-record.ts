import { toRfc3339 } from '#core/clock.ts'
import { Type } from '#core/schema.ts'
import type { WorkflowRow } from '#store/tables/workflows.ts'
import { Named } from '../../named.ts'
import {
  Name as AnyName,
  locationHeader,
  NamedRecord,
  Nullable,
  Timestamp,
  WorkflowId,
} from '../../schemas.ts'

export const workflowBodyBytes = 5 * 1024 * 1024

/** The graph validation checks nodes and connections, and reports all problems at once. */
export const GraphShape = Named(
  'Graph',
  Type.Object(
    {
      nodes: Type.Array(Type.Object({}), { maxItems: 200 }),
      connections: Type.Array(Type.Object({}), { maxItems: 1000 }),
    },
    { description: 'The graph. Other keys, at any level, are stored as sent.' },
  ),
)

export const Name = AnyName(200)

export const CanvasScale = Type.Number({ description: 'Zoom of the canvas: any number.' })

/** The schema enforces these limits; exceeding them is reported with the codes of graphs. */
export const graphIssueCodes = {
  '/data/nodes maxItems': 'TOO_MANY_NODES',
  '/data/connections maxItems': 'TOO_MANY_CONNECTIONS',
}

const ignored = Type.Optional(
  Type.Unknown({
    readOnly: true,
    description: 'Ignored: a record may be sent back as it was read.',
  }),
)

/** Members of the record that only the server sets. */
export const readOnlyMembers = {
  id: ignored,
  workflowId: ignored,
  version: ignored,
  nodeCount: ignored,
  connectionCount: ignored,
  createdAt: ignored,
  updatedAt: ignored,
}

const summary = {
  id: WorkflowId,
  workflowId: WorkflowId,
  name: Type.String(),
  canvasScale: Nullable(Type.Number()),
  version: Type.Integer({ minimum: 1 }),
  nodeCount: Type.Integer({ minimum: 0 }),
  connectionCount: Type.Integer({ minimum: 0 }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}

export const WorkflowSummary = NamedRecord('WorkflowSummary', summary)
export const Workflow = NamedRecord('Workflow', { ...summary, data: GraphShape })

export const toSummary = (row: WorkflowRow) => ({
  id: row.id,
  workflowId: row.id,
  name: row.name,
  canvasScale: row.canvas_scale,
  version: row.version,
  nodeCount: row.node_count,
  connectionCount: row.connection_count,
  createdAt: toRfc3339(row.created_at),
  updatedAt: toRfc3339(row.updated_at),
})

export const toRecord = (row: WorkflowRow, data: unknown) => ({ ...toSummary(row), data })

export const etagHeader = {
  ETag: { schema: Type.String(), description: 'The version, for If-Match: "v<version>".' },
}
export const createdHeaders = { ...locationHeader, ...etagHeader }
