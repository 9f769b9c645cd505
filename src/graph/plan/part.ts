// The part of a graph that a run executes: what its targets need, up to nodes with pinned results,
// and which of it is executed although an earlier answer could be reused.
import type { NodeType } from '../node/node-type.ts'
import type { Plan, PlanNode } from './plan.ts'
import { withTargets } from './targets.ts'

export type RunPart = {
  /** Only these nodes run, and what they need. */
  targets?: readonly string[] | undefined
  /** By node: the run whose result it has. It is not executed, nor is what only it needs. */
  pins?: Readonly<Record<string, string>> | undefined
  /** These make their calls anew in a run that reuses answers. */
  fresh?: readonly string[] | undefined
}

export function withPart(whole: Plan, { targets, pins, fresh }: RunPart): Plan {
  const plan = fresh ? withFresh(whole, new Set(fresh)) : whole
  if (!pins) return withTargets(plan, targets)
  const cut = withoutWires(plan, pins)
  return targets ? withTargets(cut, targets) : withoutUnused(cut, plan)
}

const withFresh = (plan: Plan, ids: ReadonlySet<string>): Plan => ({
  ...plan,
  nodes: plan.nodes.map((node) => (ids.has(node.id) ? { ...node, isFresh: true } : node)),
})

/** The pinned nodes that the graph does not have, or whose values come with every run anyway. */
export const unknownPins = ({ nodes }: Plan, pins: Readonly<Record<string, string>>): string[] => {
  const hasResult = ({ type, ports }: PlanNode) => !type.inputSchema && ports.outputs.length > 0
  const ids = new Set(nodes.filter(hasResult).map(({ id }) => id))
  return Object.keys(pins).filter((id) => !ids.has(id))
}

/** Pinned nodes wait for nothing: their results are among the inputs of the run. */
function withoutWires(plan: Plan, pins: Readonly<Record<string, string>>): Plan {
  const isPinned = (index: number) => Object.hasOwn(pins, plan.nodes[index]?.id ?? '')
  const nodes = plan.nodes.map((node): PlanNode => {
    const targets = node.targets.filter((target) => !isPinned(target))
    if (!isPinned(node.index)) return { ...node, targets }
    return { ...node, targets, wires: [], fills: {}, type: pinnedType(node.type), isPinned: true }
  })
  return { ...plan, nodes }
}

const pinnedType = ({ type, canvas, config, ports, estimate }: NodeType): NodeType => ({
  ...{ type, canvas, config, ports, estimate },
  pure: true,
  browserOnly: true,
  execute: (_, { ports: { value } }) => ({ ...(value as object) }),
})

/** Leaves out the nodes whose results were read by pinned nodes alone. */
function withoutUnused(cut: Plan, whole: Plan): Plan {
  const leftOut = new Set(cut.leftOut)
  const results = new Set(cut.results.map(({ node }) => node))
  for (const index of cut.order.toReversed()) {
    const wasRead = (whole.nodes[index]?.targets.length ?? 0) > 0
    const isRead = cut.nodes[index]?.targets.some((target) => !leftOut.has(target))
    if (wasRead && !isRead && !cut.nodes[index]?.isPinned && !results.has(index)) leftOut.add(index)
  }
  return { ...cut, leftOut }
}
