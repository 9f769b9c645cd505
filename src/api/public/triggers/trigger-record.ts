import { tagPattern } from '#core/budgets.ts'
import { toRfc3339 } from '#core/clock.ts'
import { Type } from '#core/schema.ts'
import { cronWords, intervalWords } from '#core/triggers/cron-words.ts'
import { catchUps, nextFirings } from '#core/triggers/due.ts'
import {
  firingReasons,
  jitterMsOf,
  overlaps,
  pauseReasons,
  type TriggerSettings,
  timetableOf,
  triggerKinds,
} from '#core/triggers/trigger.ts'
import { VerifyConfig } from '#core/verify-config.ts'
import type { ListedFiring } from '#store/tables/firings.ts'
import type { TriggerRow } from '#store/tables/triggers.ts'
import { Named } from '../../named.ts'
import {
  Amount,
  Closed,
  NamedRecord,
  Nullable,
  OneOf,
  Timestamp,
  Uuid,
  WorkflowId,
} from '../../schemas.ts'
import { RunStatus } from '../runs/run-record.ts'

export const TriggerId = Uuid('Identifier of a trigger.')
export const triggerParams = Closed({ workflowId: WorkflowId, triggerId: TriggerId })

const Version = Type.Unsafe<string | number>({
  anyOf: [
    { type: 'integer', minimum: 1, maximum: 2 ** 31 - 1 },
    { type: 'string', maxLength: 100 },
  ],
  description: '`latest`, or the number of a saved version.',
})

export const Dedupe = Type.Unsafe<{ header: string } | { expression: string }>({
  anyOf: [
    Closed({ header: Type.String({ minLength: 1, maxLength: 100 }) }),
    Closed({ expression: Type.String({ minLength: 1, maxLength: 2_000 }) }),
  ],
  description:
    'WEBHOOK: what makes a request the same as an earlier one: a header, or a JSONata expression over {body, headers, query}. Left out: the delivery id of the sender.',
})

/** What a caller may set, with the schema of its value. */
export const settable = {
  version: Version,
  inputs: Type.Object({}, { description: 'Of each run, keyed by input node ID.' }),
  mapping: Nullable(
    Type.String({
      minLength: 1,
      maxLength: 10_000,
      description:
        'WEBHOOK: a JSONata expression from {body, headers, query} to inputs, which are added to `inputs`. Left out: the members of the body that are named like inputs.',
    }),
  ),
  maxCost: Nullable(Type.Number({ minimum: 0, maximum: 1_000_000, description: 'Of each run.' })),
  tag: Nullable(
    Type.String({
      pattern: tagPattern,
      description: 'Of each run. Left out: the tag of the workflow, else of the key.',
    }),
  ),
  economySeconds: Nullable(
    Type.Integer({
      minimum: 60,
      maximum: 2_592_000,
      description: 'Of each run: lane economy, with a deadline so long after the trigger fires.',
    }),
  ),
  callbackUrl: Nullable(Type.String({ format: 'uri', description: 'Of each run.' })),
  metadata: Type.Object(
    {},
    { maxProperties: 100, propertyNames: { maxLength: 64 }, description: 'Of each run.' },
  ),
  overlap: OneOf(
    overlaps,
    'If a run of this trigger has not ended: `allow` starts another, `skip` none, `queue` starts it afterwards.',
  ),
  catchUp: OneOf(
    catchUps,
    'Occurrences more than a minute late, because no process was running: none, the last, or the newest hundred are made up for.',
  ),
  pauseAfterFailures: Type.Integer({
    minimum: 1,
    maximum: 1_000,
    description: 'Pauses after so many failed runs in a row.',
  }),
  cron: Nullable(
    Type.String({
      maxLength: 200,
      description: 'SCHEDULE: minute, hour, day of the month, month, day of the week.',
    }),
  ),
  timeZone: Nullable(
    Type.String({
      maxLength: 100,
      description: 'Of `cron`: a name such as Europe/Berlin; or UTC.',
    }),
  ),
  everySeconds: Nullable(
    Type.Integer({
      minimum: 60,
      maximum: 31_536_000,
      description: 'SCHEDULE: in place of `cron`.',
    }),
  ),
  startAt: Nullable(
    Type.String({ format: 'date-time', description: 'Of `everySeconds`: what it counts from.' }),
  ),
  endAt: Nullable(Type.String({ format: 'date-time', description: 'SCHEDULE: none after this.' })),
  jitterSeconds: Nullable(
    Type.Integer({
      minimum: 0,
      maximum: 3_600,
      description: 'SCHEDULE: each occurrence is delayed by up to this, always by the same time.',
    }),
  ),
  at: Nullable(Type.String({ format: 'date-time', description: 'ONCE: when.' })),
  verify: Nullable(Named('TriggerVerify', VerifyConfig)),
  dedupe: Nullable(Dedupe),
  respond: Nullable(
    OneOf(
      ['accepted', 'result'],
      'WEBHOOK: answer once the run is stored, or with its result if it ends within 25 seconds.',
    ),
  ),
}

