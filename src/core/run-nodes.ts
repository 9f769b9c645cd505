// The states of a run's nodes as the run keeps them: a short list in the order of the graph,
// because it is written with every run.

export const nodeStatuses = [
  'PENDING',
  'RUNNING',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'SKIPPED',
] as const

export type NodeStatus = (typeof nodeStatuses)[number]

export type NodeProgress = {
  status: NodeStatus
  attempts: number
  startedAtMs: number | null
  completedAtMs: number | null
  taskId: string | null
  costMicros: number | null
}

export type NodeTotals = { completed: number; skipped: number; failed: number }

type Packed = [
  status: number,
  attempts?: number,
  started?: number | null,
  completed?: number | null,
  costMicros?: number | null,
  taskId?: string | null,
]

/** Times count from `sinceMs`, the creation of the run. */
export const packNodes = (nodes: readonly NodeProgress[], sinceMs: number): string =>
  JSON.stringify(nodes.map((node) => pack(node, sinceMs)))

function pack(node: NodeProgress, sinceMs: number): Packed {
  const status = nodeStatuses.indexOf(node.status)
  if (node.startedAtMs === null) return [status]
  const times = [since(node.startedAtMs, sinceMs), since(node.completedAtMs, sinceMs)] as const
  if (node.taskId) return [status, node.attempts, ...times, node.costMicros, node.taskId]
  return node.costMicros === null
    ? [status, node.attempts, ...times]
    : [status, node.attempts, ...times, node.costMicros]
}

const since = (ms: number | null, sinceMs: number) => (ms === null ? null : ms - sinceMs)

export const unpackNodes = (text: string, sinceMs: number): NodeProgress[] =>
  (JSON.parse(text) as Packed[]).map(
    ([
      status,
      attempts = 0,
      started = null,
      completed = null,
      costMicros = null,
      taskId = null,
    ]) => ({
      status: nodeStatuses[status] ?? 'PENDING',
      attempts,
      startedAtMs: started === null ? null : started + sinceMs,
      completedAtMs: completed === null ? null : completed + sinceMs,
      taskId,
      costMicros,
    }),
  )

export const newNode = (): NodeProgress => ({
  status: 'PENDING',
  attempts: 0,
  startedAtMs: null,
  completedAtMs: null,
  taskId: null,
  costMicros: null,
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
