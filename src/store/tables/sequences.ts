import type { Reader, Statement, Tx } from '../db.ts'

/** The lists whose rows are numbered per account. */
export type ListName = 'tasks' | 'deliveries' | `runs:${number}`

/**
 * Takes the next numbers of a list; returns the last of them. The row stays locked until the
 * transaction ends, so numbers become visible in order, and created_at never decreases as they
 * increase.
 */
export async function takeNumbers(
  tx: Tx,
  accountId: string,
  list: ListName,
  { count = 1, nowMs }: { count?: number; nowMs: number },
): Promise<{ lastSeq: number; createdAtMs: number }> {
  const [row] = await tx.write<{ last_seq: number; last_created_at: number }>(
    `insert into account_sequences as s (account_id, list, last_seq, removed_seq, last_created_at)
     values ($1, $2, $4, 0, $3)
     on conflict (account_id, list) do update set
       last_seq = s.last_seq + $4,
       last_created_at = case when s.last_created_at > excluded.last_created_at
         then s.last_created_at else excluded.last_created_at end
     returning last_seq, last_created_at`,
    [accountId, list, nowMs, count],
  )
  if (!row) throw new Error('an upsert returned no row')
  return { lastSeq: row.last_seq, createdAtMs: row.last_created_at }
}

/** The last number of a list, for `continueList`. */
export async function lastOfList(
  db: Reader,
  accountId: string,
  list: ListName,
): Promise<{ seq: number; createdAtMs: number }> {
  const [row] = await db.query<{ last_seq: number; last_created_at: number }>(
    `select last_seq, last_created_at from account_sequences where account_id = $1 and list = $2`,
    [accountId, list],
  )
  return { seq: row?.last_seq ?? 0, createdAtMs: row?.last_created_at ?? 0 }
}

/** Extends a list up to `seq`, if it still ends with `after`. */
export const continueList = (
  accountId: string,
  list: ListName,
  { after, seq, createdAtMs }: { after: number; seq: number; createdAtMs: number },
): Statement => ({
  sql: `insert into account_sequences as s (account_id, list, last_seq, removed_seq, last_created_at)
     values ($1, $2, $4, 0, $5)
     on conflict (account_id, list) do update set last_seq = $4, last_created_at = $5
       where s.last_seq = $3
     returning last_seq`,
  rows: [[accountId, list, after, seq, createdAtMs]],
  isGuard: true,
})

/** Returns the last `count` numbers taken in this transaction to the list. */
export const returnNumbers = (tx: Tx, accountId: string, list: ListName, count: number) =>
  tx.write(
    `update account_sequences set last_seq = last_seq - $3 where account_id = $1 and list = $2`,
    [accountId, list, count],
  )

/** Locks an account's list until the transaction ends, so that counts made meanwhile stay true. */
export const lockList = (tx: Tx, accountId: string, list: ListName) =>
  tx.write(`update account_sequences set list = list where account_id = $1 and list = $2`, [
    accountId,
    list,
  ])

/**
 * Deletes rows from the old end of a list, up to `seq` or to the first that is still open, so that
 * the remaining numbers have no gaps. Returns the ids of the deleted rows.
 */
async function deleteOldEnd(
  tx: Tx,
  table: 'tasks' | 'deliveries',
  { accountId, seq }: { accountId: string; seq: number },
): Promise<string[]> {
  await lockList(tx, accountId, table)
  const [open] = await tx.query<{ seq: number }>(
    `select seq from ${table} where account_id = $1 and seq <= $2 and completed_at is null
     order by seq limit 1`,
    [accountId, seq],
  )
  const upTo = open ? open.seq - 1 : seq
  const rows = await tx.write<{ id: string }>(
    `delete from ${table} where account_id = $1 and seq <= $2 returning id`,
    [accountId, upTo],
  )
  await tx.write(
    `update account_sequences set removed_seq = $3
     where account_id = $1 and list = $2 and removed_seq < $3`,
    [accountId, table, upTo],
  )
  return rows.map(({ id }) => id)
}

/**
 * Deletes ended rows from before `beforeMs` at the old ends of all accounts' lists, up to about
 * `limit`. Returns their ids.
 */
export async function deleteOldEnds(
  tx: Tx,
  table: 'tasks' | 'deliveries',
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<string[]> {
  const deleted: string[] = []
  // Lists whose oldest row is still open: what has ended behind it must not fill every chunk.
  const held: string[] = []
  while (deleted.length < limit) {
    const old = await tx.query<{ account_id: string; seq: number }>(
      `select account_id, max(seq) as seq from (
         select account_id, seq from ${table} where created_at < $1 and completed_at is not null
           and not (account_id ${tx.dialect.inList('$3', 'uuid')})
         order by created_at limit $2
       ) as oldest group by account_id`,
      [beforeMs, limit - deleted.length, tx.dialect.list(held)],
    )
    if (old.length === 0) break
    for (const { account_id: accountId, seq } of old) {
      const ids = await deleteOldEnd(tx, table, { accountId, seq })
      deleted.push(...ids)
      if (ids.length === 0) held.push(accountId)
    }
  }
  return deleted
}

/** Makes checks of an account's spend pass one at a time: two cannot both spend the last cent. */
export const lockAccountSpend = (tx: Tx, accountId: string) =>
  tx.write(
    `insert into account_sequences as s (account_id, list, last_seq, removed_seq, last_created_at)
     values ($1, 'spend', 0, 0, 0)
     on conflict (account_id, list) do update set last_seq = s.last_seq`,
    [accountId],
  )

export type ListBounds = { lastSeq: number; removedSeq: number }

export async function listBounds(
  db: Reader,
  accountId: string,
  list: ListName,
): Promise<ListBounds> {
  const [row] = await db.query<{ last_seq: number; removed_seq: number }>(
    `select last_seq, removed_seq from account_sequences where account_id = $1 and list = $2`,
    [accountId, list],
  )
  return { lastSeq: row?.last_seq ?? 0, removedSeq: row?.removed_seq ?? 0 }
}

/** A page of a list, or with `after` the items that follow a position. */
export type ListPage = { page: number; size: number; after?: readonly number[] | null }

/** The rows of a page, and where the next one begins. */
export type Listed<Row> = { rows: Row[]; total: number; next: readonly number[] | null }

/**
 * The numbers on one page, newest first; empty when `newest` < `oldest`. `next` is the position of
 * its last item, null at the end of the list.
 */
export function pageRange({ lastSeq, removedSeq }: ListBounds, { page, size, after }: ListPage) {
  const [last] = after ?? []
  const newest = last === undefined ? lastSeq - (page - 1) * size : Math.min(last - 1, lastSeq)
  const oldest = Math.max(newest - size + 1, removedSeq + 1)
  const next = newest >= oldest && oldest > removedSeq + 1 ? [oldest] : null
  return { newest, oldest, next, total: lastSeq - removedSeq }
}
