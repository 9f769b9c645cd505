import { useQuery } from '@tanstack/react-query'
import { consoleCall } from '#console/api/console-api.ts'
import { publicCall } from '#console/api/public-api.ts'
import type { Workflow } from '#console/api/types.ts'

type Node = { id: string; type: string; data?: { label?: unknown } }

/** The names that people gave the nodes of a workflow; their ids until those are loaded. */
export function useNodeNames(workflowId: number, { enabled }: { enabled: boolean }) {
  const { data: names } = useQuery({
    queryKey: ['node names', workflowId],
    enabled,
    queryFn: async () => {
      const [{ data }, { items }] = await Promise.all([
        publicCall<Workflow>(`/workflows/${workflowId}`),
        consoleCall('GET /node-types'),
      ])
      const types = new Map(items.map(({ type, label }) => [type, label]))
      const nodes = data.nodes as Node[]
      return new Map(nodes.map(({ id, type, data }) => [id, data?.label || types.get(type) || id]))
    },
  })
  return (id: string): string => String(names?.get(id) ?? id)
}
