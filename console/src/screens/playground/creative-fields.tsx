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

/** What the model declares, and nothing else. */
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
        <Field label="Length">
          {() => (
            <Slider
              aria-label="Length in seconds"
              min={videoSeconds.min}
              max={videoSeconds.max}
              value={settings.videoSeconds ?? videoSeconds.default}
              format={(value) => `${value} s`}
              onChange={(value) => onChange({ ...settings, videoSeconds: value })}
            />
          )}
        </Field>
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
