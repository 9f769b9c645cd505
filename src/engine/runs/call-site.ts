import type { NodeProgress } from '#core/run-nodes.ts'
import type { NodeReuse } from '#graph/node/node-reuse.ts'
import type { ItemPlace } from '#graph/node/wait-request.ts'
import type { PlanNode } from '#graph/plan/plan.ts'
import type { Activity } from './activity.ts'

/** The position in a run from which a node makes its calls. */
export type CallSite = {
  path: string
  /** The node of the run's own graph that the calls are made for. */
  root: PlanNode
  progress: NodeProgress
  /** Calls made so far, to number their paths. */
  calls: number
  activity: Activity
  /** Of the items of lists that the calls are made for, the outermost first. */
  places: readonly ItemPlace[]
  reuse: NodeReuse
}
