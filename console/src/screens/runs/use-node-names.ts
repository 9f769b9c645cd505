import { useMemo } from 'react'
import { type NodeNames, nodeNames } from './node-names.ts'
import { useRun, useRunOnView } from './run-context.ts'

export function useNodeNames(): NodeNames {
  const { types } = useRunOnView()
  const graph = useRun((state) => state.graph)
  return useMemo(() => nodeNames(graph, types), [graph, types])
}
