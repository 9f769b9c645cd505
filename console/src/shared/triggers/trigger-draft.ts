// What somebody fills in for a trigger: every setting of the contract, as its control holds it. Pure.
import type { Template, Trigger } from '#console/api/types.ts'
import { intervalOf, rhythmOf, two, type Unit, weekdayOf, weekdays } from './schedule-text.ts'

export type TriggerDraft = {
  name: string
  workflowId: string | null
  kind: Trigger['kind']
  /** A schedule is an interval instead of five fields. */
  isInterval: boolean
  cron: string
  timeZone: string
  every: string
  unit: Unit
  /** As a field of type datetime-local has them, in the zone of the browser. */
  startAt: string
  endAt: string
  at: string
  jitterSeconds: string
  inputs: Readonly<Record<string, unknown>>
  /** An input was typed that cannot be read, so that `inputs` lacks it. */
  hasWrongInput: boolean
  overlap: Trigger['overlap']
  catchUp: Trigger['catchUp']
  version: string
  maxCost: string
  pauseAfterFailures: string
  callbackUrl: string
  /** JSON. */
  metadata: string
  method: NonNullable<Trigger['verify']>['method']
  /** Two while one replaces the other at the sender. */
  secrets: readonly [string, string]
  header: string
  algorithm: 'sha1' | 'sha256' | 'sha512'
  encoding: 'hex' | 'base64'
  prefix: string
  timestampHeader: string
  toleranceSeconds: string
  mapping: string
  dedupe: 'delivery' | 'header' | 'expression'
  dedupeBy: string
  respond: 'accepted' | 'result'
}

export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

export const emptyDraft = (workflowId: string | null): TriggerDraft => ({
  ...{ name: '', workflowId, kind: 'SCHEDULE', isInterval: false, cron: '0 9 * * *' },
  ...{ timeZone: browserZone(), every: '15', unit: '60', startAt: '', endAt: '', at: '' },
  ...{
    jitterSeconds: '',
    inputs: {},
    hasWrongInput: false,
    overlap: 'allow',
    catchUp: 'last',
    version: 'latest',
  },
  ...{ maxCost: '', pauseAfterFailures: '10', callbackUrl: '', metadata: '{}', method: 'none' },
  secrets: ['', ''],
  ...{ header: '', algorithm: 'sha256', encoding: 'hex', prefix: '', timestampHeader: '' },
  ...{ toleranceSeconds: '', mapping: '', dedupe: 'delivery', dedupeBy: '', respond: 'accepted' },
})

const textOf = (value: string | number | null | undefined): string => String(value ?? '')

export function draftOf(trigger: Trigger): TriggerDraft {
  const { verify, dedupe, everySeconds } = trigger
  const empty = emptyDraft(String(trigger.workflowId))
  return {
    ...empty,
    ...{ name: trigger.name, kind: trigger.kind, isInterval: everySeconds !== null },
    cron: trigger.cron ?? empty.cron,
    timeZone: trigger.timeZone ?? browserZone(),
    ...(everySeconds === null ? {} : intervalOf(everySeconds)),
    startAt: localTime(trigger.startAt),
    endAt: localTime(trigger.endAt),
    at: localTime(trigger.at),
    jitterSeconds: textOf(trigger.jitterSeconds),
    inputs: trigger.inputs,
    ...{ overlap: trigger.overlap, catchUp: trigger.catchUp, version: textOf(trigger.version) },
    maxCost: textOf(trigger.maxCost),
    pauseAfterFailures: textOf(trigger.pauseAfterFailures),
    callbackUrl: textOf(trigger.callbackUrl),
    metadata: JSON.stringify(trigger.metadata ?? {}, null, 2),
    method: verify?.method ?? 'none',
    secrets: [verify?.credentials?.[0] ?? '', verify?.credentials?.[1] ?? ''],
    header: textOf(verify?.header),
    algorithm: verify?.algorithm ?? 'sha256',
    encoding: verify?.encoding ?? 'hex',
    prefix: textOf(verify?.prefix),
    timestampHeader: textOf(verify?.timestampHeader),
    toleranceSeconds: textOf(verify?.toleranceSeconds),
    mapping: textOf(trigger.mapping),
    dedupe: !dedupe ? 'delivery' : 'header' in dedupe ? 'header' : 'expression',
    dedupeBy: !dedupe ? '' : 'header' in dedupe ? dedupe.header : dedupe.expression,
    respond: trigger.respond ?? 'accepted',
  }
}

/** What a template is usually started by. */
export function suggestedDraft(
  workflowId: string,
  { trigger }: Pick<Template, 'trigger'>,
): TriggerDraft {
  const empty = emptyDraft(workflowId)
  if (!trigger) return empty
  const { kind, name, cron, overlap, mapping, verify } = trigger
  return {
    ...{ ...empty, kind, name, cron: cron ?? empty.cron, overlap: overlap ?? empty.overlap },
    ...{ mapping: mapping ?? '', method: verify?.method ?? 'none' },
  }
}

/** To the minute, as the control has it. */
function localTime(rfc3339: string | null | undefined): string {
  if (!rfc3339) return ''
  const at = new Date(rfc3339)
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`
}

const rhythmNames = {
  ...{ hour: 'Every hour', day: 'Every day', weekday: 'Every weekday', month: 'Every month' },
  custom: 'Schedule',
}

/** What it is called if nobody gives it a name. */
export function defaultName(draft: TriggerDraft): string {
  if (draft.kind === 'ONCE') return 'Once'
  if (draft.kind === 'WEBHOOK') return 'Webhook'
  if (draft.isInterval) return 'Interval'
  const rhythm = rhythmOf(draft.cron)
  if (rhythm === 'week') return `Every ${weekdays[Number(weekdayOf(draft.cron))]}`
  return rhythmNames[rhythm]
}

/** By the setting's name, with dots where it lies deeper: `verify.header`. */
export type Problems = Readonly<Record<string, string>>

/** What every part of the form gets. */
export type DraftProps = {
  draft: TriggerDraft
  problems: Problems
  onChange(change: Partial<TriggerDraft>): void
}
