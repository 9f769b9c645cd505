// A run of some nodes only: the targets, and everything they need. All other nodes are left out.
import type { Plan } from './plan.ts'

/** The plan of such a run. Nodes keep their indices: those left out are skipped. */
export function withTargets(plan: Plan, targets: readonly string[] | undefined): Plan {
  if (!targets) return plan
  const wanted = new Set(targets)
  const needed = new Set(plan.nodes.flatMap(({ id, index }) => (wanted.has(id) ? [index] : [])))
  const indices = [...needed]
  // Iterating over a Set also visits the members added meanwhile.
  for (const index of needed) {
    for (const { source } of plan.nodes[index]?.wires ?? []) needed.add(source)
  }
  const leftOut = new Set(
    plan.order.filter((index) => !needed.has(index) || plan.leftOut?.has(index)),
  )
  return {
    ...plan,
    results: plan.results.filter(({ node }) => needed.has(node)),
    targets: indices,
    leftOut,
  }
}

/** The targets that the graph does not have, by their position in the list. */
export const unknownTargets = ({ nodes }: Plan, targets: readonly string[]): number[] => {
  const ids = new Set(nodes.map(({ id }) => id))
  return [...targets.keys()].filter((position) => !ids.has(targets[position] ?? ''))
}
