// A run being watched. Each answer contains only what changed since the previous one; unchanged
// parts stay the same objects, so that two hundred nodes are not redrawn twice a second.
import type { ListedRun, RunCall, RunNode, RunView, ShownWait } from '#console/api/types.ts'
import { sameJson } from '#console/canvas/equal.ts'

/** What comes once, because it never changes while a run is watched. */
type WholeParts = 'graph' | 'ports' | 'called' | 'inputs' | 'estimate'

export type RunState = Required<Pick<RunView, WholeParts>> & {
  readonly rev: string
  readonly run: ListedRun
  /** By id. */
  readonly nodes: Readonly<Record<string, RunNode>>
  /** By path. */
  readonly calls: Readonly<Record<string, RunCall>>
  readonly outputs: Record<string, unknown> | null
  /** What it waited or waits for, oldest first. */
  readonly waits: readonly ShownWait[]
  /** How far the lists have come that are worked on, by node. */
  readonly loops: NonNullable<RunView['loops']>
}

/**
 * If nothing changed, returns the same state with the same `rev`: the next read then has an address
 * whose ETag is known, and costs only a 304.
 */
export function mergeView(before: RunState | null, answer: RunView): RunState {
  if (answer.graph || !before) return wholeOf(answer)
  const run = sameJson(before.run, answer.run) ? before.run : answer.run
  const nodes = changed(before.nodes, answer.nodes, ({ nodeId }) => nodeId)
  const calls = changed(before.calls, answer.calls, ({ path }) => path)
  const outputs = answer.outputs === undefined ? before.outputs : answer.outputs
  const waits = sameJson(before.waits, answer.waits ?? []) ? before.waits : (answer.waits ?? [])
  const loops = sameJson(before.loops, answer.loops ?? {}) ? before.loops : (answer.loops ?? {})
  const isSame =
    run === before.run &&
    nodes === before.nodes &&
    calls === before.calls &&
    waits === before.waits &&
    loops === before.loops &&
    sameJson(outputs, before.outputs)
  return isSame ? before : { ...before, rev: answer.rev, run, nodes, calls, outputs, waits, loops }
}

const wholeOf = (answer: RunView): RunState => ({
  rev: answer.rev,
  run: answer.run,
  nodes: changed({}, answer.nodes, ({ nodeId }) => nodeId),
  calls: changed({}, answer.calls, ({ path }) => path),
  outputs: answer.outputs ?? null,
  waits: answer.waits ?? [],
  loops: answer.loops ?? {},
  graph: answer.graph ?? { nodes: [], connections: [] },
  ports: answer.ports ?? {},
  called: answer.called ?? [],
  inputs: answer.inputs ?? {},
  estimate: answer.estimate ?? null,
})

function changed<T>(
  known: Readonly<Record<string, T>>,
  items: readonly T[],
  keyOf: (item: T) => string,
): Readonly<Record<string, T>> {
  const news = items.filter((item) => !sameJson(known[keyOf(item)], item))
  return news.length === 0
    ? known
    : { ...known, ...Object.fromEntries(news.map((item) => [keyOf(item), item])) }
}

export const hasEnded = ({ status }: Pick<ListedRun, 'status'>): boolean =>
  status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED'

/** Where to look first: a failed node; null if the run failed as a whole, or not at all. */
export const firstFailure = ({ nodeErrors }: Pick<ListedRun, 'nodeErrors'>) =>
  nodeErrors.find(({ nodeId }) => nodeId !== '') ?? null

/** The node of the run's own graph to which a path belongs. */
export const rootOf = (path: string): string => /^[^/[#]+/.exec(path)?.[0] ?? path

/** `a[2]/b` is inside `a` and `a[2]`; the path itself comes last. */
export function stepsTo(path: string): string[] {
  const steps: string[] = []
  for (const match of path.matchAll(/[/[]/g)) steps.push(path.slice(0, match.index))
  return [...steps, path]
}

/** Whether a call was made at this path or inside it. */
export const isUnder = (path: string, callPath: string): boolean =>
  callPath.startsWith(path) && '#[/'.includes(callPath[path.length] ?? ' ')
