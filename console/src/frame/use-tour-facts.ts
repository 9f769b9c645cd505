import { useQuery } from '@tanstack/react-query'
import { consoleCall } from '#console/api/console-api.ts'
import { publicCall } from '#console/api/public-api.ts'
import type { Workflow } from '#console/api/types.ts'

/** The server creates this key itself when it first starts. */
const firstKeyName = 'owner.key'

/** What exists of the tour, read while it is open. */
export const useTourFacts = (workflowId: number, isOpen: boolean) =>
  useQuery({
    queryKey: ['tour', workflowId],
    enabled: isOpen,
    refetchInterval: 3_000,
    queryFn: async ({ signal }) => {
      const [workflow, runs, keys] = await Promise.all([
        publicCall<Workflow>(`/workflows/${workflowId}`, { signal }),
        consoleCall('GET /runs', { query: { workflowId, status: 'COMPLETED', size: 1 }, signal }),
        consoleCall('GET /api-keys', { signal }),
      ])
      const [run] = runs.items
      return {
        hasTemplate: workflow.data.nodes.some(({ type }) => type === 'text.template'),
        runId: run?.runId ?? null,
        keys: keys.items.filter(({ name }) => name !== firstKeyName),
      }
    },
  })
