import { readGraph } from '#console/canvas/graph.ts'
import { type NodeTypes, titleOf } from '#console/canvas/node-types.ts'

export type NodeNames = (id: string) => string

/** The names of the executed graph's nodes, by id: those that people gave, else their types'. */
export function nodeNames(graph: unknown, types: NodeTypes): NodeNames {
  const names = new Map(
    (readGraph(graph)?.nodes ?? []).map((node) => [node.id, titleOf(types, node)]),
  )
  return (id) => names.get(id) ?? id
}
