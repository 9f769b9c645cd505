import type { Model } from '#console/api/types.ts'
import { locale } from '#console/lib/locale.ts'
import { Combobox } from '#console/ui/combobox.tsx'
import { Field } from '#console/ui/field.tsx'
import { priceText, sourceText } from './price.ts'

type ModelPickerProps = {
  models: readonly Model[]
  model: Model
  label?: string
  onChange(id: string): void
}

const count = new Intl.NumberFormat(locale)

export function ModelPicker({ models, model, label = 'Model', onChange }: ModelPickerProps) {
  return (
    <Field label={label} note={priceText(model, locale)} hint={limitsText(model)}>
      {(control) => (
        <Combobox
          {...control}
          options={models.map((one) => ({
            value: one.id,
            label: one.name,
            note: priceText(one, locale),
          }))}
          value={model.id}
          onChange={onChange}
          noMatch="No model has this name. Set a provider’s key to get more."
        />
      )}
    </Field>
  )
}

function limitsText({ provider, capabilities: c, priceSource }: Model): string {
  return [
    provider,
    c.maxInputTokens && `${count.format(c.maxInputTokens)} tokens in`,
    c.maxOutputTokens && `${count.format(c.maxOutputTokens)} out`,
    c.inputModalities.includes('image') && 'accepts pictures',
    priceSource && sourceText(priceSource, locale),
  ]
    .filter(Boolean)
    .join(' · ')
}
