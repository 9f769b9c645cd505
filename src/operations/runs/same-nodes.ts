import type { GraphData } from '#store/tables/workflows.ts'
import { canonicalJson } from './idempotency.ts'

/**
 * Nodes that are equal in two valid graphs, including everything upstream of them, so that the same
 * inputs give the same results. `changedWorkflows` are called workflows with a new version.
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
      const apply = data.apply as { data?: { workflowId?: unknown } } | undefined
      const calls = [data.workflowId, apply?.data?.workflowId].filter(
        (workflowId) => typeof workflowId === 'number',
      )
      return [id, { text, sources: wires.map(([source]) => String(source)), calls }]
    }),
  )
}
