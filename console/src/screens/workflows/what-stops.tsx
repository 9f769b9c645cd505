import { useQuery } from '@tanstack/react-query'
import { consoleCall } from '#console/api/console-api.ts'
import { counted } from '#console/lib/counted.ts'
import { listTriggers } from '#console/shared/triggers/calls.ts'
import { Banner } from '#console/ui/banner.tsx'

/** So many are named; of the others only the number is said. */
const named = 5
const mostWaits = 100

/** The triggers that end with a workflow, and the runs of it that wait for somebody. */
export function WhatStops({ workflowId }: { workflowId: number }) {
  const { data } = useQuery({
    // Not below 'workflows': the list is read again once the workflow is gone.
    queryKey: ['what stops', workflowId],
    queryFn: async ({ signal }) => {
      const [triggers, waits] = await Promise.all([
        listTriggers(String(workflowId), signal),
        consoleCall('GET /waits', { query: { workflowId, size: mostWaits }, signal }),
      ])
      return {
        triggers: triggers.items.map(({ name }) => name),
        waiting: new Set(waits.items.map(({ runId }) => runId)).size,
      }
    },
    staleTime: 0,
  })
  if (!data || data.triggers.length + data.waiting === 0) return null
  return (
    <>
      <TriggersStop total={data.triggers.length} names={data.triggers.slice(0, named)} />
      {data.waiting > 0 && (
        <Banner
          tone="warn"
          title={`${counted(data.waiting, 'run')}${data.waiting === mostWaits ? ' or more' : ''} waiting for an answer`}
        >
          They go on waiting, and can be answered in the inbox or cancelled.
        </Banner>
      )}
    </>
  )
}

/** `names`: of the first of them. */
export function TriggersStop({ total, names }: { total: number; names: readonly string[] }) {
  if (total === 0) return null
  return (
    <Banner tone="warn" title={`${counted(total, 'trigger')} will stop`}>
      {names.join(', ')}
      {total > names.length && ` and ${total - names.length} more`}
    </Banner>
  )
}
