import { useQuery } from '@tanstack/react-query'
import { consoleCall } from '#console/api/console-api.ts'
import { Button } from '#console/ui/button.tsx'
import { Select } from '#console/ui/select.tsx'
import { TextFilter } from '#console/ui/text-filter.tsx'
import type { WorkflowsSearch } from './address.ts'

type WorkflowFiltersProps = { search: WorkflowsSearch; onChange(next: WorkflowsSearch): void }

const any = '\u0000any'
const orders = [
  { value: 'changed', label: 'Recently changed' },
  { value: 'name', label: 'By name' },
  { value: 'created', label: 'Newest' },
] as const

export function WorkflowFilters({ search, onChange }: WorkflowFiltersProps) {
  const { data: tags = [] } = useQuery({
    queryKey: ['workflows', 'tags'],
    queryFn: async ({ signal }) => (await consoleCall('GET /workflow-tags', { signal })).items,
  })
  const change = (part: { [K in keyof WorkflowsSearch]?: WorkflowsSearch[K] | undefined }) =>
    onChange({ ...search, cursor: undefined, ...part } as WorkflowsSearch)
  const { q, tag, sort } = search
  return (
    <search className="grid grid-cols-2 gap-2 md:flex md:flex-wrap md:items-center">
      <TextFilter
        label="Name, label, node type or model"
        className="md:w-72"
        value={q ?? ''}
        onChange={(typed) => change({ q: typed || undefined })}
      />
      {(tags.length > 0 || tag) && (
        <Select
          aria-label="Tag"
          className="md:w-44"
          options={[
            { value: any, label: 'All tags' },
            ...tags.map((one) => ({
              value: one.tag,
              label: one.tag,
              note: String(one.workflows),
            })),
          ]}
          value={tag ?? any}
          onChange={(chosen) => change({ tag: chosen === any ? undefined : chosen })}
        />
      )}
      <Select
        aria-label="Order"
        className="md:w-44"
        options={orders}
        value={sort ?? 'changed'}
        onChange={(chosen) => change({ sort: chosen === 'changed' ? undefined : chosen })}
      />
      {(q || tag) && (
        <Button
          variant="quiet"
          className="max-md:col-span-2"
          onClick={() => change({ q: undefined, tag: undefined })}
        >
          Clear search
        </Button>
      )}
    </search>
  )
}
