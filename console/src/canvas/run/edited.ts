// Which nodes were changed after a run had started: their results are of before the change. Pure.
import { sameJson } from '#console/canvas/equal.ts'
import { type Connection, type Graph, readGraph, wireKey } from '#console/canvas/graph.ts'

export function editedSince(ran: unknown, graph: Graph): Set<string> {
  const before = readGraph(ran)
  if (!before) return new Set()
  const known = new Map(before.nodes.map((node) => [node.id, node]))
  const [wasFed, isFed] = [feeds(before.connections), feeds(graph.connections)]
  return new Set(
    graph.nodes
      .filter((node) => {
        const old = known.get(node.id)
        if (!old) return false
        return (
          old.type !== node.type ||
          !sameJson(old.data, node.data) ||
          wasFed.get(node.id) !== isFed.get(node.id)
        )
      })
      .map(({ id }) => id),
  )
}

/** How many nodes of the run are no longer in the graph. */
export function goneSince(ran: unknown, graph: Graph): number {
  const ids = new Set(graph.nodes.map(({ id }) => id))
  return (readGraph(ran)?.nodes ?? []).filter(({ id }) => !ids.has(id)).length
}

function feeds(connections: readonly Connection[]): Map<string, string> {
  const keys = new Map<string, string[]>()
  for (const wire of connections) {
    const list = keys.get(wire.target)
    if (list) list.push(wireKey(wire))
    else keys.set(wire.target, [wireKey(wire)])
  }
  return new Map([...keys].map(([id, list]) => [id, list.sort().join(' ')]))
}
