import type { Model } from '#console/api/types.ts'
import { Field } from '#console/ui/field.tsx'
import { Select } from '#console/ui/select.tsx'
import { Slider } from '#console/ui/slider.tsx'
import { Switch } from '#console/ui/switch.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import { type CreativeSettings, choicesOf, readSeed, takesSeed } from './creative.ts'
import type { CreativeForm } from './creative-form.ts'

type CreativeFieldsProps = {
  model: Model
  form: CreativeForm
  onChange(part: Partial<CreativeForm>): void
}

const asUsual = 'as usual'

type LengthFieldProps = {
  seconds: NonNullable<Model['capabilities']['videoSeconds']>
  value: number
  onChange(value: number): void
}

/** A choice if the model accepts only certain lengths, otherwise a range. */
function LengthField({ seconds: { min, max, values }, value, onChange }: LengthFieldProps) {
  const format = (length: number) => `${length} s`
  return (
    <Field label="Length">
      {(control) =>
        values ? (
          <Select
            {...control}
            options={values.map((length) => ({ value: String(length), label: format(length) }))}
            value={String(value)}
            onChange={(chosen) => onChange(Number(chosen))}
          />
        ) : (
          <Slider aria-label="Length in seconds" {...{ min, max, value, format, onChange }} />
        )
      }
    </Field>
  )
}

/** Only the settings that the model declares. */
export function CreativeFields({ model, form, onChange }: CreativeFieldsProps) {
  const { videoSeconds, videoAudio } = model.capabilities
  const { settings, count, seed } = form
  const set = (part: CreativeSettings) => onChange({ settings: { ...settings, ...part } })
  return (
    <>
      <div className="grid grid-cols-2 gap-3">
        {choicesOf(model).map(({ key, label, values }) => (
          <Field key={key} label={label}>
            {(control) => (
              <Select
                {...control}
                options={[
                  { value: asUsual, label: 'Default' },
                  ...values.map((value) => ({ value, label: value })),
                ]}
                value={String(settings[key] ?? asUsual)}
                onChange={(value) => set({ [key]: value === asUsual ? undefined : value })}
              />
            )}
          </Field>
        ))}
        <Field label="How many">
          {(control) => (
            <Select
              {...control}
              options={counts.map((value) => ({ value, label: value }))}
              value={String(count)}
              onChange={(value) => onChange({ count: Number(value) })}
            />
          )}
        </Field>
        {takesSeed(model) && (
          <Field
            label="Seed"
            note="optional"
            problem={readSeed(seed) === null ? 'A whole number from 0 on.' : null}
          >
            {(control) => (
              <TextInput
                {...control}
                inputMode="numeric"
                value={seed}
                placeholder="random"
                onChange={({ target }) => onChange({ seed: target.value })}
              />
            )}
          </Field>
        )}
      </div>
      {model.kind === 'VIDEO' && videoSeconds && (
        <LengthField
          seconds={videoSeconds}
          value={settings.videoSeconds ?? videoSeconds.default}
          onChange={(value) => set({ videoSeconds: value })}
        />
      )}
      {model.kind === 'VIDEO' && videoAudio && (
        <Switch
          label="With sound"
          checked={settings.videoGenerateAudio ?? false}
          onChange={({ target }) => set({ videoGenerateAudio: target.checked })}
        />
      )}
    </>
  )
}

const counts = ['1', '2', '3', '4', '5', '6', '7', '8']
