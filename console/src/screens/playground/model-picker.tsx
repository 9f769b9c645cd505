import type { Model } from '#console/api/types.ts'
import { locale } from '#console/lib/locale.ts'
import { priceText, sourceText } from '#console/shared/model-price.ts'
import ModelSelect from '#console/shared/model-select.tsx'
import { Field } from '#console/ui/field.tsx'

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
        <ModelSelect
          {...control}
          models={models}
          kinds={[...new Set(models.map(({ kind }) => kind))]}
          value={model.id}
          onChange={onChange}
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
