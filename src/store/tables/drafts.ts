import type { Db, Reader, Tx } from '../db.ts'
import {
  bigint,
  integer,
  lazyJson,
  orNull,
  type Row,
  real,
  table,
  text,
  time,
  uuid,
} from '../table.ts'
import { lockAccount } from './accounts.ts'

const declared = table({
  id: uuid,
  workflow_id: orNull(bigint),
  base_version: orNull(integer),
  name: text(),
  canvas_scale: orNull(real),
  revision: integer,
  created_at: time,
  updated_at: time,
  data: lazyJson<object>(),
  pins: orNull(text()),
})
const drafts = declared.without('data', 'pins')
const whole = declared.all

export type DraftRow = Row<typeof drafts>
type WholeDraft = Row<typeof whole>

export type DraftContent = {
  workflowId: number | null
  baseVersion: number | null
  name: string
  canvasScale: number | null
  /** JSON, as it was sent. */
  data: string
  /** JSON: the runs whose results are pinned, by id of the node. */
  pins: string | null
}

/** Most recently changed first. */
export const listDrafts = (db: Reader, accountId: string) =>
  drafts.query(
    db,
    `select ${drafts.columns} from drafts where account_id = $1 order by updated_at desc, id desc`,
    [accountId],
  )

export async function findDraft(db: Reader, accountId: string, id: string) {
  const [row] = await whole.query(
    db,
    `select ${whole.columns} from drafts where account_id = $1 and id = $2`,
    [accountId, id],
  )
  return row
}

export type PutDraft =
  | { outcome: 'stored'; row: DraftRow }
  /** Another revision is stored; null if there is no draft. */
  | { outcome: 'changed'; revision: number | null }
  | { outcome: 'too-many' }

/**
 * Stores a draft if its revision is among `ifRevision` (null: any; 'new': only if there is no draft
 * yet). Content that is already stored is accepted but not written again: an answer may have been
 * lost.
 */
export const putDraft = (
  db: Db,
  draft: {
    accountId: string
    id: string
    content: DraftContent
    ifRevision: ReadonlySet<number> | 'new' | null
    maxDrafts: number
    nowMs: number
  },
): Promise<PutDraft> =>
  db.transaction(async (tx) => {
    // New drafts of an account are counted one at a time.
    await lockAccount(tx, draft.accountId)
    const stored = await findDraft(tx, draft.accountId, draft.id)
    if (stored && isSame(stored, draft.content)) return { outcome: 'stored', row: stored }
    const { ifRevision } = draft
    const isWanted =
      ifRevision === null ||
      (ifRevision === 'new' ? !stored : stored !== undefined && ifRevision.has(stored.revision))
    if (!isWanted) return { outcome: 'changed', revision: stored?.revision ?? null }
    if (!stored && (await countDrafts(tx, draft.accountId)) >= draft.maxDrafts) {
      return { outcome: 'too-many' }
    }
    return { outcome: 'stored', row: await upsert(tx, draft) }
  })

const isSame = (row: WholeDraft, content: DraftContent): boolean =>
  row.data.text === content.data &&
  row.pins === content.pins &&
  row.name === content.name &&
  row.workflow_id === content.workflowId &&
  row.base_version === content.baseVersion &&
  row.canvas_scale === content.canvasScale

async function countDrafts(tx: Tx, accountId: string): Promise<number> {
  const [row] = await tx.query<{ n: number }>(
    'select count(*) as n from drafts where account_id = $1',
    [accountId],
  )
  return Number(row?.n ?? 0)
}

async function upsert(
  tx: Tx,
  draft: { accountId: string; id: string; content: DraftContent; nowMs: number },
): Promise<DraftRow> {
  const { workflowId, baseVersion, name, canvasScale, data, pins } = draft.content
  const [row] = await drafts.write(
    tx,
    `insert into drafts (account_id, id, workflow_id, base_version, name, canvas_scale, data, pins,
       revision, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $9, 1, $8, $8)
     on conflict (account_id, id) do update set workflow_id = excluded.workflow_id,
       base_version = excluded.base_version, name = excluded.name,
       canvas_scale = excluded.canvas_scale, data = excluded.data,
       pins = excluded.pins, revision = drafts.revision + 1, updated_at = excluded.updated_at
     returning ${drafts.columns}`,
    [
      ...[draft.accountId, draft.id, workflowId, baseVersion, name, canvasScale, data],
      ...[draft.nowMs, pins],
    ],
  )
  if (!row) throw new Error('an insert returned no row')
  return row
}

/** Returns the stored revision if it is not among `ifRevision`; undefined if there is no draft. */
export const deleteDraft = (
  db: Db,
  {
    accountId,
    id,
    ifRevision,
  }: { accountId: string; id: string; ifRevision: ReadonlySet<number> | null },
): Promise<'deleted' | number | undefined> =>
  db.transaction(async (tx) => {
    await lockAccount(tx, accountId)
    const stored = await findDraft(tx, accountId, id)
    if (!stored) return undefined
    if (ifRevision !== null && !ifRevision.has(stored.revision)) return stored.revision
    await tx.write('delete from drafts where account_id = $1 and id = $2', [accountId, id])
    return 'deleted'
  })
