import { Columns2 } from 'lucide-react'
import { lazy, Suspense } from 'react'
import type { Model } from '#console/api/types.ts'
import { ModelPicker } from '#console/screens/playground/model-picker.tsx'
import { Button } from '#console/ui/button.tsx'
import { Field } from '#console/ui/field.tsx'
import { FieldProblem } from '#console/ui/field-problem.tsx'
import { Select } from '#console/ui/select.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { Slider } from '#console/ui/slider.tsx'
import { Switch } from '#console/ui/switch.tsx'
import { TextArea } from '#console/ui/text-area.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import { type ChatSettings, type Read, readSchema, readTools } from './chat-request.ts'

// The editor is larger than the rest of the screen: loaded when somebody opens one.
const JsonInput = lazy(() => import('#console/shared/run-form/json-input.tsx'))

type FieldsProps = {
  models: readonly Model[]
  first: Model
  second: Model | undefined
  settings: ChatSettings
  onChange(settings: ChatSettings): void
}

/** Offers only settings that every shown model declares. */
export function ChatSettingsFields({ models, first, second, settings, onChange }: FieldsProps) {
  const shown = second ? [first, second] : [first]
  return (
    <>
      <Models {...{ models, first, second, settings, onChange }} />
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
      <Sampling models={shown} settings={settings} onChange={onChange} />
      <JsonField
        label="Tools"
        hint="Functions that the model may call, as JSON. Nothing is executed here."
        example='[{"name": "weather", "parameters": {"type": "object"}}]'
        text={settings.tools}
        read={readTools(settings.tools)}
        onChange={(tools) => onChange({ ...settings, tools })}
      />
      {shown.every(({ capabilities }) => capabilities.structuredOutput !== false) && (
        <JsonField
          label="JSON schema"
          hint="The answer is asked for in this form, and checked."
          example='{"type": "object", "properties": {}}'
          text={settings.schema}
          read={readSchema(settings.schema)}
          onChange={(schema) => onChange({ ...settings, schema })}
        />
      )}
    </>
  )
}

/** One model, or two side by side. */
function Models({ models, first, second, settings, onChange }: FieldsProps) {
  const other = models.find(({ id }) => id !== first.id) ?? first
  return (
    <>
      <ModelPicker
        models={models}
        model={first}
        onChange={(model) => onChange({ ...settings, model })}
      />
      {second ? (
        <>
          <ModelPicker
            label="Second model"
            models={models}
            model={second}
            onChange={(beside) => onChange({ ...settings, beside })}
          />
          <Button variant="quiet" onClick={() => onChange({ ...settings, beside: null })}>
            Only one model
          </Button>
        </>
      ) : (
        <Button
          icon={<Columns2 size={16} aria-hidden />}
          onClick={() => onChange({ ...settings, model: first.id, beside: other.id })}
        >
          Compare two models
        </Button>
      )}
    </>
  )
}

type SamplingProps = {
  models: readonly Model[]
  settings: ChatSettings
  onChange(settings: ChatSettings): void
}

const usual = 'as usual'

function Sampling({ models, settings, onChange }: SamplingProps) {
  const ranges = models.map(({ capabilities }) => capabilities.temperature)
  const hasTemperature = ranges.every((range) => range !== undefined)
  const max = Math.min(...ranges.map((range) => range?.max ?? 1))
  const mostTokens = Math.min(
    ...models.map(({ capabilities }) => capabilities.maxOutputTokens ?? 1_000_000),
  )
  const [efforts = [], ...others] = models.map(
    ({ capabilities }) => capabilities.reasoningEfforts ?? [],
  )
  const common = efforts.filter((effort) => others.every((list) => list.includes(effort)))
  return (
    <>
      {common.length > 0 && (
        <Field label="Reasoning effort">
          {(control) => (
            <Select
              {...control}
              options={[
                { value: usual, label: 'Default' },
                ...common.map((value) => ({ value, label: value })),
              ]}
              value={settings.effort ?? usual}
              onChange={(effort) =>
                onChange({ ...settings, effort: effort === usual ? null : effort })
              }
            />
          )}
        </Field>
      )}
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

type JsonFieldProps = {
  label: string
  hint: string
  example: string
  text: string
  read: Read<unknown>
  onChange(text: string): void
}

function JsonField({ label, hint, example, text, read, onChange }: JsonFieldProps) {
  if (text === '')
    return (
      <div className="flex flex-col items-start gap-1">
        <Button size="small" onClick={() => onChange(JSON.stringify(JSON.parse(example), null, 2))}>
          Add {label === 'Tools' ? 'tools' : 'a JSON schema'}
        </Button>
        <p className="text-soft text-xs">{hint}</p>
      </div>
    )
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div className="flex items-baseline justify-between gap-2">
        <span className="font-semibold text-sm">{label}</span>
        <Button size="small" variant="quiet" onClick={() => onChange('')}>
          Remove
        </Button>
      </div>
      <Suspense fallback={<Skeleton className="h-20" />}>
        <JsonInput label={label} text={text} onChange={onChange} />
      </Suspense>
      {'problem' in read && <FieldProblem id={`chat-${label}`} text={read.problem} />}
    </div>
  )
}
