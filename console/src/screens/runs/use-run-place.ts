import { useQuery } from '@tanstack/react-query'
import { consoleCall } from '#console/api/console-api.ts'
import { rootOf } from '#console/canvas/run/run-state.ts'
import { useRun } from './run-context.ts'

/** The interval while a node runs: its inner values change without changing the run's own state. */
const everyMs = 2_000

/** What a node, an item or a node inside a call received, did and produced. */
export function useRunPlace(path: string, { isOver }: { isOver: boolean }) {
  const runId = useRun(({ run }) => run.runId)
  // A change of the node's status triggers a read at once; the end of the run triggers the last
  // one.
  const status = useRun(({ nodes }) => nodes[rootOf(path)]?.status)
  return useQuery({
    queryKey: ['run node', runId, path, status, isOver],
    queryFn: ({ signal }) =>
      consoleCall('GET /runs/{runId}/node', { params: { runId }, query: { path }, signal }),
    placeholderData: (before) => (before?.path === path ? before : undefined),
    refetchInterval: isOver || status !== 'RUNNING' ? false : everyMs,
    staleTime: isOver ? 60_000 : 0,
  })
}
