import { toRfc3339 } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import { type Static, Type } from '#core/schema.ts'
import {
  type DraftRow,
  findDraft,
  deleteDraft as removeDraft,
  listDrafts as selectDrafts,
  putDraft as storeDraft,
} from '#store/tables/drafts.ts'
import { answer, type CallContext } from '../../operation.ts'
import { etagOf, ifMatchHeader, readIfMatch } from '../../public/workflows/if-match.ts'
import { CanvasScale, Name, workflowBodyBytes } from '../../public/workflows/workflow-record.ts'
import { Closed, NamedRecord, Nullable, Timestamp, Uuid, WorkflowId } from '../../schemas.ts'
import { defineConsole, requireSession } from '../context.ts'

const maxDrafts = 200

const Version = Type.Integer({
  minimum: 1,
  maximum: 2 ** 31 - 1,
  description: 'The version of the workflow that the draft is based on.',
})

const Pins = Type.Record(Type.String({ minLength: 1, maxLength: 64 }), Uuid('A run.'), {
  maxProperties: 200,
  description:
    'By id of a node: the run whose result the editor pins to it. The run may be deleted by now.',
})

const summary = {
  draftId: Uuid('Identifier of the draft, chosen by the editor.'),
  revision: Type.Integer({
    minimum: 1,
    description: 'Counts the changes; the ETag is "v<revision>".',
  }),
  workflowId: Nullable(WorkflowId),
  baseVersion: Nullable(Version),
  name: Type.String(),
  canvasScale: Nullable(Type.Number()),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}
const DraftSummary = NamedRecord('DraftSummary', summary)
const Draft = NamedRecord('Draft', {
  ...summary,
  data: Type.Object({}, { description: 'The graph as it was sent, valid or not.' }),
  pins: Pins,
})

const toSummary = (row: DraftRow): Static<typeof DraftSummary> => ({
  draftId: row.id,
  revision: row.revision,
  workflowId: row.workflow_id,
  baseVersion: row.base_version,
  name: row.name,
  canvasScale: row.canvas_scale,
  createdAt: toRfc3339(row.created_at),
  updatedAt: toRfc3339(row.updated_at),
})

const params = Type.Object({ draftId: Uuid('Identifier of the draft.') })
const etag = { ETag: { schema: Type.String(), description: 'The revision, for If-Match.' } }

/** `If-None-Match: *` allows only the creation of a new draft. */
const readCondition = (context: CallContext) =>
  context.headerValues('if-none-match').some((value) => value.trim() === '*')
    ? 'new'
    : readIfMatch(context.headerValues)

const changed = (revision: number | null) =>
  new Failure('PRECONDITION_FAILED', { details: { currentRevision: revision } })

export const listDrafts = defineConsole({
  id: 'listDrafts',
  route: 'GET /drafts',
  summary: 'Lists the drafts of the account, most recently changed first',
  access: 'viewer',
  success: {
    200: {
      description: 'All of them: an account has at most 200.',
      data: Closed({ items: Type.Array(DraftSummary), next: Type.Null() }),
    },
  },
  async handle(context) {
    const { accountId } = requireSession(context)
    const rows = await selectDrafts(context.services.db, accountId)
    return answer({ items: rows.map(toSummary), next: null })
  },
})

export const getDraft = defineConsole({
  id: 'getDraft',
  route: 'GET /drafts/{draftId}',
  summary: 'Reads a draft with its graph',
  access: 'viewer',
  params,
  success: { 200: { description: 'The draft.', data: Draft, headers: etag } },
  errors: ['DRAFT_NOT_FOUND'],
  async handle(context, { params: { draftId } }) {
    const { accountId } = requireSession(context)
    const row = await findDraft(context.services.db, accountId, draftId)
    if (!row) throw new Failure('DRAFT_NOT_FOUND')
    return answer(
      { ...toSummary(row), data: row.data.value, pins: JSON.parse(row.pins ?? '{}') },
      { headers: { ETag: etagOf(row.revision) } },
    )
  },
})

/** The canvas stores a draft every few seconds. */
const unrecorded = { none: 'A draft is work in progress; saving the workflow is recorded.' }

export const putDraft = defineConsole({
  id: 'putDraft',
  route: 'PUT /drafts/{draftId}',
  summary: 'Stores a draft, even of an invalid graph',
  description:
    'A draft is kept until you delete it. Sending the stored content again changes nothing, so a request whose answer was lost may be repeated with the same If-Match.',
  access: 'editor',
  params,
  requestHeaders: {
    ...ifMatchHeader,
    'If-None-Match': {
      schema: Type.Literal('*'),
      required: false,
      description: '*: store it only if there is no such draft yet.',
    },
  },
  audit: unrecorded,
  bodyLimitBytes: workflowBodyBytes,
  body: Closed({
    workflowId: Type.Optional(Nullable(WorkflowId)),
    baseVersion: Type.Optional(Nullable(Version)),
    name: Name,
    canvasScale: Type.Optional(Nullable(CanvasScale)),
    data: Type.Object({}, { description: 'The graph, which is not checked.' }),
    pins: Type.Optional(Pins),
  }),
  success: {
    200: { description: 'The draft, without its graph.', data: DraftSummary, headers: etag },
  },
  errors: ['PRECONDITION_FAILED', 'QUOTA_EXCEEDED'],
  repeatable: true,
  async handle(context, { params: { draftId }, body }) {
    const { accountId } = requireSession(context)
    const { db, clock } = context.services
    const { workflowId = null, baseVersion = null, canvasScale = null } = body
    const done = await storeDraft(db, {
      accountId,
      id: draftId,
      content: {
        workflowId,
        baseVersion,
        name: body.name.trim(),
        canvasScale,
        data: JSON.stringify(body.data),
        pins: body.pins ? JSON.stringify(body.pins) : null,
      },
      ifRevision: readCondition(context),
      maxDrafts,
      nowMs: clock.nowMs(),
    })
    if (done.outcome === 'changed') throw changed(done.revision)
    if (done.outcome === 'too-many') {
      const message = `An account has at most ${maxDrafts} drafts. Delete one first.`
      throw new Failure('QUOTA_EXCEEDED', { message, retryable: false })
    }
    return answer(toSummary(done.row), { headers: { ETag: etagOf(done.row.revision) } })
  },
})

export const deleteDraft = defineConsole({
  id: 'deleteDraft',
  route: 'DELETE /drafts/{draftId}',
  summary: 'Deletes a draft permanently',
  access: 'editor',
  params,
  requestHeaders: ifMatchHeader,
  success: {
    200: {
      description: 'Deleted.',
      data: Closed({ draftId: summary.draftId, deleted: Type.Literal(true) }),
    },
  },
  errors: ['DRAFT_NOT_FOUND', 'PRECONDITION_FAILED'],
  audit: unrecorded,
  repeatable: true,
  async handle(context, { params: { draftId } }) {
    const { accountId } = requireSession(context)
    const ifRevision = readIfMatch(context.headerValues)
    const done = await removeDraft(context.services.db, { accountId, id: draftId, ifRevision })
    if (done === undefined) throw new Failure('DRAFT_NOT_FOUND')
    if (done !== 'deleted') throw changed(done)
    return answer({ draftId, deleted: true })
  },
})
