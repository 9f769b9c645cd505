// What a run takes along into its sleep, because another version of the server might compute it
// otherwise: values of nodes without calls that others still read, and what loops have passed.
import type { NodeOutputs, PassedLoop } from '#graph/node/node-type.ts'
import type { Plan, PlanNode } from '#graph/plan/plan.ts'
import { findNodeType } from '#graph/types/table.ts'

/** A plan under way, with the values that its nodes still read: by index, null for the others. */
type ValuesInUse = {
  readonly compiled: { readonly plan: Plan }
  readonly options: { readonly values: Pick<KeptValues, 'under'> }
  readonly values: readonly (NodeOutputs | null)[]
}

export type KeptValues = {
  /** Precedes the ids of nodes in paths. */
  readonly under: string
  /** By path, and loops by `loopKey`: as they were before the run slept. */
  readonly before: ReadonlyMap<string, NodeOutputs>
  readonly now: Set<ValuesInUse>
  /** By path: loops under way, and those that are over. */
  readonly loops: Map<string, PassedLoop>
}

/** No path of a node or an item ends so. */
export const loopKey = (path: string): string => `${path}[]`

export const keptNow = ({ now, loops }: KeptValues): Map<string, NodeOutputs> => {
  const kept = new Map<string, NodeOutputs>()
  for (const [path, passed] of loops) kept.set(loopKey(path), passed)
  for (const walk of now) for (const [path, value] of unreadValues(walk)) kept.set(path, value)
  return kept
}

/** Values of a plan that other nodes still read. */
function* unreadValues({
  compiled,
  values,
  options,
}: ValuesInUse): Generator<[string, NodeOutputs]> {
  for (const [index, outputs] of values.entries()) {
    const node = compiled.plan.nodes[index]
    // Inputs are stored with the run.
    if (!outputs || !node || node.type.inputSchema || !isComputed(node)) continue
    yield [options.values.under + node.id, outputs]
  }
}

/** By itself, or as a loop of such a step: it makes no calls, whose records would tell its value. */
function isComputed({ type, config }: PlanNode): boolean {
  if (type.pure) return true
  const step = type.step?.(config)
  return step ? findNodeType(step.type)?.pure === true : false
}
