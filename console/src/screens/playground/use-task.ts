import { consoleCall } from '#console/api/console-api.ts'
import { usePolled } from '#console/api/use-polled.ts'

/** A task that somebody is waiting for. */
export const useTask = (taskId: string) =>
  usePolled({
    queryKey: ['task', taskId],
    read: (signal) => consoleCall('GET /tasks/{taskId}', { params: { taskId }, signal }),
    retryAfterSeconds: (data) => data.retryAfterSeconds,
    isWatched: true,
  })
