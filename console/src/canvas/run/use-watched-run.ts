import { useRef } from 'react'
import { consoleCall } from '#console/api/console-api.ts'
import { usePolled } from '#console/api/use-polled.ts'
import { mergeView, type RunState } from './run-state.ts'

/** The run, read as often as it changes. Tabs share whole states, because changes are relative. */
export function useWatchedRun(runId: string) {
  const last = useRef<RunState | null>(null)
  return usePolled({
    queryKey: ['run view', runId],
    read: async (signal) => {
      const before = last.current?.run.runId === runId ? last.current : null
      const answer = await consoleCall('GET /runs/{runId}/view', {
        params: { runId },
        query: before ? { since: before.rev } : {},
        signal,
      })
      last.current = mergeView(before, answer)
      return last.current
    },
    retryAfterSeconds: ({ run }) => (run.inFlightTaskMayComplete ? 5 : run.retryAfterSeconds),
    isWatched: true,
  })
}
