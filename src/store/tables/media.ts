import { type Db, type Reader, type Tx, UniqueViolation } from '../db.ts'
import { bigint, integer, orNull, type Row, real, table, text, time, uuid } from '../table.ts'

/** What can be read from the bytes themselves. */
export type MediaFacts = {
  mimeType: string
  sizeBytes: number
  width?: number
  height?: number
  durationSeconds?: number
  hasAudio?: boolean
}

/** Plain JSON: a task keeps an array of these. */
export type MediaRecord = MediaFacts & {
  id: string
  accountId: string
  hash: string
  createdAtMs: number
}

export type StoredMedia = { record: MediaRecord; blob: string }

/** Tables whose rows refer to a blob; each row counts as one of its references. */
type ReferencingTable = 'media' | 'payloads'

export type NewMedia = Pick<MediaRecord, 'id' | 'accountId' | 'createdAtMs'> & {
  table: ReferencingTable
}

const blobs = table({
  name: text(),
  hash: text(),
  mime_type: text(),
  size_bytes: bigint,
  width: orNull(bigint),
  height: orNull(bigint),
  duration_seconds: orNull(real),
  /** 0 or 1. */
  has_audio: orNull(integer),
}).all

/** What is read from a row of `media`; the rest is in the row of its blob. */
const media = table({ id: uuid, account_id: uuid, created_at: time }).all
const mediaWithBlob = blobs.beside<Row<typeof media>>()
const joined = `select ${blobs.of('b')}, ${media.of('m')}
  from media m join media_blobs b on b.name = m.blob`

type BlobRow = Row<typeof blobs>

const maxAttempts = 5

/** Added to the condition on the state, or SQLite would not use the partial index. */
const unsettled = `state <> 'LIVE'`

/**
 * Adding a reference locks the blob's row, and so does dropping the last one: whoever comes second
 * sees what the first did, and a LEAVING blob is never referred to again.
 */
async function shareLive(tx: Tx, hash: string, added: NewMedia): Promise<MediaRecord | null> {
  const [blob] = await blobs.write(
    tx,
    `update media_blobs set refs = refs + 1 where hash = $1 and state = 'LIVE'
     returning ${blobs.columns}`,
    [hash],
  )
  return blob ? insertMedia(tx, blob, added) : null
}

async function insertMedia(tx: Tx, blob: BlobRow, added: NewMedia): Promise<MediaRecord> {
  const { table, ...record } = added
  await tx.write(
    `insert into ${table} (id, account_id, blob, created_at) values ($1, $2, $3, $4)`,
    [record.id, record.accountId, blob.name, record.createdAtMs],
  )
  return toRecord(blob, record)
}

/** Null if no complete blob with this content is stored. */
export const addMediaToLiveBlob = (db: Db, hash: string, added: NewMedia) =>
  db.transaction((tx) => shareLive(tx, hash, added))

/** Adds another row for the same bytes. Null if the account no longer has such a record. */
export const copyMedia = (
  db: Db,
  { accountId, id }: { accountId: string; id: string },
  copy: NewMedia,
): Promise<MediaRecord | null> =>
  db.transaction(async (tx) => {
    const [blob] = await blobs.write(
      tx,
      `update media_blobs set refs = refs + 1 where state = 'LIVE'
         and name = (select blob from media where id = $1 and account_id = $2)
       returning ${blobs.columns}`,
      [id, accountId],
    )
    return blob ? insertMedia(tx, blob, copy) : null
  })

/** Call it before the first byte is written: after a crash, this row is how to find the bytes. */
export const addArrivingBlob = (
  db: Db,
  blob: { name: string; hash: string; facts: MediaFacts; createdAtMs: number },
) =>
  db.write(
    `insert into media_blobs (name, hash, state, refs, created_at, mime_type, size_bytes, width,
       height, duration_seconds, has_audio)
     values ($1, $2, 'ARRIVING', 0, $3, $4, $5, $6, $7, $8, $9)`,
    [
      blob.name,
      blob.hash,
      blob.createdAtMs,
      blob.facts.mimeType,
      blob.facts.sizeBytes,
      blob.facts.width ?? null,
      blob.facts.height ?? null,
      blob.facts.durationSeconds ?? null,
      blob.facts.hasAudio === undefined ? null : Number(blob.facts.hasAudio),
    ],
  )

/**
 * Adds a row for the blob that arrived or, if another with the same content came first, for that
 * one. Null if the arrival was given up meanwhile.
 */
export async function addMediaToArrivedBlob(
  db: Db,
  { name, hash }: { name: string; hash: string },
  added: NewMedia,
): Promise<MediaRecord | null> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction(async (tx) => {
        const shared = await shareLive(tx, hash, added)
        if (!shared) return goLive(tx, name, added)
        await tx.write(`update media_blobs set state = 'LEAVING' where name = $1`, [name])
        return shared
      })
    } catch (error) {
      // The same content arrived twice: the index lets one blob go live, and the other shares it.
      if (!(error instanceof UniqueViolation) || attempt === maxAttempts) throw error
    }
  }
}

async function goLive(tx: Tx, name: string, added: NewMedia): Promise<MediaRecord | null> {
  const [blob] = await blobs.write(
    tx,
    `update media_blobs set state = 'LIVE', refs = 1 where name = $1 and state = 'ARRIVING'
     returning ${blobs.columns}`,
    [name],
  )
  return blob ? insertMedia(tx, blob, added) : null
}

