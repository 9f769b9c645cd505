import { useQuery } from '@tanstack/react-query'
import { consoleCall } from '#console/api/console-api.ts'
import { CallList } from '#console/shared/call-list.tsx'
import { Card } from '#console/ui/card.tsx'

/** Calls that count against the limits although nobody knows what they cost; absent without any. */
export function UnsettledCard() {
  const unsettled = useQuery({
    queryKey: ['calls', 'unsettled'],
    queryFn: ({ signal }) =>
      consoleCall('GET /calls', { query: { unsettled: 'true', size: 20 }, signal }),
  })
  const calls = unsettled.data?.items ?? []
  if (calls.length === 0) return null
  return (
    <Card title="Unsettled calls">
      <p className="text-soft text-sm">
        Their answers were lost, so they count as the most they can have cost
        {unsettled.data?.next ? `. These are the newest ${calls.length}.` : '.'}
      </p>
      <CallList calls={calls} />
    </Card>
  )
}
