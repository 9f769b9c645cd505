import { consoleCall } from '#console/api/console-api.ts'
import { usePolled } from '#console/api/use-polled.ts'
import { firstPages } from './first-pages.ts'

type Filter = {
  mine: boolean
  q?: string
  size?: number
  /** How many pages are shown; one unless somebody asked for more. */
  pages?: number
}

/** What waits for an answer, read every 15 seconds. */
export const useInbox = ({ pages = 1, ...filter }: Filter) =>
  usePolled({
    queryKey: ['waits', filter, pages],
    read: (signal) =>
      firstPages(
        (cursor) =>
          consoleCall('GET /waits', { query: { ...filter, ...(cursor && { cursor }) }, signal }),
        pages,
      ),
    retryAfterSeconds: () => 15,
  })
