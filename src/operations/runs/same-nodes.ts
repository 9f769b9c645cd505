import { canonicalJson } from './idempotency.ts'

type Node = { id: string; type: string; data?: Record<string, unknown> }
type Connection = {
  source: string
  sourceHandle?: string | null
  target: string
  targetHandle?: string | null
}
type Graph = { nodes: Node[]; connections: Connection[] }

/**
 * Nodes that are equal in two valid graphs, including everything upstream of them, so that the same
 * inputs give the same results. `changedWorkflows` are called workflows with a new version.
 */
export function sameNodes(
  before: Graph,
  now: Graph,
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

function describeNodes({ nodes, connections }: Graph) {
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
      const apply = data.apply as { data?: { workflowId?: unknown } } | undefined
      const calls = [data.workflowId, apply?.data?.workflowId].filter(
        (workflowId) => typeof workflowId === 'number',
      )
      return [id, { text, sources: wires.map(([source]) => String(source)), calls }]
    }),
  )
}
