import { useGraph, useView } from '#console/canvas/context.ts'
import { findNode } from '#console/canvas/graph.ts'
import { titleOf } from '#console/canvas/node-types.ts'

/** The name that the screen shows for a node; its id if it is gone. */
export function useNameOf(): (nodeId: string) => string {
  const graph = useGraph()
  const types = useView((state) => state.types)
  return (nodeId) => {
    const node = findNode(graph, nodeId)
    return node ? titleOf(types, node) : nodeId
  }
}
