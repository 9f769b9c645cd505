import { useQuery } from '@tanstack/react-query'
import { consoleCall } from '#console/api/console-api.ts'
import { publicCall } from '#console/api/public-api.ts'
import type { Workflow } from '#console/api/types.ts'

/** The template that a workflow was made from: such a workflow keeps its name. */
export function useTemplate(workflowId: number) {
  const { data } = useQuery({
    queryKey: ['triggers', 'template', workflowId],
    queryFn: async () => {
      const [{ name }, { items }] = await Promise.all([
        publicCall<Workflow>(`/workflows/${workflowId}`),
        consoleCall('GET /templates'),
      ])
      return items.find((template) => template.name === name) ?? null
    },
    staleTime: 60_000,
  })
  return data
}
