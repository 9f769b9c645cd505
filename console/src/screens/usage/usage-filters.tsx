import { Select } from '#console/ui/select.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import { measures, type Range, splits, type UsageSearch } from './address.ts'
import { measureNames } from './measure.ts'
import { zoneOptions } from './zones.ts'

/** Only a whole tag can match, so it is asked for when the field is left, or on Enter. */
function TagFilter({ tag, onChange }: { tag: string; onChange(tag: string): void }) {
  return (
    <TextInput
      key={tag}
      aria-label="Tag"
      placeholder="Any tag"
      className="md:w-36"
      defaultValue={tag}
      maxLength={64}
      onBlur={({ target }) => target.value.trim() !== tag && onChange(target.value.trim())}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
    />
  )
}

type UsageFiltersProps = {
  search: UsageSearch
  days: { from: string; to: string }
  tz: string
  onChange(next: UsageSearch): void
}

const rangeOptions: { value: Range | 'own'; label: string }[] = [
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
  { value: '90d', label: 'Last 90 days' },
  { value: '12mo', label: 'Last 12 months' },
  { value: 'own', label: 'Custom range' },
]
const splitNames = { model: 'By model', key: 'By key', workflow: 'By workflow', tag: 'By tag' }

export function UsageFilters({ search, days, tz, onChange }: UsageFiltersProps) {
  const isOwn = Boolean(search.from && search.to)
  return (
    <fieldset className="grid grid-cols-2 gap-2 md:flex md:flex-wrap md:items-center">
      <legend className="sr-only">What to show</legend>
      <Select
        aria-label="Range"
        className="md:w-40"
        options={rangeOptions}
        value={isOwn ? 'own' : (search.range ?? '30d')}
        onChange={(range) =>
          range === 'own'
            ? onChange({ range: undefined, ...days })
            : onChange({ range, from: undefined, to: undefined })
        }
      />
      {isOwn && (
        <>
          <TextInput
            type="date"
            aria-label="First day"
            className="md:w-36"
            value={days.from}
            max={days.to}
            onChange={({ target }) => target.value && onChange({ from: target.value })}
          />
          <TextInput
            type="date"
            aria-label="Last day"
            className="md:w-36"
            value={days.to}
            min={days.from}
            onChange={({ target }) => target.value && onChange({ to: target.value })}
          />
        </>
      )}
      <Select
        aria-label="Measure"
        className="md:w-40"
        options={measures.map((value) => ({ value, label: measureNames[value] }))}
        value={search.measure ?? 'cost'}
        onChange={(measure) => onChange({ measure })}
      />
      <Select
        aria-label="Split"
        className="md:w-40"
        options={splits.map((value) => ({ value, label: splitNames[value] }))}
        value={search.split ?? 'model'}
        onChange={(split) => onChange({ split })}
      />
      <TagFilter tag={search.tag ?? ''} onChange={(tag) => onChange({ tag: tag || undefined })} />
      <Select
        aria-label="Time zone"
        className="md:w-48"
        options={zoneOptions(tz)}
        value={tz}
        onChange={(zone) => onChange({ tz: zone })}
      />
    </fieldset>
  )
}
