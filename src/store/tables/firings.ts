// Occurrences of triggers. A row is unique by trigger and occurrence, and holds the random key of
// its run: whoever starts that run, and however often, there is one.
import type { RunStatus } from '#core/run-states.ts'
import type { FiringReason, FiringStatus } from '#core/triggers/trigger.ts'
import type { Db, Reader, Tx, Writer } from '../db.ts'
import { bigint, integer, orNull, type Row, table, text, time, uuid } from '../table.ts'

const firingTable = table({
  id: uuid,
  account_id: uuid,
  trigger_id: uuid,
  workflow_id: bigint,
  /** A nominal UTC instant, or the hash of what makes a request the same as another. */
  occurrence: text(),
  scheduled_at: time,
  created_at: time,
  status: text<FiringStatus>(),
  /** Of one that is PENDING: why it must not begin any more, unless it has a run already. */
  reason: orNull(text<FiringReason>()),
  message: orNull(text()),
  /** How many occurrences the row stands for. */
  missed: bigint,
  run_key: text(),
  run_id: orNull(uuid),
  /** JSON, of a webhook whose run has not begun yet. */
  inputs: orNull(text()),
  tries: integer,
  try_at: orNull(time),
})
export const wholeFiring = firingTable.all
export type FiringRow = Row<typeof wholeFiring>
const { columns } = wholeFiring

const listed = firingTable
  .without('inputs', 'run_key', 'tries', 'try_at')
  .beside<{ run_status: RunStatus | null; run_wake_at: number | null }>()
export type ListedFiring = Row<typeof listed>
const withRun = `select ${listed.of('f')}, r.status as run_status, r.wake_at as run_wake_at
  from firings f left join runs r on r.id = f.run_id`

/** Newest first, before the firing `before`. */
export const listFirings = (
  db: Reader,
  { accountId, triggerId }: { accountId: string; triggerId: string },
  { before, limit }: { before: string | null; limit: number },
): Promise<ListedFiring[]> =>
  listed.query(
    db,
    `${withRun}
     where f.account_id = $1 and f.trigger_id = $2 ${before === null ? '' : 'and f.id < $3'}
     order by f.id desc limit ${limit}`,
    [accountId, triggerId, ...(before === null ? [] : [before])],
  )

/** The newest of each of these triggers. */
export const lastFirings = (
  db: Reader,
  accountId: string,
  triggerIds: readonly string[],
): Promise<ListedFiring[]> =>
  listed.query(
    db,
    `${withRun}
     where f.account_id = $1 and f.id in (
       select (select n.id from firings n where n.account_id = $1 and n.trigger_id = t.id
         order by n.id desc limit 1)
       from triggers t where t.id ${db.dialect.inList('$2', 'uuid')})`,
    [accountId, db.dialect.list(triggerIds)],
  )

/** As it is listed, whosever it is. */
export async function findListedFiring(
  db: Reader,
  triggerId: string,
  occurrence: string,
): Promise<ListedFiring | undefined> {
  const [row] = await listed.query(db, `${withRun} where f.trigger_id = $1 and f.occurrence = $2`, [
    triggerId,
    occurrence,
  ])
  return row
}

/** Whosever it is. */
export async function findFiringById(db: Reader, id: string): Promise<FiringRow | undefined> {
  const [row] = await wholeFiring.query(db, `select ${columns} from firings where id = $1`, [id])
  return row
}

export async function findFiring(db: Reader, triggerId: string, occurrence: string) {
  const [row] = await wholeFiring.query(
    db,
    `select ${columns} from firings where trigger_id = $1 and occurrence = $2`,
    [triggerId, occurrence],
  )
  return row
}

/** The newest of a locked trigger; whoever adds one keeps it up to date. */
export async function readNewest(
  tx: Tx,
  { id, account_id: accountId }: { id: string; account_id: string },
): Promise<{ newestId: string | null }> {
  const [row] = await tx.query<{ id: string }>(
    `select id from firings where account_id = $1 and trigger_id = $2 order by id desc limit 1`,
    [accountId, id],
  )
  return { newestId: row?.id ?? null }
}

