import type { TimedDelay } from '#core/delayed-call.ts'
import type { Reader } from '../db.ts'
import { taskTable } from './tasks.ts'

const delayedTask = taskTable.select('id', 'delayed')

/** Why tasks that were put off wait, by their ids. Once somebody works on one, it does not wait. */
export async function delaysOf(
  db: Reader,
  accountId: string,
  taskIds: readonly string[],
): Promise<ReadonlyMap<string, TimedDelay>> {
  if (taskIds.length === 0) return new Map()
  const rows = await delayedTask.query(
    db,
    `select id, delayed from tasks
     where account_id = $1 and id ${db.dialect.inList('$2', 'uuid')}
       and delayed is not null and owner is null and completed_at is null`,
    [accountId, db.dialect.list(taskIds)],
  )
  return new Map(rows.flatMap(({ id, delayed }) => (delayed ? [[id, delayed] as const] : [])))
}
