import { reuseOf } from '#graph/node/node-reuse.ts'
import type { PlanNode } from '#graph/plan/plan.ts'
import type { RunWork } from './run-deps.ts'

const noPlaces: readonly never[] = []

export function siteOf(work: RunWork, root: PlanNode) {
  const progress = progressOf(work, root)
  // Only a node that may wait is ever shown as waiting; the others are part of the run's activity.
  const mayWait = work.compiled.onlyWaits[root.index] || work.row.options?.deadlineMs
  const activity = mayWait
    ? work.activity.part((isAtRest) => {
        if (progress.status !== 'RUNNING' && progress.status !== 'WAITING') return
        // It has stopped waiting because the run fails: it does nothing any more.
        if (!isAtRest && work.halt.ending().aborted) return
        progress.status = isAtRest ? 'WAITING' : 'RUNNING'
        work.isChanged = true
      })
    : work.activity
  const reuse = root.isFresh ? false : reuseOf(root.type, root.config)
  return { root, progress, activity, places: noPlaces, reuse }
}

export const progressOf = (work: RunWork, node: PlanNode) => {
  const progress = work.nodes[node.index]
  if (!progress) throw new Error(`no node ${node.index}`)
  return progress
}

/** The node as the worker before left it; undefined if there was none. */
export const beforeOf = (work: RunWork, node: PlanNode) => work.before[node.index]

/** A node that only waited is given up with the run: nobody can answer a run that has failed. */
export function leaveWait(work: RunWork, node: PlanNode, nowMs: number): void {
  const progress = progressOf(work, node)
  if (progress.status !== 'WAITING') return
  progress.status = 'CANCELLED'
  progress.completedAtMs = nowMs
  work.isChanged = true
}
