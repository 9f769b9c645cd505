import { hash } from 'node:crypto'
import { toRfc3339 } from '#core/clock.ts'
import { waitScope } from '#core/scopes.ts'
import { findNodeType } from '#graph/types/table.ts'
import { type Callback, callbacksOf } from '#store/tables/deliveries.ts'
import { hasCallsInFlight, type RunRow } from '#store/tables/runs.ts'
import { type WaitRow, waitsOfRun } from '#store/tables/waits.ts'
import type { Context } from '../context.ts'
import { urlOf } from '../waits/known-waits.ts'
import { shownPath } from '../waits/wait-record.ts'
import {
  adviceFor,
  dueOf,
  nodeHeads,
  summaryOf,
  type TaskDelays,
  taskDelaysOf,
} from './show-run.ts'

/** What a read of a run returns besides its row, and the entity tag of the whole. */
export type RunState = {
  nowMs: number
  callback: Callback | undefined
  inFlight: boolean
  waits: readonly WaitRow[]
  /** When it is due, if it only waits. */
  dueMs: number | null
  taskDelays: TaskDelays
  /** A strong tag: it is computed from everything that a read returns. */
  etag: string
}

/** How long the signed addresses of media stay the same. */
const addressesStayMs = 3_600_000

/** Makes further queries only if the run has a webhook, is being cancelled, may wait or has tasks. */
export async function stateOf(context: Context, row: RunRow): Promise<RunState> {
  const { db, clock } = context.services
  const nowMs = clock.nowMs()
  const callback =
    row.callback_url === null ? undefined : (await callbacksOf(db, [row.id])).get(row.id)
  const inFlight = await mayStillFinish(context, row)
  const waits = await openWaitsOf(context, row)
  const dueMs = dueOf(row, waits)
  const taskDelays = await taskDelaysOf(context, row)
  const made = [
    row.id,
    row.status,
    row.nodes,
    JSON.stringify(row.node_errors),
    row.cost_micros,
    row.started_at,
    row.completed_at,
    row.cancel_requested_at,
    inFlight,
    adviceFor(row, nowMs, dueMs),
    callback && Object.values(callback).join(' '),
    waits.map(({ id }) => id).join(),
    JSON.stringify([...taskDelays]),
    row.outputs === null ? null : Math.floor(nowMs / addressesStayMs),
  ]
  return {
    nowMs,
    callback,
    inFlight,
    waits,
    dueMs,
    taskDelays,
    etag: `"${hash('sha1', made.join('\n'), 'base64url')}"`,
  }
}

const openWaitsOf = async (context: Context, row: RunRow): Promise<WaitRow[]> =>
  row.completed_at === null ? waitsIn(context, row, 'open') : []

/** What the run waited or waits for, the newest 200. Reads nothing for a graph that cannot wait. */
export async function waitsIn(context: Context, row: RunRow, only?: 'open'): Promise<WaitRow[]> {
  if (row.started_at === null) return []
  if (!(await nodeHeads(context, row)).some(({ type }) => mayWait(type))) return []
  return waitsOfRun(context.services.db, row.account_id, row.id, only)
}

/** By itself, or inside: in the step of a loop, or in a called workflow. */
function mayWait(type: string): boolean {
  const known = findNodeType(type)
  return known?.waits !== undefined || known?.calls !== undefined
}

/** What a run waits for, as a read returns it. */
export const waitingFor = (context: Context, { waits }: Pick<RunState, 'waits'>) =>
  waits.length === 0
    ? {}
    : {
        waitingFor: waits.map((wait) => ({
          waitId: wait.id,
          nodeId: wait.node_id,
          path: shownPath(wait.path),
          kind: wait.kind,
          title: wait.title,
          since: toRfc3339(wait.created_at),
          expiresAt: toRfc3339(wait.expires_at),
          ...shownUrl(context, wait),
        })),
      }

/** Whoever has the address can answer, so it is shown only to those who were given that right. */
function shownUrl({ services, principal }: Context, wait: WaitRow): { url?: string } {
  const url = principal.scopes.has(waitScope) ? urlOf(services, wait) : null
  return url === null ? {} : { url }
}

export const mayStillFinish = async ({ services }: Context, row: RunRow): Promise<boolean> =>
  row.in_flight === 1 ||
  (row.status === 'CANCEL_REQUESTED' && (await hasCallsInFlight(services.db, row.id)))

export const summaryWith = (row: RunRow, { nowMs, callback, inFlight, dueMs }: RunState) =>
  summaryOf(row, { nowMs, ...(callback ? { callback } : {}), inFlight, dueMs })

export async function outputsOf({ services }: Context, row: RunRow): Promise<unknown> {
  const { account_id, outputs } = row
  if (outputs === null) return null
  const value = await services.runs.payloads.read(account_id, outputs)
  return services.runs.refreshMedia(account_id, value)
}
