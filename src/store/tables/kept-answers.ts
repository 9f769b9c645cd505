import type { Db, Reader, Writer } from '../db.ts'
import type { SecretBox } from '../secret-box.ts'
import { bytes, orNull, table, text, uuid } from '../table.ts'

/** Bound to the account too, so that a row copied to another one cannot be opened. */
const rowKey = (accountId: string, id: string) => ({
  table: 'kept_answers',
  row: `${accountId} ${id}`,
})

type KeyOfAccount = { accountId: string; key: string }

export type NewKeptAnswer = KeyOfAccount & {
  id: string
  fingerprint: string
  nowMs: number
  expiresAtMs: number
  aliveMs: number
}

/** False if the account has used the key before and that has not expired. */
export async function insertKeptAnswer(db: Writer, row: NewKeptAnswer): Promise<boolean> {
  const inserted = await db.write(
    `insert into kept_answers
       (id, account_id, key, fingerprint, alive_until, content, size_bytes, expires_at)
     values ($1, $2, $3, $4, ${db.dialect.nowMs} + $5, null, 0, $6)
     on conflict (account_id, key) do update
       set id = excluded.id, fingerprint = excluded.fingerprint,
           alive_until = excluded.alive_until, content = null, size_bytes = 0,
           expires_at = excluded.expires_at
       where kept_answers.expires_at <= $7
     returning id`,
    [row.id, row.accountId, row.key, row.fingerprint, row.aliveMs, row.expiresAtMs, row.nowMs],
  )
  return inserted.length > 0
}

/** LOST: nobody carries the request out any more, and nobody knows what became of it. */
type State = 'ENDED' | 'UNDER_WAY' | 'LOST'

const rows = table({
  id: uuid,
  fingerprint: text(),
  content: orNull(bytes),
  state: text<State>(),
})

export type FoundAnswer = {
  fingerprint: string
  state: State
  /** Null as long as there is none, or if it was too large to be kept. */
  content: Buffer | null
}

export async function findKeptAnswer(
  db: Reader,
  box: SecretBox,
  { accountId, key, nowMs }: KeyOfAccount & { nowMs: number },
): Promise<FoundAnswer | undefined> {
  const [row] = await rows.all.query(
    db,
    `select id, fingerprint, content,
       case when alive_until is null then 'ENDED'
            when alive_until > (select ${db.dialect.nowMs}) then 'UNDER_WAY'
            else 'LOST' end as state
     from kept_answers where account_id = $1 and key = $2 and expires_at > $3`,
    [accountId, key, nowMs],
  )
  if (!row) return undefined
  const { id, fingerprint, state, content } = row
  return { fingerprint, state, content: content && box.open(rowKey(accountId, id), content) }
}

/** `content` null: it is only remembered that the request was carried out. */
export async function endKeptAnswer(
  db: Writer,
  box: SecretBox,
  { accountId, id, content }: { accountId: string; id: string; content: Uint8Array | null },
): Promise<void> {
  const sealed = content && box.seal(rowKey(accountId, id), content)
  await db.write(
    `update kept_answers set alive_until = null, content = $3, size_bytes = $4
     where account_id = $1 and id = $2`,
    [accountId, id, sealed, sealed?.length ?? 0],
  )
}

export async function renewKeptAnswers(
  db: Writer,
  { ids, aliveMs }: { ids: readonly string[]; aliveMs: number },
): Promise<void> {
  await db.write(
    `update kept_answers set alive_until = ${db.dialect.nowMs} + $2
     where id ${db.dialect.inList('$1', 'uuid')} and alive_until is not null`,
    [db.dialect.list(ids), aliveMs],
  )
}

/** At the start of the only process: whatever was under way ended with the one before. */
export async function loseKeptAnswers(db: Db): Promise<void> {
  if (db.isShared) return
  await db.write(`update kept_answers set alive_until = 0 where alive_until is not null`)
}

/** The key may then be used again. */
export async function deleteKeptAnswer(
  db: Writer,
  { accountId, id }: { accountId: string; id: string },
): Promise<void> {
  await db.write(`delete from kept_answers where account_id = $1 and id = $2`, [accountId, id])
}

export async function sizeOfKeptAnswers(db: Reader, accountId: string): Promise<number> {
  const [row] = await db.query<{ total: number | string | null }>(
    `select sum(size_bytes) as total from kept_answers where account_id = $1`,
    [accountId],
  )
  return Number(row?.total ?? 0)
}

export async function deleteExpiredAnswers(
  db: Writer,
  nowMs: number,
  limit: number,
): Promise<number> {
  const deleted = await db.write(
    `delete from kept_answers where id in (
       select id from kept_answers where expires_at <= $1 order by expires_at limit $2
     ) returning id`,
    [nowMs, limit],
  )
  return deleted.length
}
