// Claiming work. Tasks, runs and deliveries are rows that wait in queues, one queue for each
// account or receiver. A worker claims a row by writing its own name into `owner` and raising
// `epoch`; every later write names both, so that an earlier owner can no longer change the row.
//
//   waiting (owner null) ── claim ──▶ owned ── release ──▶ waiting
//                                       └───── end ──────▶ completed_at set, owner null
import { LeaseLost } from '#core/interruptions.ts'
import type { Db, Param, Reader, Statement, Tx, Writer } from '../db.ts'
import type { Selection, Stored } from '../table.ts'
import { writeUnderLease } from './workers.ts'

/** Tables whose rows are work; also the channels on which new work is announced. */
const workTables = ['tasks', 'runs', 'deliveries'] as const
export type WorkTable = (typeof workTables)[number]

/** Proof that a worker owns a row; every write of the work side carries it. */
export type Claim = { id: string; owner: string; epoch: number }

export type ClaimedRow = { id: string; epoch: number }

/** With the epoch, because a worker that lost its lease may claim the same row again. */
export const claimKey = ({ id, epoch }: ClaimedRow): string => `${id} ${epoch}`

export const claimOf = ({ id, epoch }: ClaimedRow, owner: string): Claim => ({ id, owner, epoch })

/** What distinguishes the claims of one table from those of the others. */
export type ClaimRules<Row extends ClaimedRow> = {
  table: WorkTable
  /** The column that names the queue of a row. */
  queue: string
  /** Which rows wait; a partial index covers this condition. */
  waits: string
  /** Which of them may be claimed now. Here and in `set`, the parameters from $4 on are `times`. */
  isDue?: string
  order: string
  /** What a claim changes besides owner and epoch. */
  set?: string
  /** The columns that a worker needs. */
  selection: Selection<Row>
  /** The limit of a queue applies to all processes together, rather than to each of them. */
  hasSharedLimit: boolean
}

/** At most `limit` rows of a queue; `room` is what this process has not used of a shared limit. */
export type PlannedClaim = { queue: string; limit: number; room: number }

/**
 * Queues with waiting rows after `cursor`, in order; each is found by one index look-up. `isWanted`
 * is SQL about each `queue`.
 */
export async function queuesWithWork(
  db: Reader,
  { table, queue, waits }: Pick<ClaimRules<ClaimedRow>, 'table' | 'queue' | 'waits'>,
  cursor: string | null,
  limit: number,
  isWanted = '1 = 1',
): Promise<string[]> {
  const first = (after: string) =>
    `select ${queue} from ${table} where ${waits} ${after} order by ${queue} limit 1`
  const rows = await db.query<{ queue: string }>(
    `with recursive found(queue) as (
       select (${first(cursor === null ? '' : `and ${queue} > $2`)})
       union all
       select (${first(`and ${queue} > found.queue`)}) from found where found.queue is not null
     )
     select queue from found where queue is not null and ${isWanted} limit $1`,
    cursor === null ? [limit] : [limit, cursor],
  )
  return rows.map((row) => row.queue)
}

export function claimStatement<Row extends ClaimedRow>(
  { isShared, dialect }: Pick<Db, 'isShared' | 'dialect'>,
  rules: ClaimRules<Row>,
  { owner, queue, limit, room }: PlannedClaim & { owner: string },
  times: readonly number[],
): Statement<Stored<Row>> {
  const { table, isDue, set } = rules
  const isCounted = rules.hasSharedLimit && isShared
  // Not needed by a process that has the database to itself: it knows every row that is owned.
  const ofOthers = `(select count(*) from workers w join ${table} t on t.owner = w.id
    where t.${rules.queue} = $2 and w.id <> $1)`
  const most = isCounted
    ? `least($3::bigint, greatest(0, $${4 + times.length}::bigint - ${ofOthers}))`
    : '$3'
  return {
    sql: `update ${table} set owner = $1, epoch = epoch + 1${set ? `, ${set}` : ''}
      where id in (select id from ${table}
        where ${rules.queue} = $2 and ${rules.waits} ${isDue ? `and (${isDue})` : ''}
        order by ${rules.order} limit ${most} ${dialect.skipLocked})
      returning ${rules.selection.columns}`,
    rows: [[owner, queue, limit, ...times, ...(isCounted ? [room] : [])]],
  }
}

/** Makes claims for one account pass one at a time, so that its owned rows can be counted. */
export const lockQueues = (table: WorkTable, queues: readonly string[]): Statement => ({
  sql: `insert into account_sequences as s (account_id, list, last_seq, removed_seq, last_created_at)
     values ($1, 'active-${table}', 0, 0, 0)
     on conflict (account_id, list) do update set last_seq = s.last_seq`,
  // Always in the same order, so that two processes cannot deadlock.
  rows: queues.toSorted().map((queue) => [queue]),
})

