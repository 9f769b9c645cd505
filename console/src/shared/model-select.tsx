import { useNavigate } from '@tanstack/react-router'
import type { Model } from '#console/api/types.ts'
import { Combobox } from '#console/ui/combobox.tsx'
import type { ControlProps } from '#console/ui/field.tsx'
import { demosLast, modelOption } from './model-facts.ts'
import { useModelCatalogue } from './use-model-catalogue.ts'

type ModelSelectProps = Partial<ControlProps> & {
  /** Those that can be chosen, of the kinds below. */
  models: readonly Model[]
  kinds: readonly string[]
  value: string | null
  onChange(id: string): void
  placeholder?: string
}

/** Chooses a model by name, id or provider; says how many more a key would add. */
export default function ModelSelect({ models, kinds, value, ...control }: ModelSelectProps) {
  const navigate = useNavigate()
  const { data: all = [] } = useModelCatalogue()
  const isOffered = value === null || models.some(({ id }) => id === value)
  const listed = all.find(({ id }) => id === value)
  const keyless = all.filter(({ kind, state }) => kinds.includes(kind) && state === 'no-key')
  return (
    <Combobox
      {...control}
      size="wide"
      value={value}
      options={[
        ...(isOffered
          ? []
          : [{ value, label: listed?.name ?? value, detail: listed?.why ?? 'Not available' }]),
        ...demosLast(models).map((model) => ({
          ...modelOption(model),
          ...(model.enabled ? {} : { note: 'with your key' }),
        })),
      ]}
      noMatch="No model has this name, id or provider."
      more={
        keyless.length > 0
          ? {
              label: `${keyless.length} more need a key`,
              onSelect: () => void navigate({ to: '/models', search: { state: 'no-key' } }),
            }
          : undefined
      }
    />
  )
}
