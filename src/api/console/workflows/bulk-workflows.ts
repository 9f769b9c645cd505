// One change to many workflows: to those that are named, or to all that match a filter. The caller
// says how many that should be; if it is another number by now, nothing is changed. What a deletion
// would end can be asked before.
import { Failure, invalid } from '#core/errors.ts'
import { type Static, Type } from '#core/schema.ts'
import type { Tx } from '#store/db.ts'
import { type AuditEntry, insertAuditEntries } from '#store/tables/audit-entries.ts'
import { namesOfTriggers } from '#store/tables/triggers.ts'
import { deleteWorkflows, holdWorkflows } from '#store/tables/workflow-ends.ts'
import { countedAtMost, searchWorkflows } from '#store/tables/workflow-search.ts'
import { changeTags, tagsOf } from '#store/tables/workflow-tags.ts'
import { findWorkflows, insertFirst, type WholeWorkflow } from '#store/tables/workflows.ts'
import { answer } from '../../operation.ts'
import { GraphShape } from '../../public/workflows/workflow-record.ts'
import { Closed, NamedRecord, Nullable, OneOf, WorkflowId } from '../../schemas.ts'
import { entryBy } from '../audit/audit-entry.ts'
import { type ConsoleContext, defineConsole, requireRole } from '../context.ts'
import { readFilter, Tag, workflowFilter } from './workflow-list.ts'

/** All graphs of an answer, or of a copy, are in memory at once. */
const mostChars = 20_000_000
const mostCopies = 100
/** So many are named; of the others only the number is said. */
const mostNames = 5
/** Of what is gone, so many are named in a refusal. */
const mostGone = 1_000

const Tags = Type.Optional(Type.Array(Tag, { maxItems: 20 }))

const Body = NamedRecord('BulkWorkflows', {
  action: OneOf(
    ['tag', 'duplicate', 'export', 'preview', 'delete'],
    '`preview` changes nothing: it says what a deletion would end.',
  ),
  ids: Type.Optional(Type.Array(WorkflowId, { minItems: 1, maxItems: countedAtMost })),
  filter: Type.Optional(Closed(workflowFilter, { description: 'All that match, without `ids`.' })),
  expectedCount: Type.Integer({
    minimum: 1,
    maximum: countedAtMost,
    description: 'How many workflows this must be: the answer is 412 if the number has changed.',
  }),
  addTags: Tags,
  removeTags: Tags,
})
type Body = Static<typeof Body>
type Ids = readonly number[]

const Exported = NamedRecord('ExportedWorkflow', {
  name: Type.String(),
  tags: Type.Array(Type.String()),
  canvasScale: Nullable(Type.Number()),
  data: GraphShape,
})

export const bulkWorkflows = defineConsole({
  id: 'bulkWorkflows',
  route: 'POST /workflows/bulk',
  summary: 'Tags, copies, exports or deletes many workflows at once',
  access: 'viewer',
  body: Body,
  success: {
    200: {
      description: 'Done with all of them.',
      data: Closed({
        count: Type.Integer({ minimum: 0 }),
        ids: Type.Optional(Type.Array(WorkflowId, { description: 'The copies.' })),
        workflows: Type.Optional(Type.Array(Exported)),
        triggers: Type.Optional(
          Closed(
            { total: Type.Integer({ minimum: 0 }), names: Type.Array(Type.String()) },
            { description: 'Those that would stop, and the names of the first.' },
          ),
        ),
      }),
    },
  },
  errors: ['PRECONDITION_FAILED', 'INSUFFICIENT_ROLE'],
  audit: { byItself: ['workflow.deleted', 'workflow.created', 'workflow.changed'] },
  repeatable: false,
  ifUnknown: 'List the workflows to see whether the change was made.',
  async handle(context, { body }) {
    const { accountId } = requireRole(context, isReading(body) ? 'viewer' : 'editor')
    const ids = await idsOf(context, accountId, body)
    if (ids.length !== body.expectedCount) throw otherCount(ids.length)
    switch (body.action) {
      case 'tag':
        return answer({ count: await retag(context, accountId, ids, body) })
      case 'duplicate':
        return answer(await copyAll(context, accountId, ids))
      case 'export':
        return answer(await exportAll(context, accountId, ids))
      case 'preview':
        return answer(await preview(context, accountId, ids))
      case 'delete':
        return answer({ count: await deleteAll(context, accountId, ids) })
      default:
        return body.action satisfies never
    }
  },
})

const isReading = ({ action }: Body): boolean => action === 'export' || action === 'preview'

async function idsOf(
  context: ConsoleContext,
  accountId: string,
  { ids, filter }: Body,
): Promise<Ids> {
  if (ids) return [...new Set(ids)]
  if (!filter) throw problem('/ids', 'or filter must say which workflows')
  const found = await searchWorkflows(
    context.services.db,
    accountId,
    await readFilter(context, accountId, filter),
    { sort: 'created', after: null, limit: countedAtMost + 1, total: 'ignored' },
  )
  return found.ids
}