/** What the claim loop needs from the store. */
export type ClaimStore<Row extends ClaimedRow> = {
  /** Other processes may claim from the same queues. */
  readonly isShared: boolean
  listen(onWake: () => void): Promise<() => Promise<void>>
  queues(cursor: string | null, limit: number): Promise<string[]>
  /** Queues of work that comes in masses, as last seen, in order. They are not among the others. */
  pacedQueues?(): readonly string[]
  /** All in one commit that checks the lease; resolves with the rows of each planned claim. */
  claim(owner: string, plan: readonly PlannedClaim[]): Promise<Row[][]>
  release(owner: string, rows: readonly ClaimedRow[]): Promise<void>
  /** Releases rows of this owner that are not `working`: the answer to their claim was lost. */
  releaseOrphaned(owner: string, working: { has(claimKey: string): boolean }): Promise<void>
}

export const claimStore = <Row extends ClaimedRow>(
  db: Db,
  rules: ClaimRules<Row>,
  times: () => readonly number[] = () => [],
): ClaimStore<Row> => ({
  isShared: db.isShared,
  listen: (onWake) => db.listen(rules.table, onWake),
  queues: (cursor, limit) => queuesWithWork(db, rules, cursor, limit),
  async claim(owner, plan) {
    const isLocked = rules.hasSharedLimit && db.isShared
    const rows = await writeUnderLease(db, owner, () => {
      const now = times()
      const claims = plan.map((one) => claimStatement(db, rules, { ...one, owner }, now))
      const queues = plan.map(({ queue }) => queue)
      return isLocked ? [lockQueues(rules.table, queues), ...claims] : claims
    })
    const claimed = (isLocked ? rows.slice(1) : rows) as Stored<Row>[][]
    return claimed.map(rules.selection.read)
  },
  release: (owner, rows) => releaseRows(db, rules.table, owner, rows),
  async releaseOrphaned(owner, working) {
    const owned = await db.query<ClaimedRow>(
      `select id, epoch from ${rules.table} where owner = $1`,
      [owner],
    )
    const orphaned = owned.filter((row) => !working.has(claimKey(row)))
    await releaseRows(db, rules.table, owner, orphaned)
  },
})

async function releaseRows(
  db: Db,
  table: WorkTable,
  owner: string,
  rows: readonly ClaimedRow[],
): Promise<void> {
  if (rows.length === 0) return
  const sql = `update ${table} set owner = null where id = $1 and owner = $2 and epoch = $3`
  await db.writeAll(() => [{ sql, rows: rows.map(({ id, epoch }) => [id, owner, epoch]) }], {
    notify: table,
  })
}

/** Sets columns of an owned row (parameters from $4 on); throws LeaseLost if it is not owned. */
export async function updateClaimed<Row>(
  db: Writer,
  table: WorkTable,
  claim: Claim,
  { set, params, returning }: Update & { returning?: Selection<Row> },
): Promise<Row[]> {
  const rows = await db.write<Stored<Row>>(
    `update ${table} set ${set} where id = $1 and owner = $2 and epoch = $3
     returning ${returning?.columns ?? 'id'}`,
    [claim.id, claim.owner, claim.epoch, ...params],
  )
  if (rows.length === 0) throw new LeaseLost(claim.id)
  return returning?.read(rows) ?? []
}

type Update = { set: string; params: readonly Param[] }

/** A worker that releases a run has not died of it. */
const survived = (table: WorkTable) => (table === 'runs' ? ', deaths = 0' : '')

/** When released work may be claimed again, and how often it was released. */
export type Release = { atMs: number; releases: number }

/** Releases work that its worker could not continue. */
export const releaseUnfinished = (
  db: Writer,
  table: 'tasks' | 'runs',
  claim: Claim,
  { atMs, releases }: Release,
) =>
  updateClaimed(db, table, claim, {
    set: `owner = null, run_at = $4, releases = $5${survived(table)}`,
    params: [atMs, releases],
  })

/** Releases everything this worker owned, so that others can continue it at once. */
export async function releaseWorkOf(tx: Tx, owner: string): Promise<void> {
  for (const table of workTables) {
    await tx.write(`update ${table} set owner = null${survived(table)} where owner = $1`, [owner])
    tx.notify(table)
  }
}

/**
 * Releases rows whose owner is no longer a worker. It looks at all owners rather than at a list of
 * dead workers: a claim sent before its worker was declared dead may be committed afterwards.
 */
export async function releaseOrphans(tx: Tx): Promise<void> {
  for (const table of workTables) {
    const rows = await tx.write(
      `update ${table} set owner = null
       where owner is not null and owner not in (select id from workers) returning id`,
    )
    if (rows.length > 0) tx.notify(table)
  }
}

/** For a database that only one process uses: any earlier owner of work is gone. */
export async function releaseAllWork(db: Db): Promise<void> {
  for (const table of workTables) {
    await db.write(`update ${table} set owner = null where owner is not null`)
  }
}
