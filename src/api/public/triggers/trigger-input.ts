import { type Issue, invalid } from '#core/errors.ts'
import { isHeaderName } from '#core/header-names.ts'
import { type Static, Type } from '#core/schema.ts'
import { openTimeZone } from '#core/time-zone.ts'
import { readCron } from '#core/triggers/cron.ts'
import {
  type TriggerKind,
  type TriggerSettings,
  timetableOf,
  triggerKinds,
} from '#core/triggers/trigger.ts'
import { verifyProblems } from '#core/verify-config.ts'
import { findCredentials } from '#store/tables/credentials.ts'
import type { TriggerRow } from '#store/tables/triggers.ts'
import { Name, NamedRecord, OneOf } from '../../schemas.ts'
import type { Context } from '../context.ts'
import { settable } from './trigger-record.ts'

const ignored = Type.Optional(
  Type.Unknown({
    readOnly: true,
    description: 'Ignored: a record may be sent back as it was read.',
  }),
)
const readOnly = {
  ...{ triggerId: ignored, workflowId: ignored, url: ignored, paused: ignored, failures: ignored },
  ...{
    words: ignored,
    nextFirings: ignored,
    lastFiring: ignored,
    createdAt: ignored,
    updatedAt: ignored,
  },
  workflowName: ignored,
}

type Settable = typeof settable
const optional = Object.fromEntries(
  Object.entries(settable).map(([name, schema]) => [name, Type.Optional(schema)]),
) as unknown as { [Name in keyof Settable]: ReturnType<typeof Type.Optional<Settable[Name]>> }

const enabled = Type.Optional(Type.Boolean({ default: true }))

export const NewTrigger = NamedRecord('NewTrigger', {
  name: Name(200),
  kind: OneOf(triggerKinds),
  enabled,
  ...optional,
  ...readOnly,
})
export const TriggerPatch = NamedRecord('TriggerPatch', {
  name: Type.Optional(Name(200)),
  kind: Type.Optional(OneOf(triggerKinds, 'Cannot be changed.')),
  enabled,
  ...optional,
  ...readOnly,
  newUrl: Type.Optional(
    Type.Boolean({
      description: 'WEBHOOK: replaces the address. The old one stops working at once.',
    }),
  ),
})

type Body = Static<typeof TriggerPatch>

const inRow = 64 * 1024
const problem = (path: string, message: string): Issue => ({ path, rule: 'trigger', message })
export const refuse = (issues: Issue[]) => {
  const [first] = issues
  const name = first?.path.slice(1).replaceAll('/', '.')
  return invalid('TRIGGER_INVALID', issues, `${name} ${first?.message}.`)
}

const standard: TriggerSettings = {
  inputs: {},
  metadata: {},
  callbackUrl: null,
  maxCost: null,
  overlap: 'allow',
  catchUp: 'last',
  pauseAfterFailures: 10,
}

/** The settings after a change, which is still to be checked. Null removes a setting. */
export function changedSettings(
  kind: TriggerKind,
  body: Body,
  before: TriggerSettings = standard,
  nowMs: number,
): TriggerSettings {
  const { callbackUrl = before.callbackUrl, maxCost = before.maxCost } = body
  const kept = { ...before, ...(kind === 'WEBHOOK' ? { verify: before.verify ?? none } : {}) }
  // A schedule has one of two forms: naming one drops the other.
  if (body.cron != null)
    for (const name of ['everySeconds', 'startAtMs'] as const) delete kept[name]
  if (body.everySeconds != null) for (const name of ['cron', 'timeZone'] as const) delete kept[name]
  const settings: TriggerSettings = {
    ...kept,
    ...given(body, ['inputs', 'metadata', 'overlap', 'catchUp', 'pauseAfterFailures'] as const),
    ...{ callbackUrl, maxCost },
  }
  for (const name of optionalNames) change(settings, name, body[name])
  change(settings, 'startAtMs', timeOf(body.startAt))
  change(settings, 'endAtMs', timeOf(body.endAt))
  change(settings, 'atMs', timeOf(body.at))
  dropOfOtherForm(settings, before)
  if (settings.everySeconds !== undefined) settings.startAtMs ??= nowMs
  if (settings.cron !== undefined) settings.timeZone ??= 'UTC'
  return settings
}

/** What the other form of a schedule had goes with it, also if its record is sent back as it was. */
function dropOfOtherForm(settings: TriggerSettings, before: TriggerSettings) {
  const { cron, everySeconds, startAtMs, timeZone } = settings
  if (cron !== undefined && startAtMs === before.startAtMs) delete settings.startAtMs
  if (everySeconds !== undefined && timeZone === before.timeZone) delete settings.timeZone
}

const none = { method: 'none' } as const
const optionalNames = [
  ...(['cron', 'timeZone', 'everySeconds', 'jitterSeconds', 'verify', 'mapping'] as const),
  ...(['dedupe', 'respond', 'tag', 'economySeconds'] as const),
] as const

const timeOf = (text: string | null | undefined) => (text == null ? text : Date.parse(text))

function change<Name extends keyof TriggerSettings>(
  settings: TriggerSettings,
  name: Name,
  value: TriggerSettings[Name] | null | undefined,
) {
  if (value === null) delete settings[name]
  else if (value !== undefined) settings[name] = value
}

const given = <Name extends keyof Body>(body: Body, names: readonly Name[]) =>
  Object.fromEntries(
    names.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]),
  ) as Partial<Pick<TriggerSettings, Name & keyof TriggerSettings>>

