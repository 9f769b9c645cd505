import type { Model } from '#console/api/types.ts'
import { Field } from '#console/ui/field.tsx'
import { Select } from '#console/ui/select.tsx'
import { Slider } from '#console/ui/slider.tsx'
import { Switch } from '#console/ui/switch.tsx'
import { type CreativeSettings, choicesOf } from './creative.ts'

type CreativeFieldsProps = {
  model: Model
  settings: CreativeSettings
  onChange(settings: CreativeSettings): void
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
export function CreativeFields({ model, settings, onChange }: CreativeFieldsProps) {
  const { videoSeconds, videoAudio } = model.capabilities
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
                onChange={(value) =>
                  onChange({ ...settings, [key]: value === asUsual ? undefined : value })
                }
              />
            )}
          </Field>
        ))}
      </div>
      {model.kind === 'VIDEO' && videoSeconds && (
        <LengthField
          seconds={videoSeconds}
          value={settings.videoSeconds ?? videoSeconds.default}
          onChange={(value) => onChange({ ...settings, videoSeconds: value })}
        />
      )}
      {model.kind === 'VIDEO' && videoAudio && (
        <Switch
          label="With sound"
          checked={settings.videoGenerateAudio ?? false}
          onChange={({ target }) => onChange({ ...settings, videoGenerateAudio: target.checked })}
        />
      )}
    </>
  )
}
