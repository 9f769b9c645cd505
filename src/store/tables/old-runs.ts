import { firstUuidAt } from '#core/ids.ts'
import type { Db, Tx } from '../db.ts'
import { forgetKeysOf } from './reusable-calls.ts'
import { runList } from './runs.ts'
import { listBounds, lockList } from './sequences.ts'

type Listed = { id: string; account_id: string; workflow_id: number }

/**
 * Deletes runs that ended before `beforeMs`, with their steps, the oldest first. Unfinished runs of
 * their lists stay, however old. Returns how many were deleted.
 */
export async function deleteOldRuns(db: Db, beforeMs: number, limit: number): Promise<number> {
  // The identifier of a run begins with its time: newer ones are not looked at.
  const old = await db.query<Listed>(
    `select id, account_id, workflow_id from runs
     where id < $1 and completed_at < $2 and in_flight = 0 order by id limit $3`,
    [firstUuidAt(beforeMs), beforeMs, limit],
  )
  const lists = Map.groupBy(old, ({ account_id, workflow_id }) => `${account_id} ${workflow_id}`)
  // Always in the same order, so that two processes cannot deadlock.
  const sorted = [...lists.keys()].sort().map((name) => lists.get(name) ?? [])
  let deleted = 0
  for (const runs of sorted) deleted += await db.transaction((tx) => deleteFromList(tx, runs))
  return deleted
}

/**
 * The numbers of a list have no gaps. Runs that stay below the deleted ones get numbers of those:
 * as many as there are, so that the cost does not depend on how many runs stay.
 */
async function deleteFromList(tx: Tx, runs: readonly Listed[]): Promise<number> {
  const [first] = runs
  if (!first) return 0
  const { account_id: accountId, workflow_id: workflowId } = first
  await lockList(tx, accountId, runList(workflowId))
  const { removedSeq } = await listBounds(tx, accountId, runList(workflowId))
  const gone = await tx.write<{ id: string; seq: number }>(
    `delete from runs where id ${tx.dialect.inList('$1', 'uuid')}
       and completed_at is not null and in_flight = 0 returning id, seq`,
    [tx.dialect.list(runs.map(({ id }) => id))],
  )
  const ids = gone.map(({ id }) => id)
  await tx.run(forgetKeysOf(accountId, ids))
  for (const table of ['steps', 'run_estimates', 'waits', 'economy_calls']) {
    await tx.run({
      sql: `delete from ${table} where run_id = $1`,
      rows: ids.map((id) => [id]),
    })
  }
  const upTo = removedSeq + gone.length
  const staying = await tx.query<{ id: string }>(
    `select id from runs where account_id = $1 and workflow_id = $2 and seq <= $3 order by seq`,
    [accountId, workflowId, upTo],
  )
  const free = gone
    .map(({ seq }) => seq)
    .filter((seq) => seq > upTo)
    .sort((a, b) => a - b)
  for (const [index, { id }] of staying.entries()) {
    await tx.write(`update runs set seq = $2 where id = $1`, [id, free[index] ?? 0])
  }
  await tx.write(
    `update account_sequences set removed_seq = $3 where account_id = $1 and list = $2`,
    [accountId, runList(workflowId), upTo],
  )
  return gone.length
}
