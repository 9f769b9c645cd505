import { useMemo } from 'react'
import { labelOf, readGraph } from '#console/canvas/graph.ts'
import { typeInfo } from '#console/canvas/node-types.ts'
import { useRun, useRunOnView } from './run-context.ts'

/** What people called the nodes of the graph that ran, by id; else what they are. */
export function useNodeNames(): (id: string) => string {
  const { types } = useRunOnView()
  const data = useRun((state) => state.graph)
  const names = useMemo(
    () =>
      new Map(
        (readGraph(data)?.nodes ?? []).map((node) => [
          node.id,
          labelOf(node) === node.id
            ? (typeInfo(types, node.type)?.label ?? node.id)
            : labelOf(node),
        ]),
      ),
    [data, types],
  )
  return (id) => names.get(id) ?? id
}
