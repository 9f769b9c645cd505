import { Button } from '#console/ui/button.tsx'
import { DayFilter } from '#console/ui/day-filter.tsx'
import { Select } from '#console/ui/select.tsx'
import { TextFilter } from '#console/ui/text-filter.tsx'
import { isFiltered, type RunsSearch } from './address.ts'

type RunFiltersProps = { search: RunsSearch; onChange(next: RunsSearch): void }

const all = 'all'
const states = [
  { value: all, label: 'All states' },
  { value: 'ACTIVE', label: 'Not ended' },
  { value: 'COMPLETED', label: 'Completed' },
  { value: 'FAILED', label: 'Failed' },
  { value: 'CANCELLED', label: 'Cancelled' },
] as const

const none: RunsSearch = {
  status: undefined,
  workflowId: undefined,
  from: undefined,
  to: undefined,
  q: undefined,
}

export function RunFilters({ search, onChange }: RunFiltersProps) {
  return (
    <search className="grid grid-cols-2 gap-2 md:flex md:flex-wrap md:items-center">
      <TextFilter
        label="Workflow name or run id"
        value={search.q ?? ''}
        onChange={(q) => onChange({ q: q || undefined })}
      />
      <Select
        aria-label="State"
        className="max-md:col-span-2 md:w-36"
        options={states}
        value={states.find(({ value }) => value === search.status)?.value ?? all}
        onChange={(status) => onChange({ status: status === all ? undefined : status })}
      />
      <DayFilter label="From" value={search.from} onChange={(from) => onChange({ from })} />
      <DayFilter label="To" value={search.to} onChange={(to) => onChange({ to })} />
      {search.workflowId && (
        <Button onClick={() => onChange({ workflowId: undefined })}>
          Workflow {search.workflowId} ×
        </Button>
      )}
      {isFiltered(search) && (
        <Button variant="quiet" onClick={() => onChange(none)}>
          Clear
        </Button>
      )}
    </search>
  )
}
