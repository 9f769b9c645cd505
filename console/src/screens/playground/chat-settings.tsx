import type { Model } from '#console/api/types.ts'
import { Field } from '#console/ui/field.tsx'
import { Slider } from '#console/ui/slider.tsx'
import { Switch } from '#console/ui/switch.tsx'
import { TextArea } from '#console/ui/text-area.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import type { ChatSettings } from './conversation.ts'

type ChatSettingsProps = {
  models: readonly Model[]
  settings: ChatSettings
  onChange(settings: ChatSettings): void
}

/** Offers only settings that every shown model declares. */
export function ChatSettingsFields({ models, settings, onChange }: ChatSettingsProps) {
  const ranges = models.map(({ capabilities }) => capabilities.temperature)
  const hasTemperature = ranges.every((range) => range !== undefined)
  const max = Math.min(...ranges.map((range) => range?.max ?? 1))
  const mostTokens = Math.min(
    ...models.map(({ capabilities }) => capabilities.maxOutputTokens ?? 1_000_000),
  )
  return (
    <>
      <Field label="System prompt" note="optional">
        {(control) => (
          <TextArea
            {...control}
            className="min-h-20"
            value={settings.system}
            onChange={({ target }) => onChange({ ...settings, system: target.value })}
          />
        )}
      </Field>
      {hasTemperature && (
        <div className="flex flex-col gap-1">
          <Switch
            label="Set the temperature"
            checked={settings.temperature !== null}
            onChange={({ target }) =>
              onChange({ ...settings, temperature: target.checked ? Math.min(0.7, max) : null })
            }
          />
          {settings.temperature !== null && (
            <Slider
              aria-label="Temperature"
              min={0}
              max={max}
              step={0.1}
              value={settings.temperature}
              format={(value) => value.toFixed(1)}
              onChange={(temperature) => onChange({ ...settings, temperature })}
            />
          )}
        </div>
      )}
      <Field label="Maximum tokens" note="optional">
        {(control) => (
          <TextInput
            {...control}
            type="number"
            min={1}
            max={mostTokens}
            value={settings.maxTokens ?? ''}
            onChange={({ target }) =>
              onChange({
                ...settings,
                maxTokens: target.valueAsNumber >= 1 ? Math.floor(target.valueAsNumber) : null,
              })
            }
          />
        )}
      </Field>
    </>
  )
}