const ofKind: Record<TriggerKind, readonly (keyof TriggerSettings)[]> = {
  SCHEDULE: ['cron', 'timeZone', 'everySeconds', 'startAtMs', 'endAtMs', 'jitterSeconds'],
  ONCE: ['atMs'],
  WEBHOOK: ['verify', 'mapping', 'dedupe', 'respond'],
}
const publicName = (name: string) => name.replace(/Ms$/, '')

/** Throws TRIGGER_INVALID. Returns the first occurrence after now, or null for a webhook. */
export async function checkSettings(
  context: Context,
  { kind, settings, ...change }: Pick<TriggerRow, 'kind' | 'settings'> & Rescheduled,
  nowMs: number,
): Promise<number | null> {
  const issues = [
    ...foreignSettings(kind, settings),
    ...sizeIssues(settings),
    ...(kind === 'SCHEDULE' ? scheduleIssues(settings) : []),
    ...(kind === 'WEBHOOK' ? await webhookIssues(context, settings) : []),
  ]
  if (kind === 'ONCE' && settings.atMs === undefined) issues.push(problem('/at', 'must be given'))
  if (issues.length > 0) throw refuse(issues)
  if (kind === 'WEBHOOK') return null
  const nextMs = timetableOf(kind, settings)?.next(nowMs) ?? null
  if (nextMs === null && isScheduledAnew(settings, change)) throw refuse([noOccurrence(settings)])
  return nextMs
}

/** A trigger as it was, and whether it is on after the change. */
type Rescheduled = { before?: TriggerRow; isOn?: boolean }

const timing = ['cron', 'timeZone', 'everySeconds', 'startAtMs', 'endAtMs', 'atMs'] as const

/** One whose end has passed can still be renamed or switched off: nobody expects it to fire. */
function isScheduledAnew(settings: TriggerSettings, { before, isOn }: Rescheduled): boolean {
  if (!before || (isOn && before.enabled === 0)) return true
  return timing.some((name) => settings[name] !== before.settings[name])
}

function noOccurrence({ atMs, endAtMs, cron }: TriggerSettings): Issue {
  if (atMs !== undefined) return problem('/at', 'has passed')
  if (endAtMs !== undefined) return problem('/endAt', 'leaves no occurrence')
  const name = cron === undefined ? 'everySeconds' : 'cron'
  return problem(`/${name}`, 'has no occurrence in the next five years')
}

function foreignSettings(kind: TriggerKind, settings: TriggerSettings): Issue[] {
  const foreign = triggerKinds.filter((other) => other !== kind).flatMap((other) => ofKind[other])
  return foreign
    .filter((name) => settings[name] !== undefined)
    .map((name) => problem(`/${publicName(name)}`, `is not a setting of ${kind}`))
}

const sizeIssues = ({ inputs, metadata }: TriggerSettings): Issue[] =>
  Object.entries({ inputs, metadata })
    .filter(([name, value]) => Buffer.byteLength(JSON.stringify(value)) > limits[name as 'inputs'])
    .map(([name]) =>
      problem(`/${name}`, `must not be larger than ${limits[name as 'inputs'] / 1024} KiB`),
    )
const limits = { inputs: inRow, metadata: 16 * 1024 }

function scheduleIssues(settings: TriggerSettings): Issue[] {
  const { cron, timeZone, everySeconds, startAtMs, jitterSeconds = 0 } = settings
  if ((cron === undefined) === (everySeconds === undefined)) {
    return [problem('/cron', 'or everySeconds must be given, and not both')]
  }
  if (everySeconds !== undefined) {
    return [
      ...(timeZone === undefined ? [] : [problem('/timeZone', 'is a setting of cron')]),
      ...(jitterSeconds > everySeconds
        ? [problem('/jitterSeconds', 'must not be longer than everySeconds')]
        : []),
    ]
  }
  const rule = readCron(cron ?? '')
  return [
    ...(startAtMs === undefined ? [] : [problem('/startAt', 'is a setting of everySeconds')]),
    ...(typeof rule === 'string' ? [problem('/cron', rule)] : []),
    ...(openTimeZone(timeZone ?? 'UTC')
      ? []
      : [problem('/timeZone', `is not a known zone: "${timeZone}"`)]),
  ]
}

async function webhookIssues(
  { services, principal }: Context,
  { verify, mapping, dedupe }: TriggerSettings,
): Promise<Issue[]> {
  const issues = verify
    ? verifyProblems(verify).map(({ path, message }) =>
        problem(`/verify${path}`, sentence(message)),
      )
    : []
  const names = verify?.credentials ?? []
  const known = await findCredentials(services.db, principal.accountId, names)
  for (const [i, name] of names.entries()) {
    const kind = known.find((credential) => credential.name === name)?.kind
    if (kind === undefined)
      issues.push(problem(`/verify/credentials/${i}`, `"${name}" is not stored`))
  }
  if (dedupe && 'header' in dedupe && !isHeaderName(dedupe.header)) {
    issues.push(problem('/dedupe/header', 'is not a header name'))
  }
  const expressions = [
    ...(mapping === undefined ? [] : [['/mapping', mapping] as const]),
    ...(dedupe && 'expression' in dedupe
      ? [['/dedupe/expression', dedupe.expression] as const]
      : []),
  ]
  const verdicts = await services.graphs.checkExpressions(
    principal.accountId,
    expressions.map(([, text]) => text),
  )
  for (const [i, [path]] of expressions.entries()) {
    const verdict = verdicts[i]
    if (verdict) issues.push(problem(path, `cannot be read: ${verdict}`))
  }
  return issues
}

const sentence = (message: string) => `is not acceptable: ${message.replace(/\.$/, '')}`
