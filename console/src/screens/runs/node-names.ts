import { readGraph } from '#console/canvas/graph.ts'
import { type NodeTypes, titleOf } from '#console/canvas/node-types.ts'

export type NodeNames = (id: string) => string

/** What people called the nodes of the graph that ran, by id; else what they are. */
export function nodeNames(graph: unknown, types: NodeTypes): NodeNames {
  const names = new Map(
    (readGraph(graph)?.nodes ?? []).map((node) => [node.id, titleOf(types, node)]),
  )
  return (id) => names.get(id) ?? id
}
