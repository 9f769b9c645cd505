// What somebody fills in for a trigger, and the body that it becomes. A schedule is one string of
// five fields, which simple choices and the fields themselves both edit.
import type { NewTrigger, Trigger, TriggerPatch } from '#console/api/types.ts'

export type Rhythm = 'hour' | 'day' | 'weekday' | 'week' | 'month' | 'custom'

export type TriggerDraft = {
  name: string
  workflowId: string | null
  kind: Trigger['kind']
  cron: string
  timeZone: string
  /** As a field of type datetime-local has it, in the zone of the browser. */
  at: string
  inputs: string
  overlap: Trigger['overlap']
  method: string
  credential: string
  mapping: string
  respond: 'accepted' | 'result'
}

export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

export const emptyDraft = (workflowId: string | null): TriggerDraft => ({
  ...{ name: '', workflowId, kind: 'SCHEDULE', cron: '0 9 * * *', timeZone: browserZone(), at: '' },
  ...{ inputs: '{}', overlap: 'allow', method: 'none', credential: '', mapping: '' },
  respond: 'accepted',
})

export const draftOf = (trigger: Trigger): TriggerDraft => ({
  name: trigger.name,
  workflowId: String(trigger.workflowId),
  kind: trigger.kind,
  cron: trigger.cron ?? '',
  timeZone: trigger.timeZone ?? browserZone(),
  at: trigger.at ? localTime(trigger.at) : '',
  inputs: JSON.stringify(trigger.inputs, null, 2),
  overlap: trigger.overlap,
  method: trigger.verify?.method ?? 'none',
  credential: trigger.verify?.credentials?.[0] ?? '',
  mapping: trigger.mapping ?? '',
  respond: trigger.respond ?? 'accepted',
})

const two = (number: number) => String(number).padStart(2, '0')

function localTime(rfc3339: string): string {
  const at = new Date(rfc3339)
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`
}

const number = /^\d{1,2}$/

/** How often a schedule fires, as far as the simple choices can say it. */
export function rhythmOf(cron: string): Rhythm {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.trim().split(/\s+/)
  if (!number.test(minute) || month !== '*') return 'custom'
  if (hour === '*' && day === '*' && weekday === '*') return 'hour'
  if (!number.test(hour)) return 'custom'
  if (day === '*' && weekday === '*') return 'day'
  if (day === '*' && weekday === '1-5') return 'weekday'
  if (day === '*' && /^[0-7]$/.test(weekday)) return 'week'
  return number.test(day) && weekday === '*' ? 'month' : 'custom'
}

const rest: Record<Exclude<Rhythm, 'custom'>, string> = {
  ...{ hour: '* * *', day: '* * *', weekday: '* * 1-5', week: '* * 1', month: '1 * *' },
}

/** The same time of the day in another rhythm. */
export function withRhythm(cron: string, rhythm: Rhythm): string {
  if (rhythm === 'custom') return cron
  const [hours, minutes] = timeOf(cron).split(':').map(Number)
  return `${minutes} ${rhythm === 'hour' ? '*' : hours} ${rest[rhythm]}`
}

/** `09:30`, or nine o'clock if it has no single time. */
export function timeOf(cron: string): string {
  const [minute = '', hour = ''] = cron.trim().split(/\s+/)
  const shown = [hour, minute].map((field) => (number.test(field) ? two(Number(field)) : null))
  return `${shown[0] ?? '09'}:${shown[1] ?? '00'}`
}

export function withTime(cron: string, time: string): string {
  const [hours = '9', minutes = '0'] = time.split(':')
  const [, hour = '*', ...others] = cron.trim().split(/\s+/)
  return [Number(minutes), hour === '*' ? '*' : Number(hours), ...others].join(' ')
}

/** Which day of the week, for a weekly schedule. */
export const withWeekday = (cron: string, weekday: string): string =>
  [...cron.trim().split(/\s+/).slice(0, 4), weekday].join(' ')

export type Problems = Partial<Record<keyof TriggerDraft, string>>

/** What every part of the form gets. */
export type DraftProps = {
  draft: TriggerDraft
  problems: Problems
  onChange(draft: TriggerDraft): void
}

export function problemsOf(draft: TriggerDraft): Problems {
  return {
    ...(draft.name.trim() ? {} : { name: 'Give it a name.' }),
    ...(draft.workflowId ? {} : { workflowId: 'Choose a workflow.' }),
    ...(draft.kind === 'ONCE' && !draft.at ? { at: 'Choose a time.' } : {}),
    ...(inputsOf(draft.inputs) ? {} : { inputs: 'This is not a JSON object.' }),
    ...(draft.kind === 'WEBHOOK' && draft.method !== 'none' && !draft.credential
      ? { credential: 'Choose the stored credential with the secret.' }
      : {}),
  }
}

export function inputsOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text.trim() || '{}')
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

/** Of a draft without problems. */
export function bodyOf(draft: TriggerDraft): NewTrigger {
  const { kind, name, overlap, method, credential, mapping, respond } = draft
  const shared = { name, kind, overlap, inputs: inputsOf(draft.inputs) ?? {} }
  if (kind === 'SCHEDULE') return { ...shared, cron: draft.cron, timeZone: draft.timeZone }
  if (kind === 'ONCE') return { ...shared, at: draft.at && new Date(draft.at).toISOString() }
  const verify = {
    method: method as NonNullable<NonNullable<NewTrigger['verify']>['method']>,
    ...(method === 'none' ? {} : { credentials: [credential] }),
  }
  return { ...shared, verify, mapping: mapping.trim() || null, respond }
}

/** What differs from the trigger as it is: settings that this form does not show stay as they are. */
export function changesOf(draft: TriggerDraft, trigger: Trigger): TriggerPatch {
  const before: Record<string, unknown> = { ...bodyOf(draftOf(trigger)) }
  const changed = Object.entries(bodyOf(draft)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  )
  return Object.fromEntries(changed)
}

/** The server's problems, at the fields they are about. */
export function problemsFrom(issues: readonly { path: string; message: string }[]): Problems {
  const fields: Record<string, keyof TriggerDraft> = {
    ...{ cron: 'cron', timeZone: 'timeZone', at: 'at', inputs: 'inputs', mapping: 'mapping' },
    ...{ verify: 'credential', name: 'name' },
  }
  return Object.fromEntries(
    issues.flatMap(({ path, message }) => {
      const field = fields[path.split('/')[1] ?? '']
      return field ? [[field, message]] : []
    }),
  )
}
