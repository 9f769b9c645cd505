import { useQuery } from '@tanstack/react-query'
import { Star } from 'lucide-react'
import { publicCall } from '#console/api/public-api.ts'
import type { ModelList } from '#console/api/types.ts'
import { Button } from '#console/ui/button.tsx'
import { Select } from '#console/ui/select.tsx'
import { SpanFilter } from '#console/ui/span-filter.tsx'
import { TextFilter } from '#console/ui/text-filter.tsx'
import { isFiltered, type TasksSearch } from './address.ts'

type TaskFiltersProps = { search: TasksSearch; onChange(next: TasksSearch): void }

const all = 'all'
const optional = <T extends string>(value: T | 'all'): T | undefined =>
  value === all ? undefined : value

const none: TasksSearch = {
  kind: undefined,
  status: undefined,
  source: undefined,
  model: undefined,
  starred: undefined,
  from: undefined,
  to: undefined,
  q: undefined,
}

export function TaskFilters({ search, onChange }: TaskFiltersProps) {
  const models = useQuery({
    queryKey: ['models'],
    queryFn: () => publicCall<ModelList>('/models'),
    staleTime: 60_000,
  })
  const made = models.data?.items.filter(({ kind }) => kind === 'IMAGE' || kind === 'VIDEO') ?? []
  return (
    <search className="grid grid-cols-2 gap-2 md:flex md:flex-wrap md:items-center">
      <TextFilter
        label="Prompt or task id"
        value={search.q ?? ''}
        onChange={(q) => onChange({ q: q || undefined })}
      />
      <Select
        aria-label="Kind"
        className="md:w-32"
        options={[
          { value: all, label: 'All kinds' },
          { value: 'IMAGE', label: 'Images' },
          { value: 'VIDEO', label: 'Videos' },
        ]}
        value={search.kind ?? all}
        onChange={(kind) => onChange({ kind: optional(kind) })}
      />
      <Select
        aria-label="State"
        className="md:w-36"
        options={[
          { value: all, label: 'All states' },
          { value: 'QUEUED', label: 'Queued' },
          { value: 'RUNNING', label: 'Running' },
          { value: 'COMPLETED', label: 'Completed' },
          { value: 'FAILED', label: 'Failed' },
          { value: 'CANCELLED', label: 'Cancelled' },
        ]}
        value={search.status ?? all}
        onChange={(status) => onChange({ status: optional(status) })}
      />
      <Select
        aria-label="Model"
        className="md:w-44"
        options={[
          { value: all, label: 'All models' },
          ...made.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        value={search.model ?? all}
        onChange={(model) => onChange({ model: optional(model) })}
      />
      <Select
        aria-label="Source"
        className="md:w-40"
        options={[
          { value: all, label: 'All sources' },
          { value: 'DIRECT', label: 'Direct request' },
          { value: 'WORKFLOW', label: 'From a workflow' },
        ]}
        value={search.source ?? all}
        onChange={(source) => onChange({ source: optional(source) })}
      />
      <div className="contents md:flex md:gap-2">
        <SpanFilter from={search.from} to={search.to} onChange={onChange} />
      </div>
      <Button
        aria-pressed={search.starred ?? false}
        icon={<Star size={14} className={search.starred ? 'fill-current' : ''} aria-hidden />}
        onClick={() => onChange({ starred: search.starred ? undefined : true })}
      >
        Starred
      </Button>
      {isFiltered(search) && (
        <Button variant="quiet" className="max-md:col-span-2" onClick={() => onChange(none)}>
          Clear
        </Button>
      )}
    </search>
  )
}
