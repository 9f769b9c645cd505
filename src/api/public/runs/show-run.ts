import { cutWarning } from '#core/answer-warnings.ts'
import { toRfc3339 } from '#core/clock.ts'
import type { TimedDelay } from '#core/delayed-call.ts'
import { money, toAmount } from '#core/money.ts'
import { retryAfterSeconds } from '#core/poll-advice.ts'
import {
  type NodeProgress,
  type NodeReuseState,
  type NodeStatus,
  newNode,
  savedBy,
  unpackNodes,
} from '#core/run-nodes.ts'
import { isTerminal } from '#core/run-states.ts'
import { withoutQuery } from '#core/run-webhook.ts'
import { delaysOf } from '#store/tables/delayed-tasks.ts'
import type { Callback } from '#store/tables/deliveries.ts'
import type { RunListRow, RunRow } from '#store/tables/runs.ts'
import type { WaitRow } from '#store/tables/waits.ts'
import { findGraph } from '#store/tables/workflows.ts'
import type { Context } from '../context.ts'
import { waitReasonOf } from '../wait-reason.ts'
import { laneOf } from './economy.ts'

const time = (ms: number | null) => (ms === null ? null : toRfc3339(ms))

/** A run that only waits changes at its time (`dueMs`), or whenever somebody answers. */
export const adviceFor = (row: Advised, nowMs: number, dueMs = row.wake_at): number =>
  dueMs === null
    ? retryAfterSeconds(nowMs - row.created_at, { isTerminal: isTerminal(row.status) })
    : Math.min(15, Math.max(1, Math.ceil((dueMs - nowMs) / 1000)))

type Advised = Pick<RunListRow, 'created_at' | 'status' | 'wake_at'>

/** When a run is due that only waits, asleep or not; null if it does something else. */
export function dueOf(row: RunRow, waits: readonly Pick<WaitRow, 'expires_at'>[]): number | null {
  const isAtWork = row.status === 'RUNNING' && row.owner !== null
  if (!isAtWork || waits.length === 0) return row.wake_at
  const statuses = new Set(progressOf(row).map(({ status }) => status))
  if (!statuses.has('WAITING') || statuses.has('RUNNING')) return null
  return Math.min(...waits.map(({ expires_at }) => expires_at))
}

/** A run as it appears in lists. */
export function summaryOf(
  row: RunListRow,
  {
    nowMs,
    callback,
    inFlight,
    dueMs = row.wake_at,
  }: { nowMs: number; callback?: Callback; inFlight?: boolean; dueMs?: number | null },
) {
  return {
    runId: row.id,
    workflowId: row.workflow_id,
    workflowName: row.workflow_name,
    workflowVersion: row.workflow_version,
    status: row.status,
    createdAt: toRfc3339(row.created_at),
    startedAt: time(row.started_at),
    completedAt: time(row.completed_at),
    nodeErrors: row.node_errors ?? [],
    progress: {
      total: row.node_count,
      completed: row.completed_nodes,
      skipped: row.skipped_nodes,
      failed: row.failed_nodes,
    },
    cost: money(row.cost_micros),
    metadata: row.metadata,
    callback: row.callback_url === null ? null : (callback ?? waiting(row.callback_url)),
    cancelRequestedAt: time(row.cancel_requested_at),
    cancelReason: row.cancel_reason,
    inFlightTaskMayComplete: inFlight ?? row.in_flight === 1,
    retryAfterSeconds: adviceFor(row, nowMs, dueMs),
    ...(row.max_cost_micros === null ? {} : { maxCost: toAmount(row.max_cost_micros) }),
    ...(row.retry_of === null ? {} : { retryOf: row.retry_of }),
    ...(row.options?.reuse ? { reuse: row.options.reuse, savedCost: money(savedOf(row)) } : {}),
    ...(row.options?.targets ? { targets: row.options.targets } : {}),
    ...(row.options?.pins ? { pins: row.options.pins } : {}),
    ...(row.data_version < 0 ? { isDraft: true as const } : {}),
    ...laneOf(row),
  }
}

/** Stored with the end; until then it is in the states of the nodes, which lists leave out. */
const savedOf = (row: RunListRow & Partial<Pick<RunRow, 'nodes'>>): number =>
  row.saved_micros ?? (row.nodes ? savedBy(unpackNodes(row.nodes.value, row.created_at)) : 0)

