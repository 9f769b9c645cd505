// Runs that sleep, as time and cancellations see them. Like everything that closes waits, these
// statements update the row of the run first.
import { packNodes, unpackNodes } from '#core/run-nodes.ts'
import type { Db, Param, Reader, Tx } from '../db.ts'
import { type RunRow, wholeRun } from './runs.ts'
import { closeWaitsOfRuns } from './waits.ts'

/**
 * Closes the waits of these runs whose time has come. `where` says of which of the runs: all that
 * have not ended, or those asleep.
 */
async function passWaits(tx: Tx, which: string, params: readonly Param[]): Promise<number> {
  const { nowMs, inList, list } = tx.dialect
  const runs = await tx.write<{ id: string; owner: string | null }>(
    `update runs set wakes = wakes + 1, wake_at = null,
       run_at = case when wake_at is null then run_at else ${nowMs} end
     where ${which} returning id, owner`,
    params,
  )
  if (runs.length === 0) return 0
  await tx.write(
    `update waits set status = case when kind = 'DELAY' then 'PASSED' else 'EXPIRED' end
     where run_id ${inList('$1', 'uuid')} and status = 'OPEN' and expires_at <= ${nowMs}`,
    [list(runs.map(({ id }) => id))],
  )
  if (runs.some(({ owner }) => owner === null)) tx.notify('runs')
  if (runs.some(({ owner }) => owner !== null)) tx.notify('waits')
  return runs.length
}

/** For runs that a worker executes while some of their waits end. */
export const passWaitsOf = (db: Db, runIds: readonly string[]) =>
  db.transaction((tx) =>
    passWaits(tx, `id ${tx.dialect.inList('$1', 'uuid')} and completed_at is null`, [
      tx.dialect.list(runIds),
    ]),
  )

/** Wakes sleeping runs whose time has come, the longest overdue first. Returns how many. */
export async function wakeDueRuns(db: Db, limit: number): Promise<number> {
  // In a query of its own the clock is read once: PostgreSQL would otherwise read it for each row,
  // and look at every sleeping run instead of using the index.
  const isDue = `wake_at <= (select ${db.dialect.nowMs})`
  const some = await db.query(`select 1 as one from runs where ${isDue} order by wake_at limit 1`)
  if (some.length === 0) return 0
  const due = `id in (select id from runs where ${isDue} order by wake_at limit $1
    ${db.dialect.skipLocked})`
  return db.transaction((tx) => passWaits(tx, due, [limit]))
}

/** Stops counting at `limit`. */
export async function countSleepingRuns(
  db: Reader,
  accountId: string,
  limit: number,
): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    `select count(*) as n from (select 1 as one from runs
       where account_id = $1 and wake_at is not null limit $2) as asleep`,
    [accountId, limit],
  )
  return row?.n ?? 0
}

/** Ends a sleeping run that was asked to stop: no worker has to be waited for. */
export async function endSleepingRun(tx: Tx, row: RunRow, nowMs: number): Promise<RunRow> {
  const [ended] = await wholeRun.write(
    tx,
    `update runs set status = 'CANCELLED', completed_at = $2, nodes = $3, wake_at = null,
       wakes = wakes + 1, kept = null, cost_micros = coalesce(
         (select sum(l.cost_micros) from ledger l where l.run_id = runs.id), 0)
     where id = $1 and completed_at is null returning ${wholeRun.columns}`,
    [row.id, nowMs, cancelledNodes(row, nowMs)],
  )
  await tx.run(closeWaitsOfRuns([row.id]))
  return ended ?? row
}

function cancelledNodes({ nodes, created_at }: RunRow, nowMs: number): string | null {
  if (nodes === null) return null
  const left = unpackNodes(nodes.value, created_at).map((node) => {
    if (node.status === 'PENDING') return { ...node, status: 'CANCELLED' as const }
    if (node.status !== 'WAITING') return node
    return { ...node, status: 'CANCELLED' as const, completedAtMs: nowMs }
  })
  return packNodes(left, created_at)
}
