// Which providers the unfinished work of an account waits for. Asked every two seconds by whoever
// watches, so both statements read an index of unfinished work and a bounded number of rows.
import type { TimedDelay } from '#core/delayed-call.ts'
import { unpackNodes } from '#core/run-nodes.ts'
import type { Reader } from '../db.ts'
import { runTable } from './runs.ts'
import { taskTable } from './tasks.ts'

/** Runs and tasks that are looked at: to find what one waits for takes the states of all its nodes. */
export const maxDelayed = 500

const delayedRun = runTable.select('nodes', 'created_at')
const delayedTask = taskTable.select('delayed')

/** Calls that wait for limits of a provider key, or because the provider asked for it. */
export async function liveDelays(db: Reader, accountId: string): Promise<TimedDelay[]> {
  const [runs, tasks] = await Promise.all([
    delayedRun.query(
      db,
      `select nodes, created_at from (
         select * from (select r.nodes, r.created_at from workers w cross join runs r
           where r.owner = w.id and r.account_id = $1 limit ${maxDelayed}) as o
         union all
         select * from (select nodes, created_at from runs where account_id = $1
           and wake_at is not null order by wake_at limit ${maxDelayed}) as s
       ) as live where nodes like '%["LANE",%' or nodes like '%["RATE_LIMIT",%'`,
      [accountId],
    ),
    delayedTask.query(
      db,
      `select delayed from tasks where account_id = $1 and owner is null and completed_at is null
       and delayed is not null order by run_at limit ${maxDelayed}`,
      [accountId],
    ),
  ])
  return [
    ...runs.flatMap(({ nodes, created_at: createdMs }) =>
      unpackNodes(nodes?.value ?? [], createdMs).flatMap(({ delayed = [] }) => delayed),
    ),
    ...tasks.flatMap(({ delayed }) => delayed ?? []),
  ].filter(({ kind }) => kind === 'LANE' || kind === 'RATE_LIMIT')
}