/** For callers that proved by a signed address that they may see it. */
export async function findMediaOfAnyone(db: Reader, id: string): Promise<StoredMedia | null> {
  const [row] = await mediaWithBlob.query(db, `${joined} where m.id = $1`, [id])
  return row ? toStored(row) : null
}

export async function findMedia(
  db: Reader,
  accountId: string,
  id: string,
): Promise<StoredMedia | null> {
  const [row] = await mediaWithBlob.query(db, `${joined} where m.id = $1 and m.account_id = $2`, [
    id,
    accountId,
  ])
  return row ? toStored(row) : null
}

const lookedUpAtOnce = 500

/** Those of these media that belong to the account, in no particular order. */
export async function findMediaAmong(
  db: Reader,
  accountId: string,
  ids: readonly string[],
): Promise<MediaRecord[]> {
  const records: MediaRecord[] = []
  for (let from = 0; from < ids.length; from += lookedUpAtOnce) {
    const rows = await mediaWithBlob.query(
      db,
      `${joined} where m.account_id = $1 and m.id ${db.dialect.inList('$2', 'uuid')}`,
      [accountId, db.dialect.list(ids.slice(from, from + lookedUpAtOnce))],
    )
    records.push(...rows.map((row) => toStored(row).record))
  }
  return records
}

/** Not of an account with a run that was to be woken before `overdueMs`: it has renewed nothing. */
export const removeMediaBefore = (
  db: Db,
  table: ReferencingTable,
  { beforeMs, overdueMs, limit }: { beforeMs: number; overdueMs: number; limit: number },
): Promise<number> =>
  db.transaction(async (tx) => {
    const removed = await tx.write<{ blob: string }>(
      `delete from ${table} where id in (select id from ${table} as old where created_at < $1
         and not exists (select 1 from runs r where r.account_id = old.account_id and r.wake_at < $3)
         order by created_at limit $2 ${db.dialect.skipLocked}) returning blob`,
      [beforeMs, limit, overdueMs],
    )
    await dropReferences(tx, removed)
    return removed.length
  })

async function dropReferences(tx: Tx, removed: readonly { blob: string }[]): Promise<void> {
  const drops = Map.groupBy(removed, (row) => row.blob)
  // Always in the same order, so that two of these cannot deadlock.
  for (const name of [...drops.keys()].sort()) {
    await tx.write(
      `update media_blobs set refs = refs - $2,
         state = case when refs = $2 then 'LEAVING' else state end where name = $1`,
      [name, drops.get(name)?.length ?? 0],
    )
  }
}

/** Removes media of an account before their time. */
export async function removeMedia(
  tx: Tx,
  accountId: string,
  ids: readonly string[],
): Promise<void> {
  const removed = await tx.write<{ blob: string }>(
    `delete from media where account_id = $1 and id ${tx.dialect.inList('$2', 'uuid')}
     returning blob`,
    [accountId, tx.dialect.list(ids)],
  )
  await dropReferences(tx, removed)
}

/** Gives up old arrivals: their process died, or it would have settled them long ago. */
export const giveUpArrivals = (db: Db, beforeMs: number, limit: number) =>
  db.write(
    `update media_blobs set state = 'LEAVING' where name in (select name from media_blobs
       where ${unsettled} and state = 'ARRIVING' and created_at < $1 limit $2 ${db.dialect.skipLocked})
       and state = 'ARRIVING'`,
    [beforeMs, limit],
  )

export const leavingBlobs = (db: Reader, limit: number): Promise<string[]> =>
  db
    .query<{ name: string }>(
      `select name from media_blobs where ${unsettled} and state = 'LEAVING'
       order by created_at limit $1`,
      [limit],
    )
    .then((rows) => rows.map((row) => row.name))

/** The blobs that records refer to. */
export const liveBlobs = (db: Reader): Promise<string[]> =>
  db
    .query<{ name: string }>(`select name from media_blobs where state = 'LIVE' order by name`)
    .then((rows) => rows.map((row) => row.name))

export async function isLiveBlob(db: Reader, name: string): Promise<boolean> {
  const rows = await db.query(
    `select 1 as one from media_blobs where name = $1 and state = 'LIVE'`,
    [name],
  )
  return rows.length > 0
}

/** For a blob whose bytes are gone: its records are deleted too, as if they had expired. */
export const dropBlob = (db: Db, name: string) =>
  db.writeAll(() => [
    { sql: `delete from media where blob = $1`, rows: [[name]] },
    { sql: `delete from payloads where blob = $1`, rows: [[name]] },
    { sql: `delete from media_blobs where name = $1`, rows: [[name]] },
  ])

export const forgetBlob = (db: Db, name: string) =>
  db.write(`delete from media_blobs where name = $1 and state = 'LEAVING'`, [name])

function toRecord(blob: BlobRow, added: Omit<NewMedia, 'table'>): MediaRecord {
  return {
    ...added,
    hash: blob.hash,
    mimeType: blob.mime_type,
    sizeBytes: blob.size_bytes,
    ...(blob.width !== null && { width: blob.width }),
    ...(blob.height !== null && { height: blob.height }),
    ...(blob.duration_seconds !== null && { durationSeconds: blob.duration_seconds }),
    ...(blob.has_audio !== null && { hasAudio: blob.has_audio === 1 }),
  }
}

const toStored = (row: Row<typeof mediaWithBlob>): StoredMedia => ({
  blob: row.name,
  record: toRecord(row, {
    id: row.id,
    accountId: row.account_id,
    createdAtMs: row.created_at,
  }),
})
