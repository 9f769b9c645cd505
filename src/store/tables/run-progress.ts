// What a worker writes, in batches, about the runs it owns while it works on them.
import type { RunNodeError } from '#core/run-facts.ts'
import type { NodeTotals } from '#core/run-nodes.ts'
import { type EndStatus, statesBefore } from '#core/run-states.ts'
import type { Statement } from '../db.ts'
import type { Dialect } from '../dialect.ts'
import { manyRows, type RowFragments } from '../many-rows.ts'
import type { Claim } from './claims.ts'
import type { RunRow } from './runs.ts'

export type RunEnd = {
  status: 'COMPLETED' | 'FAILED'
  /** The status instead, if a request to cancel was stored meanwhile. */
  ifCancelled: EndStatus
  outputs: string | null
  nodeErrors: readonly RunNodeError[] | null
  nodes: string
  totals: NodeTotals
  costMicros: number
  /** What the answers that it reused had cost. */
  savedMicros?: number
  /** Calls were paid, or may have been, so the cost is taken from the ledger. */
  isPaid: boolean
  inFlight: boolean
  /** It may have open waits, which are closed with it. */
  hasWaits: boolean
  nowMs: number
}

const sources = ['COMPLETED', 'FAILED', 'CANCELLED'] as const
const unended = [...new Set(sources.flatMap(statesBefore))]
  .filter((status) => status !== 'QUEUED')
  .map((status) => `'${status}'`)
  .join(', ')

export type FinishedRun = Pick<RunRow, 'id' | 'status' | 'callback_url'>

const ending = {
  id: 'uuid',
  owner: 'text',
  epoch: 'bigint',
  status: 'text',
  if_cancelled: 'text',
  outputs: 'text',
  node_errors: 'text',
  nodes: 'text',
  completed_nodes: 'integer',
  skipped_nodes: 'integer',
  failed_nodes: 'integer',
  cost_micros: 'bigint',
  saved_micros: 'bigint',
  is_paid: 'integer',
  in_flight: 'integer',
  completed_at: 'bigint',
} as const

const isOwned = ({ of }: Pick<RowFragments, 'of'>) =>
  `runs.id = ${of('id')} and coalesce(runs.owner, '') = ${of('owner')} and runs.epoch = ${of('epoch')}`

const finishStatement = manyRows<Record<keyof typeof ending, string | number | null>, FinishedRun>(
  ending,
  ({ of, from }) => {
    const isCancelled = `runs.status = 'CANCEL_REQUESTED'`
    return `update runs set
      status = case when ${isCancelled} then ${of('if_cancelled')} else ${of('status')} end,
      outputs = case when ${isCancelled} and ${of('if_cancelled')} = 'CANCELLED' then null
        else ${of('outputs')} end,
      node_errors = ${of('node_errors')}, nodes = ${of('nodes')},
      completed_nodes = ${of('completed_nodes')}, skipped_nodes = ${of('skipped_nodes')},
      failed_nodes = ${of('failed_nodes')},
      in_flight = case when runs.in_flight = 1 then 1 else ${of('in_flight')} end,
      completed_at = ${of('completed_at')}, owner = null, kept = null,
      saved_micros = ${of('saved_micros')},
      cost_micros = case when ${of('is_paid')} = 1 then coalesce(
        (select sum(l.cost_micros) from ledger l where l.run_id = runs.id), 0)
        else ${of('cost_micros')} end
    ${from}
    where ${isOwned({ of })}
      and runs.status in (${unended})
    returning runs.id, runs.status, runs.callback_url`
  },
)

/** Returns the runs that it ended. The others have another owner, or had already ended. */
export const finishRuns = (dialect: Dialect, ends: readonly { claim: Claim; end: RunEnd }[]) =>
  finishStatement(
    dialect,
    ends.map(({ claim, end }) => ({
      id: claim.id,
      owner: claim.owner,
      epoch: claim.epoch,
      status: end.status,
      if_cancelled: end.ifCancelled,
      outputs: end.outputs,
      node_errors: end.nodeErrors && JSON.stringify(end.nodeErrors),
      nodes: end.nodes,
      completed_nodes: end.totals.completed,
      skipped_nodes: end.totals.skipped,
      failed_nodes: end.totals.failed,
      cost_micros: end.costMicros,
      saved_micros: end.savedMicros || null,
      is_paid: end.isPaid ? 1 : 0,
      in_flight: end.inFlight ? 1 : 0,
      completed_at: end.nowMs,
    })),
  )

