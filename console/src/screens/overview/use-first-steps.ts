import { useQueries } from '@tanstack/react-query'
import { consoleCall } from '#console/api/console-api.ts'
import { doneSteps, type StepName } from './first-steps.ts'

/** Which steps are done; undefined until that is known. */
export function useFirstSteps(): Record<StepName, boolean> | undefined {
  const [images, runs, keys] = useQueries({
    queries: [
      {
        queryKey: ['tasks', 'first image'],
        queryFn: ({ signal }) =>
          consoleCall('GET /tasks', {
            query: { kind: 'IMAGE', status: 'COMPLETED', size: 1 },
            signal,
          }),
      },
      {
        queryKey: ['runs', 'first'],
        queryFn: ({ signal }) =>
          consoleCall('GET /runs', { query: { status: 'COMPLETED', size: 1 }, signal }),
      },
      {
        queryKey: ['api-keys'],
        queryFn: async ({ signal }) => (await consoleCall('GET /api-keys', { signal })).items,
      },
    ],
  })
  if (!images.data || !runs.data || !keys.data) return undefined
  return doneSteps({
    hasImage: images.data.items.length > 0,
    hasRun: runs.data.items.length > 0,
    keyNames: keys.data.map(({ name }) => name),
  })
}
