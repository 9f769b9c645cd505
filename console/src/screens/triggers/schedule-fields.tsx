import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { consoleCall } from '#console/api/console-api.ts'
import { locale } from '#console/lib/locale.ts'
import { fullTime } from '#console/lib/time.ts'
import { Combobox } from '#console/ui/combobox.tsx'
import { Field } from '#console/ui/field.tsx'
import { Select } from '#console/ui/select.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import {
  type DraftProps,
  rhythmOf,
  type TriggerDraft,
  timeOf,
  withRhythm,
  withTime,
  withWeekday,
} from './trigger-draft.ts'

const rhythms = [
  { value: 'hour', label: 'hour' },
  { value: 'day', label: 'day' },
  { value: 'weekday', label: 'weekday' },
  { value: 'week', label: 'week' },
  { value: 'month', label: 'month' },
  { value: 'custom', label: 'as the five fields say' },
] as const
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'].map(
  (label, day) => ({ value: String(day), label }),
)
const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')].map((value) => ({
  value,
  label: value,
}))

/** "Every day at 09:00 in Europe/Berlin" and the five fields edit the same string. */
export function ScheduleFields({ draft, problems, onChange }: DraftProps) {
  const set = (change: Partial<TriggerDraft>) => onChange({ ...draft, ...change })
  const { cron } = draft
  const rhythm = rhythmOf(cron)
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-3">
        <Field label="Every">
          {(control) => (
            <Select
              {...control}
              options={rhythms}
              value={rhythm}
              onChange={(next) => set({ cron: withRhythm(cron, next) })}
            />
          )}
        </Field>
        {rhythm === 'week' && (
          <Field label="On">
            {(control) => (
              <Select
                {...control}
                options={weekdays}
                value={String(Number(cron.trim().split(/\s+/)[4]) % 7)}
                onChange={(day) => set({ cron: withWeekday(cron, day) })}
              />
            )}
          </Field>
        )}
        {rhythm !== 'custom' && (
          <Field label={rhythm === 'hour' ? 'At minute of' : 'At'}>
            {(control) => (
              <TextInput
                {...control}
                type="time"
                value={timeOf(cron)}
                onChange={({ target }) =>
                  target.value && set({ cron: withTime(cron, target.value) })
                }
              />
            )}
          </Field>
        )}
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Five fields" note="cron" problem={problems.cron}>
          {(control) => (
            <TextInput
              {...control}
              className="font-mono"
              value={cron}
              spellCheck={false}
              onChange={({ target }) => set({ cron: target.value })}
            />
          )}
        </Field>
        <Field label="Time zone" problem={problems.timeZone}>
          {(control) => (
            <Combobox
              {...control}
              options={zones}
              value={draft.timeZone}
              onChange={(timeZone) => set({ timeZone })}
            />
          )}
        </Field>
      </div>
      <SchedulePreview cron={cron} timeZone={draft.timeZone} />
    </>
  )
}

const typedMs = 250

/** What the server says about a schedule, a moment after the last key. */
function SchedulePreview({ cron, timeZone }: Pick<TriggerDraft, 'cron' | 'timeZone'>) {
  const [asked, setAsked] = useState({ cron, timeZone })
  useEffect(() => {
    const timer = setTimeout(() => setAsked({ cron, timeZone }), typedMs)
    return () => clearTimeout(timer)
  }, [cron, timeZone])
  const { data } = useQuery({
    queryKey: ['triggers', 'preview', asked],
    queryFn: ({ signal }) => consoleCall('POST /triggers/preview', { body: asked, signal }),
    placeholderData: (before) => before,
  })
  if (!data) return null
  const [problem] = data.problems
  return (
    <div aria-live="polite" className="rounded-sm bg-sunken px-4 py-3 text-sm">
      {problem ? (
        <p className="text-bad">
          {problem.path.slice(1)} {problem.message}
        </p>
      ) : (
        <>
          <p className="font-semibold">{data.words}</p>
          <ol className="mt-1 text-soft">
            {data.nextFirings.map((at) => (
              <li key={at}>{fullTime(Date.parse(at), locale)}</li>
            ))}
          </ol>
          {data.notes.map((note) => (
            <p key={note} className="mt-1 text-warn">
              {note}
            </p>
          ))}
        </>
      )}
    </div>
  )
}
