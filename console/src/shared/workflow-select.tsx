import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { consoleCall } from '#console/api/console-api.ts'
import { publicCall } from '#console/api/public-api.ts'
import { formatCount } from '#console/lib/format-count.ts'
import { Combobox } from '#console/ui/combobox.tsx'
import type { ControlProps } from '#console/ui/field.tsx'

type WorkflowSelectProps = Partial<ControlProps> & {
  value: number | null
  onChange(id: number): void
}

const pageSize = 50
const typingMs = 200

/** Chooses one of any number of workflows: the server is asked for what is typed. */
export default function WorkflowSelect({ value, onChange, ...control }: WorkflowSelectProps) {
  const [typed, setTyped] = useState('')
  const [q, setQ] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setQ(typed.trim()), typingMs)
    return () => clearTimeout(timer)
  }, [typed])
  const found = useQuery({
    queryKey: ['workflows', 'choice', q],
    queryFn: ({ signal }) =>
      consoleCall('GET /workflows', {
        query: { ...(q ? { q } : {}), sort: 'changed', size: pageSize },
        signal,
      }),
    placeholderData: keepPreviousData,
  })
  const { items = [], total = 0, totalIsExact = true } = found.data ?? {}
  const chosen = useChosen(value)
  const listed = items.map(({ id, name }) => ({ id, name }))
  const all = chosen && !listed.some(({ id }) => id === chosen.id) ? [chosen, ...listed] : listed
  return (
    <Combobox
      {...control}
      options={all.map(({ id, name }) => ({
        value: String(id),
        label: name,
        note: `#${id}`,
        // The server searches more than the name.
        keywords: q,
      }))}
      value={value === null ? null : String(value)}
      onChange={(id) => onChange(Number(id))}
      onType={setTyped}
      placeholder="Choose a workflow"
      noMatch={found.isFetching ? 'Searching…' : 'No workflow matches.'}
      {...(total > items.length
        ? {
            more: {
              label: `${items.length} of ${formatCount(total)}${totalIsExact ? '' : '+'}: type to find others`,
            },
          }
        : {})}
    />
  )
}

/** The chosen workflow need not be among the newest. */
function useChosen(id: number | null) {
  const { data } = useQuery({
    queryKey: ['workflows', 'chosen', id],
    queryFn: () => publicCall<{ id: number; name: string }>(`/workflows/${id}`),
    enabled: id !== null,
    staleTime: 60_000,
    retry: false,
  })
  return data
}
