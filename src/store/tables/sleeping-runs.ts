// Runs that sleep, as time and cancellations see them. Like everything that closes waits, these
// statements update the row of the run first.
import { packNodes, unpackNodes } from '#core/run-nodes.ts'
import type { Db, Reader, Tx } from '../db.ts'
import type { Dialect } from '../dialect.ts'
import { type ClaimRules, queuesWithWork } from './claims.ts'
import { dropUnsentOf, hasSentCalls } from './economy-calls.ts'
import { type ClaimedRun, runClaims } from './run-work.ts'
import { type RunRow, wholeRun } from './runs.ts'
import { closeWaitsOfRuns } from './waits.ts'

/** Closes the waits of these runs whose time has come. The rows of the runs were updated before. */
export const passWaits = (tx: Tx, runIds: readonly string[]) =>
  tx.write(
    `update waits set status = case when kind = 'DELAY' then 'PASSED' else 'EXPIRED' end
     where run_id ${tx.dialect.inList('$1', 'uuid')} and status = 'OPEN'
       and expires_at <= (select ${tx.dialect.nowMs})`,
    [tx.dialect.list(runIds)],
  )

/** For runs that a worker executes while some of their waits end. */
export const passWaitsOf = (db: Db, runIds: readonly string[]) =>
  db.transaction(async (tx) => {
    const runs = await tx.write<{ id: string }>(
      `update runs set wakes = wakes + 1
       where id ${tx.dialect.inList('$1', 'uuid')} and completed_at is null and wake_at is null
       returning id`,
      [tx.dialect.list(runIds)],
    )
    if (runs.length === 0) return
    await passWaits(
      tx,
      runs.map(({ id }) => id),
    )
    tx.notify('waits')
  })

/** With the clock read for each row, PostgreSQL would look at every sleeping run. */
const isDue = ({ nowMs }: Dialect) => `wake_at <= (select ${nowMs})`

/** Sleepers whose time has come. To claim one is to wake it. */
export const dueClaims = (dialect: Dialect): ClaimRules<ClaimedRun> => ({
  ...sleeperClaims,
  waits: isDue(dialect),
})
const { isDue: _, ...ofRuns } = runClaims
const sleeperClaims: Omit<ClaimRules<ClaimedRun>, 'waits'> = {
  ...ofRuns,
  order: 'wake_at',
  set: `${runClaims.set}, wakes = wakes + 1, wake_at = null`,
}

/** If fewer are due, these are all; if more, they may all be of one account. */
const lookedAt = 200
const maxAccounts = 10_000

/** Accounts with sleepers whose time has come, in order. */
export async function accountsWithDueRuns(db: Reader): Promise<string[]> {
  const due = isDue(db.dialect)
  const first = await db.query<{ account_id: string }>(
    `select account_id from runs where ${due} order by wake_at limit ${lookedAt}`,
  )
  if (first.length < lookedAt) return [...new Set(first.map((run) => run.account_id))].sort()
  const sleepers = { table: 'runs', queue: 'account_id', waits: 'wake_at is not null' } as const
  const hasDue = `exists (select 1 from runs where account_id = queue and ${due})`
  return queuesWithWork(db, sleepers, null, maxAccounts, hasDue)
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
  await tx.run(dropUnsentOf(tx.dialect, [row.id]))
  const inFlight = (await hasSentCalls(tx, row.id)) ? 1 : 0
  const [ended] = await wholeRun.write(
    tx,
    `update runs set status = 'CANCELLED', completed_at = $2, nodes = $3, wake_at = null,
       wakes = wakes + 1, kept = null, in_flight = $4, cost_micros = coalesce(
         (select sum(l.cost_micros) from ledger l where l.run_id = runs.id), 0)
     where id = $1 and completed_at is null returning ${wholeRun.columns}`,
    [row.id, nowMs, cancelledNodes(row, nowMs), inFlight],
  )
  await tx.run(closeWaitsOfRuns(tx.dialect, [row.id]))
  return ended ?? row
}

function cancelledNodes({ nodes, created_at }: RunRow, nowMs: number): string | null {
  if (nodes === null) return null
  const left = unpackNodes(nodes.value, created_at).map((node) => {
    if (node.status === 'PENDING') return { ...node, status: 'CANCELLED' as const }
    // One that runs has a call that is made again later.
    if (node.status !== 'WAITING' && node.status !== 'RUNNING') return node
    return { ...node, status: 'CANCELLED' as const, completedAtMs: nowMs }
  })
  return packNodes(left, created_at)
}
