import { readGraph } from '#console/canvas/graph.ts'
import { type NodeTypes, titleOf } from '#console/canvas/node-types.ts'

export type NodeNames = (id: string) => string

/**
 * The names that people gave the nodes of the executed graph, by id; otherwise their types' labels.
 */
export function nodeNames(graph: unknown, types: NodeTypes): NodeNames {
  const names = new Map(
    (readGraph(graph)?.nodes ?? []).map((node) => [node.id, titleOf(types, node)]),
  )
  return (id) => names.get(id) ?? id
}
