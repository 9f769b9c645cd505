import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { consoleCall } from '#console/api/console-api.ts'
import { counted } from '#console/lib/counted.ts'

type UsedByWorkflowsProps = {
  /** As workflows are found by it: `model;`, or `credential:name;`. */
  word: string
  /** Said if there are none. */
  none?: string
}

/** "4 workflows use it", with a link to them. */
export function UsedByWorkflows({ word, none }: UsedByWorkflowsProps) {
  const { data } = useQuery({
    queryKey: ['workflows', 'used', word],
    queryFn: ({ signal }) => consoleCall('GET /workflows', { query: { q: word, size: 1 }, signal }),
    staleTime: 30_000,
  })
  if (!data) return null
  if (data.total === 0) return none
  return (
    <Link to="/workflows" search={{ q: word }} className="text-accent underline">
      {counted(data.total, 'workflow')} {data.total === 1 ? 'uses' : 'use'} it
    </Link>
  )
}
