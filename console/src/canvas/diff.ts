// What changed between two versions of a graph: nodes added, removed, changed. Moves are only
// counted, because a node's position has no effect on a run.
import { sameJson } from './equal.ts'
import { type Connection, type Graph, type GraphNode, labelOf } from './graph.ts'
import { allPorts, type NodeParts, partsOf, sameSettings, sameWires } from './node-parts.ts'

export type Change = { readonly path: string; readonly before: unknown; readonly after: unknown }

export type NodeDiff = {
  readonly nodeId: string
  readonly label: string
  readonly type: string
  readonly kind: 'added' | 'removed' | 'changed'
  readonly changes: readonly Change[]
}

export type GraphDiff = { readonly nodes: readonly NodeDiff[]; readonly moved: number }

export function diffGraphs(before: Graph, after: Graph): GraphDiff {
  const [old, now] = [partsOf(before), partsOf(after)]
  const removed = before.nodes.filter((node) => !now.has(node.id))
  let moved = 0
  const present = after.nodes.flatMap((node): NodeDiff[] => {
    const [was, is] = [old.get(node.id), now.get(node.id)]
    if (!was || !is) return [entry(node, 'added', [])]
    if (!sameJson(was.node.position, node.position)) moved++
    const changes = changesOf(was, is)
    return changes.length > 0 ? [entry(node, 'changed', changes)] : []
  })
  return { nodes: [...present, ...removed.map((node) => entry(node, 'removed', []))], moved }
}

const entry = (node: GraphNode, kind: NodeDiff['kind'], changes: readonly Change[]): NodeDiff => ({
  nodeId: node.id,
  label: labelOf(node),
  type: node.type,
  kind,
  changes,
})

function changesOf(was: NodeParts, is: NodeParts): Change[] {
  const changes: Change[] = []
  if (was.node.type !== is.node.type) {
    changes.push({ path: 'type', before: was.node.type, after: is.node.type })
  }
  const keys = new Set([...Object.keys(was.node.data), ...Object.keys(is.node.data)])
  for (const path of keys) {
    const [before, after] = [was.node.data[path], is.node.data[path]]
    if (!sameJson(before, after)) changes.push({ path, before, after })
  }
  if (changes.length === 0 && !sameSettings(was.node, is.node)) {
    changes.push({ path: 'node', before: was.node, after: is.node })
  }
  for (const port of allPorts(was, is)) {
    const [before, after] = [was.wires.get(port), is.wires.get(port)]
    if (sameWires(before, after)) continue
    changes.push({
      path: port === '' ? 'connection' : `connection to ${port}`,
      before: sources(before),
      after: sources(after),
    })
  }
  return changes
}

const sources = (wires: readonly Connection[] | undefined): string | undefined =>
  wires?.map((wire) => [wire.source, wire.sourceHandle].filter(Boolean).join('.')).join(', ')
