import type { CatalogueModel } from '#console/api/types.ts'
import { providerName } from '#console/shared/model-facts.ts'
import { Button } from '#console/ui/button.tsx'
import { Select } from '#console/ui/select.tsx'
import { TextFilter } from '#console/ui/text-filter.tsx'
import { abilities, kinds, type ModelsSearch, prices, states } from './address.ts'
import { abilityWords, kindWords, priceWords, stateWords } from './model-words.ts'

type ModelFiltersProps = {
  models: readonly CatalogueModel[]
  search: ModelsSearch
  onChange(next: ModelsSearch): void
}

const any = 'any'

export function ModelFilters({ models, search, onChange }: ModelFiltersProps) {
  const providers = [...new Set(models.map(({ provider }) => provider))]
  const change = (part: { [K in keyof ModelsSearch]?: ModelsSearch[K] | undefined }) =>
    onChange({ ...search, ...part } as ModelsSearch)
  return (
    <search className="grid grid-cols-2 gap-2 md:flex md:flex-wrap md:items-center">
      <TextFilter
        label="Name, id or provider"
        value={search.q ?? ''}
        onChange={(q) => change({ q: q || undefined })}
      />
      <Choice
        label="Kind"
        all="All kinds"
        values={kinds}
        words={(kind) => kindWords[kind]}
        value={search.kind}
        onChange={(kind) => change({ kind })}
      />
      <Choice
        label="Provider"
        all="All providers"
        values={providers}
        words={providerName}
        value={search.provider}
        onChange={(provider) => change({ provider })}
      />
      <Choice
        label="Capability"
        all="Any capability"
        values={abilities}
        words={(ability) => abilityWords[ability]}
        value={search.ability}
        onChange={(ability) => change({ ability })}
      />
      <Choice
        label="Price"
        all="Any price"
        values={prices}
        words={(price) => priceWords[price]}
        value={search.price}
        onChange={(price) => change({ price })}
      />
      <Choice
        label="State"
        all="All states"
        values={states}
        words={(state) => stateWords[state]}
        value={search.state}
        onChange={(state) => change({ state })}
      />
      <Choice
        label="Order"
        all="As listed"
        values={['price']}
        words={() => 'Cheapest first'}
        value={search.sort}
        onChange={(sort) => change({ sort })}
      />
      {Object.keys(search).length > 0 && (
        <Button variant="quiet" className="max-md:col-span-2" onClick={() => onChange({})}>
          Clear
        </Button>
      )}
    </search>
  )
}

type ChoiceProps<T extends string> = {
  label: string
  /** The choice that filters nothing. */
  all: string
  values: readonly T[]
  words(value: T): string
  value: T | undefined
  onChange(value: T | undefined): void
}

function Choice<T extends string>({ label, all, values, words, value, onChange }: ChoiceProps<T>) {
  return (
    <Select
      aria-label={label}
      className="md:w-40"
      options={[
        { value: any, label: all },
        ...values.map((one) => ({ value: one, label: words(one) })),
      ]}
      value={values.find((one) => one === value) ?? any}
      onChange={(chosen) => onChange(values.find((one) => one === chosen))}
    />
  )
}
