import type { Statement } from '../db.ts'
import type { Dialect } from '../dialect.ts'
import { manyRows } from '../many-rows.ts'
import { type RunRow, runTable } from './runs.ts'

const inserted = [
  ...(['id', 'account_id', 'workflow_id', 'seq', 'spender', 'workflow_name'] as const),
  ...(['workflow_version', 'data_version', 'called', 'node_count', 'inputs', 'metadata'] as const),
  ...(['callback_url', 'max_cost_micros', 'idempotency_key', 'fingerprint', 'retry_of'] as const),
  ...([
    'created_at',
    'run_at',
    'deadline_at',
    'callback_events',
    'options',
    'must_end_by',
  ] as const),
] as const

type Optional = 'callback_events' | 'options' | 'must_end_by'

export type NewRun = Pick<RunRow, Exclude<(typeof inserted)[number], Optional>> &
  Partial<Pick<RunRow, Optional>>

/** The claim under which a run is stored by the worker that will execute it. */
export type FirstClaim = { owner: string; started_at: number; deadline_at: number }

const stored = runTable.types(...inserted, 'status', 'owner', 'epoch', 'started_at')

const insertStatement = manyRows<Record<keyof typeof stored, string | number | null>>(
  stored,
  ({ insert, of }) => {
    const columns = Object.keys(stored)
    return `insert into runs (${columns.join(', ')}, completed_nodes, skipped_nodes,
        failed_nodes, cost_micros, in_flight)
      ${insert([...columns.map(of), '0', '0', '0', '0', '0'])}`
  },
)

/**
 * If an account's queue is at least half full, its submissions pass one at a time, across all
 * workflows and processes, so that its waiting runs can be counted. Below that they do not wait for
 * each other: a key that another process has not decided yet must not block the account's other
 * workflows, and the free half holds what several processes can submit at once. For PostgreSQL
 * only; on SQLite the one process takes care of it.
 */
export const lockQueue = (accountId: string, maxQueued: number): Statement => ({
  sql: `select pg_advisory_xact_lock(hashtextextended('queue ' || $1, 0))
    where (select count(*) from (select 1 as one from runs
      where account_id = $2 and owner is null and completed_at is null and wake_at is null
      order by run_at limit $3) as waiting) >= $3`,
  rows: [[accountId, accountId, Math.floor(maxQueued / 2)]],
})

/**
 * Of these keys of a list, those that an unfinished transaction of another process has. Nobody else
 * sees a key that is not committed, so each transaction marks its keys with locks. Hashes may
 * collide, which only makes a key look contested. For PostgreSQL only.
 */
export const contestedKeys = (
  { list: asList }: Dialect,
  list: string,
  keys: readonly string[],
): Statement<{ key: string }> => ({
  sql: `select key from unnest($2::text[]) as submitted(key)
    where not pg_try_advisory_xact_lock(hashtextextended($1 || ' ' || key, 1))`,
  rows: [[list, asList(keys)]],
})

/** A deadline that the run was submitted with counts in place of its time limit. */
export const claimedAs = ({ must_end_by }: NewRun, claim: FirstClaim): FirstClaim =>
  must_end_by ? { ...claim, deadline_at: must_end_by } : claim

const waiting = { status: 'QUEUED', owner: null, epoch: 0, started_at: null } as const
const begun = { status: 'RUNNING', epoch: 1 } as const

/** Fails with UniqueViolation if a key already has a run. The first `count` are claimed. */
export const insertRuns = (
  dialect: Dialect,
  runs: readonly NewRun[],
  { claim, count }: { claim?: FirstClaim; count: number } = { count: 0 },
): Statement =>
  insertStatement(
    dialect,
    runs.map((run, i) =>
      runTable.encode({
        callback_events: null,
        options: null,
        must_end_by: null,
        ...run,
        ...(claim && i < count ? { ...begun, ...claimedAs(run, claim) } : waiting),
      }),
    ),
  )