export const Firing = NamedRecord('Firing', {
  firingId: Uuid('Identifier of the firing.'),
  triggerId: TriggerId,
  scheduledAt: Timestamp,
  firedAt: Timestamp,
  status: OneOf(
    ['PENDING', 'QUEUED', 'STARTED', 'SKIPPED'],
    'STARTED has a run, SKIPPED has a reason; the others will become one of these.',
  ),
  reason: Nullable(OneOf(firingReasons, 'Why there is no run.')),
  message: Nullable(Type.String()),
  count: Type.Integer({ minimum: 1, description: 'Occurrences that this stands for.' }),
  runId: Nullable(Uuid('The run.')),
  runStatus: Nullable(RunStatus),
  runIsWaiting: Type.Optional(
    Type.Literal(true, { description: 'The run sleeps until a time, an answer or a message.' }),
  ),
})

export const Trigger = NamedRecord('Trigger', {
  triggerId: TriggerId,
  workflowId: WorkflowId,
  workflowName: Type.Optional(Type.String({ description: 'In lists.' })),
  name: Type.String(),
  kind: OneOf(triggerKinds),
  enabled: Type.Boolean(),
  ...settable,
  inputs: Type.Object({}),
  metadata: Type.Object({}),
  maxCost: Nullable(Amount),
  url: Nullable(
    Type.String({
      description:
        'WEBHOOK: where to send requests. Shown once, when it is made: only its hash is stored.',
    }),
  ),
  paused: Nullable(
    Closed(
      { reason: OneOf(pauseReasons), since: Timestamp },
      {
        description: 'Why it does not fire although it is enabled. Any change ends the pause.',
      },
    ),
  ),
  words: Nullable(
    Type.String({ description: 'SCHEDULE: when it fires, as a sentence, with its time zone.' }),
  ),
  failures: Type.Integer({ minimum: 0, description: 'Runs in a row that failed.' }),
  nextFirings: Type.Array(Timestamp, { description: 'The next five, if it is on.' }),
  lastFiring: Nullable(Firing),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

const wordsOf = ({ cron, timeZone = 'UTC', everySeconds }: TriggerSettings): string | null => {
  if (everySeconds !== undefined) return intervalWords(everySeconds)
  return cron === undefined ? null : `${cronWords(cron)}, ${timeZone}`
}

const shownFirings = 5

const timeOrNull = (ms: number | undefined) => (ms === undefined ? null : toRfc3339(ms))

export const toFiring = (row: ListedFiring) => ({
  firingId: row.id,
  triggerId: row.trigger_id,
  scheduledAt: toRfc3339(row.scheduled_at),
  firedAt: toRfc3339(row.created_at),
  status: row.status === 'ENDED' ? 'STARTED' : row.status,
  reason: row.reason,
  message: row.message,
  count: row.missed,
  runId: row.run_id,
  runStatus: row.run_status,
  ...(row.run_status === 'RUNNING' && row.run_wake_at !== null
    ? { runIsWaiting: true as const }
    : {}),
})

export function toTrigger(
  row: TriggerRow,
  { nowMs, last, url }: { nowMs: number; last?: ListedFiring | undefined; url?: string },
) {
  const { settings, paused_at: pausedAtMs, paused_reason: reason } = row
  return {
    triggerId: row.id,
    workflowId: row.workflow_id,
    name: row.name,
    kind: row.kind,
    enabled: row.enabled === 1,
    version: row.version === 'latest' ? row.version : Number(row.version),
    inputs: settings.inputs,
    mapping: settings.mapping ?? null,
    maxCost: settings.maxCost,
    tag: settings.tag ?? null,
    economySeconds: settings.economySeconds ?? null,
    callbackUrl: settings.callbackUrl,
    metadata: settings.metadata,
    overlap: settings.overlap,
    catchUp: settings.catchUp,
    pauseAfterFailures: settings.pauseAfterFailures,
    cron: settings.cron ?? null,
    timeZone: settings.timeZone ?? null,
    everySeconds: settings.everySeconds ?? null,
    startAt: timeOrNull(settings.startAtMs),
    endAt: timeOrNull(settings.endAtMs),
    jitterSeconds: settings.jitterSeconds ?? null,
    at: timeOrNull(settings.atMs),
    verify: settings.verify ?? null,
    dedupe: settings.dedupe ?? null,
    respond: settings.respond ?? null,
    url: url ?? null,
    paused:
      pausedAtMs === null || reason === null ? null : { reason, since: toRfc3339(pausedAtMs) },
    words: wordsOf(settings),
    failures: row.failures,
    nextFirings: upcoming(row, nowMs).map(toRfc3339),
    lastFiring: last ? toFiring(last) : null,
    createdAt: toRfc3339(row.created_at),
    updatedAt: toRfc3339(row.updated_at),
  }
}

/** From the first occurrence that nobody has decided about. */
function upcoming(row: TriggerRow, nowMs: number): number[] {
  const { id, kind, settings, next_at: nextMs } = row
  const timetable = timetableOf(kind, settings)
  if (!timetable || row.enabled === 0 || row.paused_at !== null || nextMs === null) return []
  const afterMs = Math.max(nextMs - 1, nowMs - jitterMsOf(settings) - 60_000)
  return nextFirings({ id, timetable, jitterMs: jitterMsOf(settings) }, afterMs, shownFirings)
}
