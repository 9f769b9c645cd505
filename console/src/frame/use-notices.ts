import { consoleCall } from '#console/api/console-api.ts'
import { usePolled } from '#console/api/use-polled.ts'

export const noticesKey = ['notices'] as const

/** What is good to know, read every minute. */
export const useNotices = () =>
  usePolled({
    queryKey: noticesKey,
    read: (signal) => consoleCall('GET /notices', { signal }),
    retryAfterSeconds: () => 60,
  })
