import type { Db, Tx } from '../db.ts'

/** Fails tasks that did not start in time; nothing was sent, so nothing was paid. */
export const failOverdueTasks = (db: Tx | Db, nowMs: number, error: string) =>
  db.write<{ id: string }>(
    `update tasks set status = 'FAILED', completed_at = $1, error = $2, reserved_micros = 0
     where id in (select id from tasks
       where completed_at is null and status = 'QUEUED' and owner is null and deadline_at < $1
       limit 500)
     returning id`,
    [nowMs, error],
  )
