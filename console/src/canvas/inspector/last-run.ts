import { useQuery } from '@tanstack/react-query'
import { listRuns, readNodesOfRun, readRunNode } from '#console/canvas/calls.ts'
import { useShown } from '#console/canvas/context.ts'
import { isRecord } from '#core/record.ts'

/** What the node received in the shown run, or else in the last one; null if that is not known. */
export function useLastRunInputs(workflowId: number | null, nodeId: string) {
  const shownId = useShown(({ run: shown }) => shown?.state.run.runId)
  const isInShown = useShown(({ run: shown }) => shown?.state.nodes[nodeId] !== undefined)
  const { data: run } = useQuery({
    queryKey: ['last run', workflowId],
    queryFn: async () => (await listRuns(workflowId ?? 0)).items[0] ?? null,
    enabled: workflowId !== null,
  })
  const runId = shownId ?? run?.runId
  const { data } = useQuery({
    queryKey: ['last run values', runId, nodeId],
    // The node may have been added after that run: then there is nothing to try on.
    queryFn: async () =>
      isInShown || (await readNodesOfRun(runId ?? '')).has(nodeId)
        ? readRunNode(runId ?? '', nodeId).catch(() => null)
        : null,
    enabled: runId !== undefined && (shownId === undefined || isInShown),
  })
  return data?.inputs ?? null
}

/** Members that an expression can name, two levels deep. */
export function namesIn(values: unknown): string[] {
  if (!isRecord(values)) return []
  return Object.entries(values).flatMap(([name, value]) => [
    name,
    ...(isRecord(value) ? Object.keys(value).map((key) => `${name}.${key}`) : []),
  ])
}