export type RunSnapshot = {
  nodes: string
  totals: NodeTotals
  costMicros: number
}

const shown = {
  id: 'uuid',
  owner: 'text',
  epoch: 'bigint',
  nodes: 'text',
  completed_nodes: 'integer',
  skipped_nodes: 'integer',
  failed_nodes: 'integer',
  cost_micros: 'bigint',
} as const

const setShown = ({ of }: Pick<RowFragments, 'of'>) => `nodes = ${of('nodes')},
      completed_nodes = ${of('completed_nodes')}, skipped_nodes = ${of('skipped_nodes')},
      failed_nodes = ${of('failed_nodes')}, cost_micros = ${of('cost_micros')}`

const showStatement = manyRows<Record<keyof typeof shown, string | number>>(
  shown,
  (row) => `update runs set ${setShown(row)} ${row.from} where ${isOwned(row)}`,
)

/** Stores what readers see of active runs; no run may appear twice. */
export const showProgress = (
  dialect: Dialect,
  runs: readonly { claim: Claim; snapshot: RunSnapshot }[],
) =>
  showStatement(
    dialect,
    runs.map(({ claim, snapshot }) => toShown(claim, snapshot)),
  )

const toShown = (claim: Claim, { nodes, totals, costMicros }: RunSnapshot) => ({
  id: claim.id,
  owner: claim.owner,
  epoch: claim.epoch,
  nodes,
  completed_nodes: totals.completed,
  skipped_nodes: totals.skipped,
  failed_nodes: totals.failed,
  cost_micros: costMicros,
})

export type RunSleep = RunSnapshot & {
  /** By the database's clock: at a time, or after a while. */
  wake: { atMs: number } | { inMs: number }
  /** As read before its waits. */
  wakes: number
  /** JSON or a reference to it. */
  kept: string | null
  nowMs: number
}

const sleeping = {
  ...shown,
  wake_at: 'bigint',
  wake_in: 'bigint',
  wakes: 'bigint',
  kept: 'text',
  slept_at: 'bigint',
} as const

const sleepStatement = (nowMs: string) =>
  manyRows<Record<keyof typeof sleeping, string | number | null>, { id: string }>(
    sleeping,
    ({ of, from }) => `update runs set ${setShown({ of })},
      owner = null, deaths = 0, releases = 0, kept = ${of('kept')},
      wake_at = coalesce(${of('wake_at')}, ${nowMs} + ${of('wake_in')}),
      slept_at = ${of('slept_at')}, slept_epoch = runs.epoch
    ${from}
    where ${isOwned({ of })}
      and runs.wakes = ${of('wakes')} and runs.status = 'RUNNING' and runs.node_errors is null
    returning runs.id`,
  )
const sleepStatements = new Map<string, ReturnType<typeof sleepStatement>>()

/** Returns the runs that sleep now. Something has happened to the others that they must look at. */
export function sleepRuns(
  dialect: Dialect,
  runs: readonly { claim: Claim; sleep: RunSleep }[],
): Statement<{ id: string }> {
  const { nowMs } = dialect
  const statement = sleepStatements.get(nowMs) ?? sleepStatement(nowMs)
  sleepStatements.set(nowMs, statement)
  return statement(
    dialect,
    runs.map(({ claim, sleep: { wake, ...sleep } }) => ({
      ...toShown(claim, sleep),
      wake_at: 'atMs' in wake ? wake.atMs : null,
      wake_in: 'inMs' in wake ? wake.inMs : null,
      wakes: sleep.wakes,
      kept: sleep.kept,
      slept_at: sleep.nowMs,
    })),
  )
}

/** Returns the runs whose failure was stored before any request to cancel. */
export const storeNodeErrors = (
  failures: readonly { claim: Claim; nodeErrors: readonly RunNodeError[] }[],
): Statement<{ id: string }> => ({
  sql: `update runs set node_errors = $4
     where id = $1 and owner = $2 and epoch = $3 and status = 'RUNNING' returning id`,
  rows: failures.map(({ claim, nodeErrors }) => [
    ...[claim.id, claim.owner, claim.epoch],
    JSON.stringify(nodeErrors),
  ]),
})
