// A run that has ended, as it stood at an earlier moment: from the times of its nodes. Pure.
import type { RunNode } from '#console/api/types.ts'
import { hasEnded, type RunState } from './run-state.ts'
import type { ShownRun } from './shown-run.ts'

export type Span = { readonly fromMs: number; readonly toMs: number }

/** From its start to its end; null if there is nothing to replay. */
export function spanOf({ run }: Pick<RunState, 'run'>): Span | null {
  if (!hasEnded(run) || !run.startedAt || !run.completedAt) return null
  const span = { fromMs: Date.parse(run.startedAt), toMs: Date.parse(run.completedAt) }
  return span.toMs > span.fromMs ? span : null
}

/** Long enough to follow, short enough to wait for. */
export const playMs = ({ fromMs, toMs }: Span): number =>
  Math.min(10_000, Math.max(2_000, toMs - fromMs))

/** Parts that look the same at two moments are the same objects, so that only changed cards redraw. */
export function runAt(whole: ShownRun, atMs: number): ShownRun {
  const { state, previews } = whole
  const span = spanOf(state)
  if (!span || atMs >= span.toMs) return whole
  const nodes = Object.fromEntries(
    Object.entries(state.nodes).map(([id, node]) => [id, nodeAt(node, atMs)]),
  )
  const isDone = (id: string) => nodes[id] === state.nodes[id]
  return {
    isReplayed: true,
    state: {
      ...state,
      nodes,
      run: {
        ...state.run,
        nodeErrors: state.run.nodeErrors.filter(({ at }) => Date.parse(at) <= atMs),
      },
    },
    previews: Object.fromEntries(Object.entries(previews).filter(([id]) => isDone(id))),
  }
}

type Earlier = { readonly before: RunNode; readonly during: RunNode }
const earlier = new WeakMap<RunNode, Earlier>()

function nodeAt(node: RunNode, atMs: number): RunNode {
  const isBy = (time: string | null) => time !== null && Date.parse(time) <= atMs
  if (isBy(node.completedAt)) return node
  return isBy(node.startedAt) ? earlierOf(node).during : earlierOf(node).before
}

function earlierOf(node: RunNode): Earlier {
  const known = earlier.get(node)
  if (known) return known
  const begun = node.type.startsWith('wait.') ? 'WAITING' : 'RUNNING'
  const not = { startedAt: null, completedAt: null, cost: null }
  const made: Earlier = {
    before: { ...node, ...not, status: 'PENDING' },
    during: { ...node, ...not, status: begun },
  }
  earlier.set(node, made)
  return made
}
