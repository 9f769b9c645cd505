// How much work waits, since when, and who works: for those who monitor a server.
import type { Db } from '../db.ts'
import type { WorkTable } from './claims.ts'
import { deliveryClaims } from './delivery-claims.ts'
import { runClaims } from './run-work.ts'
import { taskClaims } from './tasks.ts'

export type QueueGauge = {
  kind: WorkTable
  /** May be claimed now or later; not counted beyond `maxCounted`. */
  waiting: number
  /** Owned by a worker. */
  running: number
  /** Since when the oldest that waits could have been claimed; null if none can be. */
  oldestAtMs: number | null
}

/** Bounds the cost of one reading, however much work has piled up. */
export const maxCounted = 10_000

const queues = [
  { ...taskClaims, dueAt: 'run_at' },
  { ...runClaims, dueAt: 'run_at' },
  { ...deliveryClaims, dueAt: 'created_at' },
]

export const readQueueGauges = (db: Db, nowMs: number): Promise<QueueGauge[]> =>
  Promise.all(
    queues.map(async ({ table, waits, dueAt }) => {
      const [row] = await db.query<{ waiting: number; running: number; oldest: number | null }>(
        `select
           (select count(*) from (select 1 from ${table} where ${waits} limit ${maxCounted}) as w)
             as waiting,
           (select count(*) from (select 1 from ${table} where owner is not null
             limit ${maxCounted}) as r) as running,
           (select min(${dueAt}) from (select ${dueAt} from ${table} where ${waits}
             and ${dueAt} <= $1 limit ${maxCounted}) as o) as oldest`,
        [nowMs],
      )
      const { waiting = 0, running = 0, oldest = null } = row ?? {}
      return { kind: table, waiting, running, oldestAtMs: oldest }
    }),
  )

/** Sleeping runs, counted up to `maxCounted`, and since when the longest overdue one is due. */
export async function readSleepers(db: Db): Promise<{ asleep: number; lateMs: number }> {
  const { nowMs } = db.dialect
  const [row] = await db.query<{ asleep: number; late_ms: number | null }>(
    `select
       (select count(*) from
         (select 1 from runs where wake_at is not null limit ${maxCounted}) as s) as asleep,
       (select ${nowMs} - wake_at from runs where wake_at is not null order by wake_at limit 1)
         as late_ms`,
  )
  return { asleep: row?.asleep ?? 0, lateMs: Math.max(0, row?.late_ms ?? 0) }
}

/** Deliveries that failed and wait for their next attempt. */
export async function countRetryingDeliveries(db: Db): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    `select count(*) as n from
       (select 1 from deliveries where retry_at is not null limit ${maxCounted}) as d`,
  )
  return row?.n ?? 0
}

/** Milliseconds until each worker's lease ends, by the database's clock; negative if expired. */
export const readLeases = (db: Db) =>
  db.query<{ id: string; left_ms: number }>(
    `select id, lease_until - ${db.dialect.nowMs} as left_ms from workers
     where role = 'work' order by id limit 1000`,
  )