/** Takes firings whose run nobody has started in time. They are held until `untilMs`. */
export const claimFirings = (
  db: Db,
  { nowMs, untilMs, limit }: { nowMs: number; untilMs: number; limit: number },
): Promise<FiringRow[]> =>
  wholeFiring.write(
    db,
    `update firings set try_at = $2, tries = tries + 1 where id in (
       select id from firings where status = 'PENDING' and try_at <= $1 order by try_at
       limit ${limit} ${db.dialect.skipLocked}) returning ${columns}`,
    [nowMs, untilMs],
  )

/** The oldest of a queue becomes the next to start. */
export async function takeQueued(tx: Tx, triggerId: string, untilMs: number) {
  const [row] = await wholeFiring.write(
    tx,
    `update firings set status = 'PENDING', try_at = $2 where id = (
       select id from firings where trigger_id = $1 and status = 'QUEUED' order by id limit 1)
     returning ${columns}`,
    [triggerId, untilMs],
  )
  return row
}

/**
 * Triggers whose queue may move on, as nothing before it is under way. Those that wait are left out:
 * their runs may last for weeks, and as many as the limit would hold up everybody else's for ever.
 */
export const triggersWithQueues = (db: Reader, limit: number) =>
  db
    .query<{ trigger_id: string }>(
      `select q.trigger_id from (select distinct trigger_id from firings where status = 'QUEUED') as q
       where not exists (select 1 from firings f left join runs r on r.id = f.run_id
         where f.trigger_id = q.trigger_id and f.status in ('PENDING', 'STARTED')
           and (f.status = 'PENDING' or r.id is not null and r.completed_at is null))
       limit ${limit}`,
    )
    .then((rows) => rows.map((row) => row.trigger_id))

/**
 * False if somebody else has stored it already. There is a run, so this also holds for a firing that
 * another process has left out meanwhile: it looked before the run was stored.
 */
export async function setStarted(db: Writer, id: string, runId: string): Promise<boolean> {
  const rows = await db.write(
    `update firings set status = 'STARTED', run_id = $2, reason = null, message = null,
       inputs = null, try_at = null
     where id = $1 and run_id is null returning id`,
    [id, runId],
  )
  return rows.length > 0
}

export const setSkipped = (
  db: Writer,
  id: string,
  { reason, message }: { reason: FiringReason; message: string },
) =>
  db.write(
    `update firings set status = 'SKIPPED', reason = $2, message = $3, inputs = null, try_at = null
     where id = $1 and status = 'PENDING'`,
    [id, reason, message.slice(0, 500)],
  )

export const setTryAgain = (db: Writer, id: string, tryAtMs: number) =>
  db.write(`update firings set try_at = $2 where id = $1 and status = 'PENDING'`, [id, tryAtMs])

/**
 * Returns how many it deleted. What still waits to begin stays, and so does the firing of a run
 * that has not ended, or not long ago: without it nobody would know that the run is still open.
 */
export async function deleteOldFirings(db: Db, beforeMs: number, limit: number): Promise<number> {
  // Looked for outside the transaction: firings of runs that sleep may have to be passed over.
  const old = await db.query<{ id: string }>(
    `select f.id from firings f left join runs r on r.id = f.run_id
     where f.created_at < $1 and f.status not in ('PENDING', 'QUEUED')
       and (r.id is null or r.completed_at < $1)
     order by f.created_at limit $2`,
    [beforeMs, limit],
  )
  if (old.length === 0) return 0
  const rows = await db.write(
    `delete from firings where id ${db.dialect.inList('$1', 'uuid')} and created_at < $2
       and status not in ('PENDING', 'QUEUED') returning id`,
    [db.dialect.list(old.map(({ id }) => id)), beforeMs],
  )
  return rows.length
}
