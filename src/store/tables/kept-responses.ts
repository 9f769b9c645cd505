import type { Db, Reader, Writer } from '../db.ts'
import type { SecretBox } from '../secret-box.ts'
import { bigint, bytes, orNull, table, uuid } from '../table.ts'

const rows = table({ id: uuid, previous_id: orNull(uuid), size_bytes: bigint, content: bytes })
const links = rows.without('content')

export type ResponseLink = { id: string; previous_id: string | null; size_bytes: number }

/** Bound to the account too, so that a row copied to another one cannot be opened. */
const rowKey = (accountId: string, id: string) => ({
  table: 'kept_responses',
  row: `${accountId} ${id}`,
})

export type NewKeptResponse = {
  accountId: string
  id: string
  previousId: string | null
  content: Uint8Array
  nowMs: number
  expiresAtMs: number
}

/**
 * Those that it continues live as long as it does. They are written again only if they would expire
 * before `renewBeforeMs`, because SQLite writes the whole of a row anew.
 */
export async function insertKeptResponse(
  db: Db,
  box: SecretBox,
  kept: NewKeptResponse,
  continued: { ids: readonly string[]; renewBeforeMs: number },
): Promise<void> {
  const { accountId, id, previousId, content, nowMs, expiresAtMs } = kept
  const sealed = box.seal(rowKey(accountId, id), content)
  await db.transaction(async (tx) => {
    await tx.write(
      `insert into kept_responses
         (id, account_id, previous_id, content, size_bytes, created_at, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [id, accountId, previousId, sealed, sealed.length, nowMs, expiresAtMs],
    )
    if (continued.ids.length === 0) return
    await tx.write(
      `update kept_responses set expires_at = $3
       where account_id = $1 and id ${tx.dialect.inList('$2', 'uuid')} and expires_at < $4`,
      [accountId, tx.dialect.list(continued.ids), expiresAtMs, continued.renewBeforeMs],
    )
  })
}

/** The contents of those that the account has, by their ids. */
export async function openKeptResponses(
  db: Reader,
  box: SecretBox,
  accountId: string,
  { ids, nowMs }: { ids: readonly string[]; nowMs: number },
): Promise<Map<string, Buffer>> {
  const found = await rows.all.query(
    db,
    `select ${rows.all.columns} from kept_responses
     where account_id = $1 and id ${db.dialect.inList('$2', 'uuid')} and expires_at > $3`,
    [accountId, db.dialect.list(ids), nowMs],
  )
  return new Map(found.map(({ id, content }) => [id, box.open(rowKey(accountId, id), content)]))
}

/** It and those that it continues, the newest first, as far as they are kept. */
export const chainOfResponses = (
  db: Reader,
  accountId: string,
  { id, nowMs }: { id: string; nowMs: number },
): Promise<ResponseLink[]> =>
  links.query(
    db,
    `with recursive chain (id, previous_id, size_bytes, position) as (
       select id, previous_id, size_bytes, 0 from kept_responses
       where account_id = $1 and id = $2 and expires_at > $3
       union all
       select earlier.id, earlier.previous_id, earlier.size_bytes, chain.position + 1
       from kept_responses earlier join chain on earlier.id = chain.previous_id
       where earlier.account_id = $1 and earlier.expires_at > $3
     )
     select id, previous_id, size_bytes from chain order by position`,
    [accountId, id, nowMs],
  )

/** False if the account has no such response. */
export async function deleteKeptResponse(
  db: Writer,
  accountId: string,
  { id, nowMs }: { id: string; nowMs: number },
): Promise<boolean> {
  const deleted = await db.write(
    `delete from kept_responses
     where account_id = $1 and id = $2 and expires_at > $3 returning id`,
    [accountId, id, nowMs],
  )
  return deleted.length > 0
}

export async function sizeOfKeptResponses(db: Reader, accountId: string): Promise<number> {
  const [row] = await db.query<{ total: number | string | null }>(
    `select sum(size_bytes) as total from kept_responses where account_id = $1`,
    [accountId],
  )
  return Number(row?.total ?? 0)
}

/** Deletes the oldest of an account, so that the newest of them are at most so large together. */
export async function deleteOldestResponses(
  db: Writer,
  accountId: string,
  mostBytes: number,
): Promise<void> {
  await db.write(
    `delete from kept_responses where id in (
       select id from (
         select id, sum(size_bytes) over (order by created_at desc, id desc) as total
         from kept_responses where account_id = $1
       ) newest where total > $2
     )`,
    [accountId, mostBytes],
  )
}

export async function deleteExpiredResponses(
  db: Writer,
  nowMs: number,
  limit: number,
): Promise<number> {
  const deleted = await db.write(
    `delete from kept_responses where id in (
       select id from kept_responses where expires_at <= $1 order by expires_at limit $2
     ) returning id`,
    [nowMs, limit],
  )
  return deleted.length
}