async function retag(
  context: ConsoleContext,
  accountId: string,
  ids: Ids,
  { addTags = [], removeTags = [] }: Body,
): Promise<number> {
  const add = addTags.map((tag) => tag.trim())
  const remove = removeTags.map((tag) => tag.trim())
  if (add.length + remove.length === 0) throw problem('/addTags', 'or removeTags must name a tag')
  const words = [...add.map((tag) => `+${tag}`), ...remove.map((tag) => `-${tag}`)].join(' ')
  return context.services.db.transaction(async (tx) => {
    const rows = await lockAll(tx, accountId, ids)
    await changeTags(tx, accountId, ids, { add, remove })
    await record(tx, context, rows, ({ id }) => ['workflow.changed', `${id} tags ${words}`])
    return rows.length
  })
}

async function copyAll(context: ConsoleContext, accountId: string, ids: Ids) {
  if (ids.length > mostCopies) throw problem('/ids', `must be at most ${mostCopies} to copy`)
  const { db, clock } = context.services
  const rows = await graphsOf(context, accountId, ids)
  const { userId, keyId } = entryBy(context, 'workflow.created', '')
  const tags = await tagsOf(db, accountId, ids)
  const made = await db.transaction(async (tx) => {
    const copies: { id: number }[] = []
    for (const row of rows) {
      const copy = await insertFirst(tx, {
        accountId,
        name: copyName(row.name),
        canvasScale: row.canvas_scale,
        data: row.data.text,
        nodeCount: row.node_count,
        connectionCount: row.connection_count,
        author: { userId, keyId },
        nowMs: clock.nowMs(),
      })
      await changeTags(tx, accountId, [copy.id], { add: tags.get(row.id) ?? [], remove: [] })
      copies.push(copy)
    }
    await record(tx, context, copies, ({ id }) => ['workflow.created', `${id} a copy`])
    return copies
  })
  return { count: made.length, ids: made.map(({ id }) => id) }
}

const copyName = (name: string): string => `${name.slice(0, 190)} (copy)`

async function exportAll(context: ConsoleContext, accountId: string, ids: Ids) {
  const rows = await graphsOf(context, accountId, ids)
  const tags = await tagsOf(context.services.db, accountId, ids)
  const workflows = rows.map((row) => ({
    name: row.name,
    tags: tags.get(row.id) ?? [],
    canvasScale: row.canvas_scale,
    data: row.data.value as Static<typeof GraphShape>,
  }))
  return { count: workflows.length, workflows }
}

async function preview({ services: { db } }: ConsoleContext, accountId: string, ids: Ids) {
  const names = await namesOfTriggers(db, accountId, ids)
  return {
    count: ids.length,
    triggers: { total: names.length, names: names.slice(0, mostNames) },
  }
}

const deleteAll = (context: ConsoleContext, accountId: string, ids: Ids) =>
  context.services.db.transaction(async (tx) => {
    const gone = await deleteWorkflows(tx, accountId, ids, context.services.clock.nowMs())
    // Thrown inside the transaction: if one is gone already, the others stay.
    if (gone.length !== ids.length) throw countChanged(gone, ids)
    await record(tx, context, gone, ({ id, name }) => ['workflow.deleted', `${id} ${name}`])
    return gone.length
  })

async function graphsOf(
  { services: { db } }: ConsoleContext,
  accountId: string,
  ids: Ids,
): Promise<WholeWorkflow[]> {
  const rows = await findWorkflows(db, accountId, ids, { maxChars: mostChars })
  if (rows === null) throw problem('/ids', 'are too large together: choose fewer')
  if (rows.length !== ids.length) throw countChanged(rows, ids)
  return rows.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))
}

async function lockAll(tx: Tx, accountId: string, ids: Ids) {
  const rows = await holdWorkflows(tx, accountId, ids)
  if (rows.length !== ids.length) throw countChanged(rows, ids)
  return rows
}

const record = <Row>(
  tx: Tx,
  context: ConsoleContext,
  rows: readonly Row[],
  entryOf: (row: Row) => [AuditEntry['action'], target: string],
) =>
  insertAuditEntries(
    tx,
    rows.map((row) => entryBy(context, ...entryOf(row))),
  )

const otherCount = (currentCount: number, more: object = {}): Failure =>
  new Failure('PRECONDITION_FAILED', {
    message: `These are ${currentCount} workflows by now. Nothing was changed.`,
    details: { currentCount, ...more },
  })

/** Whoever chose workflows one by one is told which of them are gone. */
function countChanged(left: readonly { id: number }[], asked: Ids): Failure {
  const known = new Set(left.map(({ id }) => id))
  const goneIds = asked.filter((id) => !known.has(id)).slice(0, mostGone)
  return otherCount(left.length, { goneIds })
}

const problem = (path: string, message: string) =>
  invalid('INVALID_REQUEST', [{ path, rule: 'bulk', message }], `${path.slice(1)} ${message}.`)