const waiting = (url: string): Callback => ({
  url: withoutQuery(url),
  status: 'PENDING',
  attempts: 0,
  lastStatusCode: null,
})

/** By the id of the task: why tasks of the run's nodes wait. */
export type TaskDelays = ReadonlyMap<string, TimedDelay>

export const nodeRecord = (
  head: { id: string; type: string },
  node: NodeProgress,
  taskDelays: TaskDelays,
) => ({
  nodeId: head.id,
  type: head.type,
  status: node.status,
  attempts: node.attempts,
  startedAt: time(node.startedAtMs),
  completedAt: time(node.completedAtMs),
  ...(node.taskId === null ? {} : { taskId: node.taskId }),
  cost: node.costMicros === null ? null : money(node.costMicros),
  ...(node.isCut ? { warnings: [cutWarning] } : {}),
  ...(node.failedItems > 0 ? { failedItems: node.failedItems } : {}),
  ...(node.reused ? reusedBy(node.reused) : {}),
  ...waitingOf(node, taskDelays),
})

/** Of several calls that wait, the one that has waited longest. */
function waitingOf({ status, delayed = [], taskId }: NodeProgress, taskDelays: TaskDelays) {
  const ofTask = taskDelays.get(taskId ?? '')
  const all: TimedDelay[] = ofTask ? [...delayed, ofTask] : [...delayed]
  const [first] = all.sort((a, b) => a.sinceMs - b.sinceMs)
  return first && status === 'RUNNING' ? { waitReason: waitReasonOf(first) } : {}
}

const reusedBy = ({ savedMicros, from }: NodeReuseState) => ({
  savedCost: money(savedMicros),
  ...(from
    ? { reusedFrom: { runId: from.runId, nodeId: from.nodeId, at: toRfc3339(from.atMs) } }
    : {}),
})

/** The nodes' states in the order of the graph. All are PENDING until a worker has stored some. */
export function progressOf(row: RunRow): NodeProgress[] {
  const kept = row.nodes === null ? [] : unpackNodes(row.nodes.value, row.created_at)
  if (kept.length === row.node_count) return isTerminal(row.status) ? kept.map(asLeft) : kept
  const status = isTerminal(row.status) ? 'CANCELLED' : 'PENDING'
  return Array.from({ length: row.node_count }, () => ({ ...newNode(), status }))
}

const mayOrder = /^(image\.|video\.|flow\.|workflow\.call$)/

/** Makes a query only if a node of the run has a task under way. */
export async function taskDelaysOf(context: Context, row: RunRow): Promise<TaskDelays> {
  if (row.nodes === null || row.completed_at !== null) return new Map()
  if (!(await nodeHeads(context, row)).some(({ type }) => mayOrder.test(type))) return new Map()
  const taskIds = progressOf(row).flatMap(({ status, taskId }) =>
    status === 'RUNNING' && taskId !== null ? [taskId] : [],
  )
  return delaysOf(context.services.db, row.account_id, taskIds)
}

const unended = new Set<NodeStatus>(['PENDING', 'RUNNING', 'WAITING'])

/** If no worker ended the run, its stored states still say RUNNING or PENDING. */
const asLeft = (node: NodeProgress): NodeProgress =>
  unended.has(node.status) ? { ...node, status: 'CANCELLED' } : node

/** Identifier and type of each node, in the order of the graph. */
export async function nodeHeads(
  { services }: Context,
  row: Pick<RunRow, 'account_id' | 'workflow_id' | 'data_version'>,
) {
  const kept = services.runs.nodeHeads
  const key = `${row.workflow_id}@${row.data_version}`
  const known = kept.get(row.account_id, key)
  if (known) return known
  const graph = await findGraph(services.db, row.workflow_id, row.data_version)
  const heads = graph?.value.nodes.map(({ id, type }) => ({ id, type })) ?? []
  // Strings take up to two bytes per character, and each node is an object.
  const bytes = heads.reduce((sum, { id, type }) => sum + 128 + 2 * (id.length + type.length), 128)
  kept.set(row.account_id, key, heads, bytes)
  return heads
}
