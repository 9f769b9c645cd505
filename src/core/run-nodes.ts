// The states of a run's nodes as they are stored with the run. The format is compact, a list in
// the order of the graph, because it is written with every run.
import { type DelayedCall, type PackedDelay, packDelay, unpackDelay } from './delayed-call.ts'

export const nodeStatuses = [
  'PENDING',
  'RUNNING',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'SKIPPED',
  // Stored as a number, so that new ones come last.
  'WAITING',
] as const

export type NodeStatus = (typeof nodeStatuses)[number]

export type NodeProgress = {
  status: NodeStatus
  attempts: number
  startedAtMs: number | null
  completedAtMs: number | null
  taskId: string | null
  costMicros: number | null
  /** An answer of its model was cut off at its length limit. */
  isCut: boolean
  /** How many items or passes a loop has; null if it is none, or not known. */
  items: number | null
  /** Items inside it, at any depth, that failed without it. */
  failedItems: number
  /** Absent if none of its answers was taken over. */
  reused?: NodeReuseState
  /** Calls that are not made yet; only while the node runs. Absent if there are none. */
  delayed?: readonly DelayedCall[]
}

/** What a node has taken over of earlier calls. */
export type NodeReuseState = {
  savedMicros: number
  /** The latest of these calls; null as soon as the node has made a call itself. */
  from: { runId: string; nodeId: string; atMs: number } | null
}

export type NodeTotals = { completed: number; skipped: number; failed: number }

/** One node in the stored list. */
export type PackedNode = [
  status: number,
  attempts?: number,
  started?: number | null,
  completed?: number | null,
  costMicros?: number | null,
  taskId?: string | null,
  isCut?: 0 | 1,
  items?: number | null,
  failedItems?: number,
  reused?: [savedMicros: number, runId?: string, nodeId?: string, atMs?: number] | null,
  delayed?: readonly PackedDelay[],
]

/** Stores times relative to `sinceMs`, the creation of the run. */
export function packNodes(nodes: readonly NodeProgress[], sinceMs: number): string {
  let text = ''
  for (const node of nodes) text += `${text === '' ? '[' : ','}${pack(node, sinceMs)}`
  return text === '' ? '[]' : `${text}]`
}

/** Writes the JSON of a `PackedNode` by hand, because every run writes one for each node. */
function pack(node: NodeProgress, sinceMs: number): string {
  const { attempts, startedAtMs, completedAtMs, costMicros, taskId, isCut, items } = node
  const { failedItems } = node
  const status = nodeStatuses.indexOf(node.status)
  if (startedAtMs === null) return `[${status}]`
  const completed = completedAtMs === null ? null : completedAtMs - sinceMs
  const worked = `${status},${attempts},${startedAtMs - sinceMs},${completed}`
  const isDelayed = node.delayed !== undefined && node.status === 'RUNNING'
  if (node.reused || isDelayed) {
    const loop = `${isCut ? 1 : 0},${items},${failedItems}`
    const delayed = isDelayed ? `,${JSON.stringify(packDelays(node, sinceMs))}` : ''
    const reused = JSON.stringify(packReused(node.reused))
    return `[${worked},${costMicros},${JSON.stringify(taskId)},${loop},${reused}${delayed}]`
  }
  if (items !== null || failedItems > 0) {
    const loop = `${isCut ? 1 : 0},${items},${failedItems}`
    return `[${worked},${costMicros},${JSON.stringify(taskId)},${loop}]`
  }
  if (isCut) return `[${worked},${costMicros},${JSON.stringify(taskId)},1]`
  if (taskId) return `[${worked},${costMicros},${JSON.stringify(taskId)}]`
  return costMicros === null ? `[${worked}]` : `[${worked},${costMicros}]`
}

function packReused(reused: NodeReuseState | undefined): PackedNode[9] {
  if (!reused) return null
  const { savedMicros, from } = reused
  return from ? [savedMicros, from.runId, from.nodeId, from.atMs] : [savedMicros]
}

const packDelays = ({ delayed = [] }: NodeProgress, sinceMs: number) =>
  delayed.map((one) => packDelay(one, sinceMs))

export const unpackNodes = (nodes: readonly PackedNode[], sinceMs: number): NodeProgress[] =>
  nodes.map(
    ([
      status,
      attempts = 0,
      started = null,
      completed = null,
      costMicros = null,
      taskId = null,
      isCut,
      items = null,
      failedItems = 0,
      reused,
      delayed,
    ]) => ({
      status: nodeStatuses[status] ?? 'PENDING',
      attempts,
      startedAtMs: started === null ? null : started + sinceMs,
      completedAtMs: completed === null ? null : completed + sinceMs,
      taskId,
      costMicros,
      isCut: isCut === 1,
      items,
      failedItems,
      ...(reused ? { reused: unpackReused(reused) } : {}),
      ...(delayed ? { delayed: delayed.map((one) => unpackDelay(one, sinceMs)) } : {}),
    }),
  )

const unpackReused = ([savedMicros, runId, nodeId, atMs]: NonNullable<PackedNode[9]>) => ({
  savedMicros,
  from:
    runId !== undefined && nodeId !== undefined && atMs !== undefined
      ? { runId, nodeId, atMs }
      : null,
})

export const savedBy = (nodes: readonly NodeProgress[]): number =>
  nodes.reduce((sum, { reused }) => sum + (reused?.savedMicros ?? 0), 0)

export const newNode = (): NodeProgress => ({
  status: 'PENDING',
  attempts: 0,
  startedAtMs: null,
  completedAtMs: null,
  taskId: null,
  costMicros: null,
  isCut: false,
  items: null,
  failedItems: 0,
})

export function totalsOf(nodes: readonly NodeProgress[]): NodeTotals {
  const totals = { completed: 0, skipped: 0, failed: 0 }
  for (const { status } of nodes) {
    if (status === 'COMPLETED') totals.completed++
    else if (status === 'SKIPPED') totals.skipped++
    else if (status === 'FAILED') totals.failed++
  }
  return totals
}
