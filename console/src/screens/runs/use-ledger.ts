import { useQuery } from '@tanstack/react-query'
import { consoleCall } from '#console/api/console-api.ts'
import { readPages } from '#console/api/read-pages.ts'
import { useRun } from './run-context.ts'

/** Every provider attempt of this run; read again when a call ends or is retried. */
export function useLedger({ enabled }: { enabled: boolean }) {
  const runId = useRun(({ run }) => run.runId)
  const seen = useRun(({ calls }) =>
    Object.values(calls).reduce((sum, { attempts, status }) => sum + attempts + status.length, 0),
  )
  return useQuery({
    queryKey: ['calls', runId, seen],
    enabled,
    queryFn: ({ signal }) =>
      readPages(
        (cursor) =>
          consoleCall('GET /calls', {
            query: { runId, size: 100, ...(cursor && { cursor }) },
            signal,
          }),
        { enough: 1_000, mostPages: 20 },
      ),
    placeholderData: (before) => before,
  })
}
