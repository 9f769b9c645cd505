import { Combobox } from '#console/ui/combobox.tsx'
import { Field } from '#console/ui/field.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import { ChoiceSetting } from './choice-setting.tsx'
import { SchedulePreview } from './schedule-preview.tsx'
import {
  rhythmOf,
  timeOf,
  units,
  weekdayOf,
  weekdays,
  withRhythm,
  withTime,
  withWeekday,
} from './schedule-text.ts'
import { TextSetting } from './text-setting.tsx'
import type { DraftProps } from './trigger-draft.ts'

const rhythms = [
  { value: 'hour', label: 'hour' },
  { value: 'day', label: 'day' },
  { value: 'weekday', label: 'weekday' },
  { value: 'week', label: 'week' },
  { value: 'month', label: 'month' },
  { value: 'interval', label: 'so many minutes, hours or days' },
  { value: 'custom', label: 'as a cron expression says' },
] as const
const dayOptions = weekdays.map((label, day) => ({ value: String(day), label }))
/** First the one that this browser is in. */
const usual = [...new Set([Intl.DateTimeFormat().resolvedOptions().timeZone, 'UTC'])]
const others = Intl.supportedValuesOf('timeZone').filter((zone) => !usual.includes(zone))
const zones = [
  ...usual.map((value) => ({ value, label: value, group: 'Usual' })),
  ...others.map((value) => ({ value, label: value, group: 'All' })),
]

/** "Every day at 09:00 in Europe/Berlin" and the cron expression edit the same string. */
export function ScheduleFields(props: DraftProps) {
  const { draft, onChange } = props
  const { cron, isInterval } = draft
  const rhythm = isInterval ? 'interval' : rhythmOf(cron)
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-3">
        <ChoiceSetting
          label="Every"
          options={rhythms}
          value={rhythm}
          onChange={(next) =>
            next === 'interval'
              ? onChange({ isInterval: true })
              : onChange({ isInterval: false, cron: withRhythm(cron, next) })
          }
        />
        {rhythm === 'week' && (
          <ChoiceSetting
            label="On"
            options={dayOptions}
            value={weekdayOf(cron)}
            onChange={(day) => onChange({ cron: withWeekday(cron, day) })}
          />
        )}
        {isInterval ? <IntervalFields {...props} /> : <TimeField {...props} />}
      </div>
      {!isInterval && <CronFields {...props} />}
      <SchedulePreview draft={draft} />
    </>
  )
}

function IntervalFields(props: DraftProps) {
  const { draft, onChange } = props
  return (
    <>
      <TextSetting
        {...props}
        name="every"
        setting="everySeconds"
        label="How many"
        inputMode="numeric"
      />
      <ChoiceSetting
        label="Unit"
        options={units}
        value={draft.unit}
        onChange={(unit) => onChange({ unit })}
      />
    </>
  )
}

function TimeField({ draft: { cron }, onChange }: DraftProps) {
  const rhythm = rhythmOf(cron)
  if (rhythm === 'custom') return null
  return (
    <Field label={rhythm === 'hour' ? 'At minute of' : 'At'}>
      {(control) => (
        <TextInput
          {...control}
          type="time"
          value={timeOf(cron)}
          onChange={({ target }) =>
            target.value && onChange({ cron: withTime(cron, target.value) })
          }
        />
      )}
    </Field>
  )
}

function CronFields(props: DraftProps) {
  const { draft, problems, onChange } = props
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label="Time zone" problem={problems.timeZone}>
        {(control) => (
          <Combobox
            {...control}
            options={zones}
            value={draft.timeZone}
            onChange={(timeZone) => onChange({ timeZone })}
          />
        )}
      </Field>
      <TextSetting
        {...props}
        name="cron"
        label="Cron expression"
        hint="Minute, hour, day of the month, month, day of the week (1 is Monday). * is every one."
      />
    </div>
  )
}
