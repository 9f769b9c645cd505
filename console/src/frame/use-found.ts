import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { publicCall } from '#console/api/public-api.ts'
import type { WorkflowPage } from '#console/api/types.ts'
import type { Command } from '#console/ui/match-commands.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** What the search finds on the server: workflows by name, runs and tasks by identifier. */
export function useFound(isOpen: boolean, typed: string): Command[] {
  const navigate = useNavigate()
  const workflows = useQuery({
    queryKey: ['workflows', 'names'],
    queryFn: async ({ signal }) =>
      (await publicCall<WorkflowPage>('/workflows', { query: { size: 200 }, signal })).items,
    enabled: isOpen,
    staleTime: 30_000,
  })
  const id = typed.trim().toLowerCase()
  const byId: Command[] = uuid.test(id)
    ? [
        {
          id: 'run',
          label: `Run ${id}`,
          group: 'Open',
          run: () => void navigate({ to: '/runs/$runId', params: { runId: id } }),
        },
        {
          id: 'task',
          label: `Task ${id}`,
          group: 'Open',
          run: () => void navigate({ to: '/tasks/$taskId', params: { taskId: id } }),
        },
      ]
    : []
  const byName = (workflows.data ?? []).map(({ id: workflowId, name }) => ({
    id: `workflow ${workflowId}`,
    label: name,
    group: 'Workflow',
    run: () =>
      void navigate({
        to: '/workflows/$workflowId',
        params: { workflowId: String(workflowId) },
      }),
  }))
  return [...byId, ...byName]
}
