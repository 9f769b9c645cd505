import { canonicalJson } from '#core/canonical-json.ts'
import type { GraphData } from '#store/tables/workflows.ts'

/**
 * Nodes that are equal in two valid graphs, including everything upstream of them, so that the same
 * inputs give the same results. `changedWorkflows` are called workflows that have changed, themselves or in
 * what they call.
 */
export function sameNodes(
  before: GraphData,
  now: GraphData,
  changedWorkflows: ReadonlySet<number>,
): Set<string> {
  const old = describeNodes(before)
  const current = describeNodes(now)
  const verdicts = new Map<string, boolean>()
  const isSame = (id: string): boolean => {
    const known = verdicts.get(id)
    if (known !== undefined) return known
    const node = current.get(id)
    const verdict =
      node !== undefined &&
      node.text === old.get(id)?.text &&
      !node.calls.some((workflowId) => changedWorkflows.has(workflowId)) &&
      node.sources.every(isSame)
    verdicts.set(id, verdict)
    return verdict
  }
  return new Set(now.nodes.map((node) => node.id).filter(isSame))
}

/** These workflows and all that call them, directly or through others. */
export function withCallers(
  changed: Iterable<number>,
  graphs: ReadonlyMap<number, GraphData>,
): Set<number> {
  const callers = new Map<number, number[]>()
  for (const [caller, { nodes }] of graphs) {
    for (const called of nodes.flatMap(({ data = {} }) => callsOf(data))) {
      callers.set(called, [...(callers.get(called) ?? []), caller])
    }
  }
  const found = new Set(changed)
  // Iterating over a Set also visits the members added meanwhile.
  for (const id of found) for (const caller of callers.get(id) ?? []) found.add(caller)
  return found
}

/** The workflows that a node calls, by itself or for each item of a list. */
function callsOf(data: Record<string, unknown>): number[] {
  const apply = data.apply as { data?: { workflowId?: unknown } } | undefined
  return [data.workflowId, apply?.data?.workflowId].filter(
    (workflowId) => typeof workflowId === 'number',
  )
}

function describeNodes({ nodes, connections }: GraphData) {
  const into = Map.groupBy(connections, (connection) => connection.target)
  return new Map(
    nodes.map(({ id, type, data = {} }) => {
      const { label: _, ...settings } = data
      const wires = (into.get(id) ?? []).map(({ source, sourceHandle, targetHandle }) => [
        source,
        sourceHandle ?? null,
        targetHandle ?? null,
      ])
      const text = canonicalJson([type, settings, wires])
      const sources = wires.map(([source]) => String(source))
      return [id, { text, sources, calls: callsOf(data) }]
    }),
  )
}
