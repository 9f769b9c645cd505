import { Link } from '@tanstack/react-router'
import { useId } from 'react'
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
  /** Where a model may be chosen before somebody has added its key. */
  mayLackKey?: boolean
}

/** Chooses a model by name, id or provider. Those that need a key are listed last, and say so. */
export default function ModelSelect(props: ModelSelectProps) {
  const { models, kinds, value, mayLackKey = false, ...control } = props
  const noteId = useId()
  const { data: all = [] } = useModelCatalogue()
  const isOffered = value === null || models.some(({ id }) => id === value)
  const listed = isOffered ? undefined : all.find(({ id }) => id === value)
  const keyless = all.filter(({ kind, state }) => kinds.includes(kind) && state === 'no-key')
  const describedBy = [control['aria-describedby'], listed?.why && noteId].filter(Boolean).join(' ')
  return (
    <>
      <Combobox
        {...control}
        aria-describedby={describedBy || undefined}
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
          ...keyless
            .filter(({ id }) => id !== value)
            .map((model) => ({
              ...modelOption(model),
              group: `${keyless.length} more need a key`,
              keywords: `${model.id} ${model.provider}`,
              note: 'no key',
              disabled: !mayLackKey,
            })),
        ]}
        noMatch="No model has this name, id or provider."
      />
      {listed?.why && (
        <p id={noteId} className="text-warn text-xs">
          {listed.why}{' '}
          {listed.state === 'no-key' && (
            // In another tab: this one has something half done.
            <Link to="/developer/credentials" target="_blank" className="text-accent underline">
              Add a key
            </Link>
          )}
        </p>
      )}
    </>
  )
}
