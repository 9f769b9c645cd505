import { useQuery } from '@tanstack/react-query'
import { consoleCall } from '#console/api/console-api.ts'

/** Every model the server knows: one read, filtered in the browser. */
export const useModelCatalogue = () =>
  useQuery({
    queryKey: ['model catalogue'],
    queryFn: async ({ signal }) => (await consoleCall('GET /model-catalogue', { signal })).items,
    staleTime: 60_000,
  })
