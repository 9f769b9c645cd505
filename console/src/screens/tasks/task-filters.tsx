import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { publicCall } from '#console/api/public-api.ts'
import type { ModelList } from '#console/api/types.ts'
import { useShortcut } from '#console/lib/use-shortcut.ts'
import { Button } from '#console/ui/button.tsx'
import { Select } from '#console/ui/select.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
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
      <TextFilter value={search.q ?? ''} onChange={(q) => onChange({ q: q || undefined })} />
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
          { value: 'QUEUED', label: 'Waiting' },
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
          { value: 'DIRECT', label: 'Asked directly' },
          { value: 'WORKFLOW', label: 'From a workflow' },
        ]}
        value={search.source ?? all}
        onChange={(source) => onChange({ source: optional(source) })}
      />
      <DayFilter label="From" value={search.from} onChange={(from) => onChange({ from })} />
      <DayFilter label="To" value={search.to} onChange={(to) => onChange({ to })} />
      {isFiltered(search) && (
        <Button variant="quiet" onClick={() => onChange(none)}>
          Clear
        </Button>
      )}
    </search>
  )
}

type DayFilterProps = {
  label: string
  value: string | undefined
  onChange(day: string | undefined): void
}

const DayFilter = ({ label, value = '', onChange }: DayFilterProps) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is inside, in a component
  <label className="flex items-center gap-2 text-soft text-sm">
    {label}
    <TextInput
      type="date"
      className="md:w-36"
      value={value}
      onChange={({ target }) => onChange(target.value || undefined)}
    />
  </label>
)

const typingMs = 300

/** Searched once typing pauses. `/` leads here. */
function TextFilter({ value, onChange }: { value: string; onChange(value: string): void }) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => onChange(text), typingMs)
    return () => clearTimeout(timer)
  }, [text, value, onChange])
  useShortcut('/', 'Filter', () => document.getElementById('task-filter')?.focus())
  return (
    <TextInput
      id="task-filter"
      type="search"
      aria-label="Prompt or task id"
      placeholder="Prompt or task id"
      className="col-span-2 md:w-56"
      maxLength={200}
      value={text}
      onChange={({ target }) => setText(target.value)}
    />
  )
}
