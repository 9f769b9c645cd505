// The bars of a row: how long it waited, how long it worked, and the calls it made meanwhile.
import type { Call, ListedRun, NodeStatus, RunCall, RunNode } from '#console/api/types.ts'
import type { Connection } from '#console/canvas/graph.ts'
import { hasEnded, isUnder } from '#console/canvas/run/run-state.ts'
import type { Span } from './timeline.ts'

export type Bar = Span & {
  readonly kind: 'wait' | 'work' | 'call' | 'retry'
  /** More than one if it was retried. */
  readonly attempts: number
  readonly isOpen: boolean
}

type Attempt = Pick<Call, 'createdAt' | 'settledAt'>
/** The attempts of each call, by its task, which retries by itself, or otherwise by its path. */
export type Attempts = ReadonlyMap<string, readonly Attempt[]>

/** A node, an item of a list, or a node of a called workflow. */
export type Worked = {
  readonly status: NodeStatus
  readonly startedAt: string | null
  readonly completedAt: string | null
  readonly waitReason?: RunNode['waitReason']
}

export function barsOf(
  path: string,
  worked: Worked,
  facts: {
    calls: readonly RunCall[]
    readyMs: number | null
    nowMs: number
    attempts?: Attempts
  },
): Bar[] {
  const { readyMs, nowMs } = facts
  const bars: Bar[] = []
  const start = worked.startedAt === null ? null : Date.parse(worked.startedAt)
  const waitedTo = start ?? (worked.status === 'PENDING' ? nowMs : null)
  if (readyMs !== null && waitedTo !== null && waitedTo > readyMs)
    bars.push({
      kind: 'wait',
      fromMs: readyMs,
      toMs: waitedTo,
      attempts: 0,
      isOpen: start === null,
    })
  if (start !== null) bars.push(bar('work', start, worked.completedAt, 1, nowMs))
  for (const call of facts.calls) {
    if (!isUnder(path, call.path)) continue
    const known = facts.attempts?.get(call.taskId ?? call.path) ?? []
    bars.push(...callBars(call, known, nowMs))
  }
  return bars
}

/** One bar per attempt if the ledger has them all, otherwise one bar for the whole call. */
function callBars(call: RunCall, attempts: readonly Attempt[], nowMs: number): Bar[] {
  const isWhole = call.taskId !== undefined || attempts.length === call.attempts
  if (attempts.length < 2 || !isWhole)
    return [bar('call', Date.parse(call.startedAt), call.completedAt, call.attempts, nowMs)]
  return attempts
    .map(({ createdAt, settledAt }) => bar('retry', Date.parse(createdAt), settledAt, 1, nowMs))
    .sort((a, b) => a.fromMs - b.fromMs)
    .map((one, index, all) => (index === all.length - 1 ? { ...one, kind: 'call' } : one))
}

/** How often it was tried, counting the attempts of tasks it waited for. */
export const triesOf = (
  { attempts }: Pick<RunNode, 'attempts'>,
  calls: readonly RunCall[],
  known: Attempts,
): number => Math.max(attempts, ...calls.map(({ taskId }) => known.get(taskId ?? '')?.length ?? 0))

const bar = (
  kind: Bar['kind'],
  fromMs: number,
  end: string | null,
  attempts: number,
  nowMs: number,
): Bar => ({
  kind,
  fromMs,
  toMs: Math.max(fromMs, end === null ? nowMs : Date.parse(end)),
  attempts,
  isOpen: end === null,
})

/** When a node could have started: once all its sources had ended. Null until then. */
export function readyMsOf(
  nodeId: string,
  run: Pick<ListedRun, 'startedAt' | 'createdAt'>,
  nodes: Readonly<Record<string, RunNode>>,
  connections: readonly Connection[],
): number | null {
  let ready = Date.parse(run.startedAt ?? run.createdAt)
  for (const { source, target } of connections) {
    if (target !== nodeId) continue
    const before = nodes[source]
    if (before?.status === 'SKIPPED') continue
    if (!before?.completedAt) return null
    ready = Math.max(ready, Date.parse(before.completedAt))
  }
  return ready
}

/** What counts as work when gaps are folded: a node's calls if it made any, otherwise the node. */
export function busySpans(
  nodes: Readonly<Record<string, RunNode>>,
  calls: readonly RunCall[],
  nowMs: number,
): Span[] {
  const calling = new Set(calls.map(({ path }) => /^[^/[#]+/.exec(path)?.[0]))
  const spans: Span[] = calls.map((call) =>
    bar('call', Date.parse(call.startedAt), call.completedAt, 1, nowMs),
  )
  for (const node of Object.values(nodes)) {
    if (node.startedAt === null) continue
    const own = bar('work', Date.parse(node.startedAt), node.completedAt, 1, nowMs)
    // Its start and its end stay visible, whatever lies between.
    spans.push({ ...own, toMs: own.fromMs }, { ...own, fromMs: own.toMs })
    if (!calling.has(node.nodeId)) spans.push(own)
  }
  return spans
}

/** The time that a run's chart covers: from its creation to its end, or to now. */
export const wholeSpan = (run: ListedRun, nowMs: number): Span => {
  const fromMs = Date.parse(run.createdAt)
  const end = hasEnded(run) && run.completedAt ? Date.parse(run.completedAt) : nowMs
  return { fromMs, toMs: Math.max(fromMs + 1, end) }
}
