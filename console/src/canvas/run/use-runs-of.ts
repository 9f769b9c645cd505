import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { consoleCall } from '#console/api/console-api.ts'
import { useShown } from '#console/canvas/context.ts'
import { hasEnded } from './run-state.ts'

/** As many as a strip shows without becoming a page of its own. */
const shownRuns = 20
/** While a run is active. The shown run itself is watched more closely. */
const everyMs = 5_000

/** The newest runs of the workflow, newest first. */
export function useRunsOf(workflowId: number | null) {
  // A run that starts or ends while it is shown changes the list.
  const mark = useShown(({ run }) => (run ? `${run.state.run.runId} ${run.state.run.status}` : ''))
  const { data } = useQuery({
    queryKey: ['runs of', workflowId, mark],
    queryFn: () =>
      consoleCall('GET /runs', { query: { workflowId: workflowId ?? 0, size: shownRuns } }),
    enabled: workflowId !== null,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.items.some((run) => !hasEnded(run)) ? everyMs : false,
  })
  return data?.items ?? null
}
