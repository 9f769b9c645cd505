import { consoleCall } from '#console/api/console-api.ts'
import { usePolled } from '#console/api/use-polled.ts'

type Filter = { mine: boolean; q?: string; size?: number }

/** What waits for an answer, read every 15 seconds. */
export const useInbox = (filter: Filter) =>
  usePolled({
    queryKey: ['waits', filter],
    read: (signal) => consoleCall('GET /waits', { query: filter, signal }),
    retryAfterSeconds: () => 15,
  })
