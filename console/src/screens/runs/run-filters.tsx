import { Button } from '#console/ui/button.tsx'
import { Select } from '#console/ui/select.tsx'
import { SpanFilter } from '#console/ui/span-filter.tsx'
import { TextFilter } from '#console/ui/text-filter.tsx'
import { isFiltered, type RunsSearch } from './address.ts'

type RunFiltersProps = { search: RunsSearch; onChange(next: RunsSearch): void }

const all = 'all'
const states = [
  { value: all, label: 'All states' },
  { value: 'ACTIVE', label: 'Active' },
  { value: 'WAITING', label: 'Waiting' },
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
      <SpanFilter from={search.from} to={search.to} onChange={onChange} />
      {search.workflowId && (
        <Button onClick={() => onChange({ workflowId: undefined })}>
          Workflow {search.workflowId} ×
        </Button>
      )}
      {isFiltered(search) && (
        <Button variant="quiet" className="max-md:col-span-2" onClick={() => onChange(none)}>
          Clear
        </Button>
      )}
    </search>
  )
}
