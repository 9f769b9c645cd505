// What is sent for a draft, and what is wrong with it. Pure.
import type { NewTrigger, Trigger, TriggerPatch } from '#console/api/types.ts'
import { defaultName, draftOf, type Problems, type TriggerDraft } from './trigger-draft.ts'

/** Reports what the server would refuse, before anything is sent. */
export function problemsOf(draft: TriggerDraft): Problems {
  const problems: Record<string, string> = {}
  const need = (isWrong: boolean, name: string, message: string) => {
    if (isWrong) problems[name] = message
  }
  const { kind, method } = draft
  const isHook = kind === 'WEBHOOK'
  need(!draft.workflowId, 'workflowId', 'Choose a workflow.')
  need(kind === 'ONCE' && !draft.at, 'at', 'Choose a time.')
  need(isSchedule(draft) && secondsOf(draft) < 60, 'everySeconds', 'At least a minute.')
  need(isHook && method !== 'none' && !draft.secrets[0], 'verify.credentials.0', 'Choose it.')
  need(isHook && method === 'hmac' && !draft.header.trim(), 'verify.header', 'Name the header.')
  need(isHook && draft.dedupe !== 'delivery' && !draft.dedupeBy.trim(), 'dedupe', 'Fill this in.')
  need(draft.hasWrongInput, 'inputs', 'Mend the input that is marked.')
  need(objectIn(draft.metadata) === null, 'metadata', 'This is not a JSON object.')
  for (const name of [
    'maxCost',
    'jitterSeconds',
    'pauseAfterFailures',
    'toleranceSeconds',
  ] as const)
    need(!isNumber(draft[name]), name, 'This is not a number.')
  return problems
}

const isSchedule = ({ kind, isInterval }: TriggerDraft) => kind === 'SCHEDULE' && isInterval
const secondsOf = ({ every, unit }: TriggerDraft): number => Number(every) * Number(unit) || 0
const isNumber = (text: string): boolean => Number.isFinite(Number(text))
const numberOrNull = (text: string): number | null => (text.trim() === '' ? null : Number(text))

export function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text.trim() || '{}')
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

const instantOf = (local: string): string | null =>
  local === '' ? null : new Date(local).toISOString()

/** Of a draft without problems. */
export function bodyOf(draft: TriggerDraft): NewTrigger {
  const shared = {
    name: draft.name.trim() || defaultName(draft),
    kind: draft.kind,
    inputs: { ...draft.inputs },
    overlap: draft.overlap,
    version: draft.version === 'latest' ? 'latest' : Number(draft.version),
    maxCost: numberOrNull(draft.maxCost),
    pauseAfterFailures: numberOrNull(draft.pauseAfterFailures) ?? 10,
    callbackUrl: draft.callbackUrl.trim() || null,
    metadata: objectIn(draft.metadata) ?? {},
  }
  if (draft.kind === 'ONCE') {
    return { ...shared, catchUp: draft.catchUp, at: instantOf(draft.at) }
  }
  return draft.kind === 'SCHEDULE'
    ? { ...shared, ...scheduleOf(draft) }
    : { ...shared, ...webhookOf(draft) }
}

const scheduleOf = (draft: TriggerDraft): Partial<NewTrigger> => ({
  ...(draft.isInterval
    ? { everySeconds: secondsOf(draft), startAt: instantOf(draft.startAt) }
    : { cron: draft.cron.trim(), timeZone: draft.timeZone }),
  catchUp: draft.catchUp,
  endAt: instantOf(draft.endAt),
  jitterSeconds: numberOrNull(draft.jitterSeconds),
})

function webhookOf(draft: TriggerDraft): Partial<NewTrigger> {
  const by = draft.dedupeBy.trim()
  return {
    verify: verifyOf(draft),
    mapping: draft.mapping.trim() || null,
    dedupe:
      draft.dedupe === 'delivery'
        ? null
        : draft.dedupe === 'header'
          ? { header: by }
          : { expression: by },
    respond: draft.respond,
  }
}

function verifyOf(draft: TriggerDraft): NonNullable<NewTrigger['verify']> {
  const { method } = draft
  if (method === 'none') return { method }
  const credentials = draft.secrets.filter((name) => name !== '')
  const tolerance = numberOrNull(draft.toleranceSeconds)
  const timely = tolerance === null ? {} : { toleranceSeconds: tolerance }
  if (method !== 'hmac') return { method, credentials, ...timely }
  const { header, algorithm, encoding, prefix, timestampHeader } = draft
  return {
    ...{ method, credentials, ...timely, header: header.trim(), algorithm, encoding },
    ...(prefix === '' ? {} : { prefix }),
    ...(timestampHeader.trim() === '' ? {} : { timestampHeader: timestampHeader.trim() }),
  }
}

/** What differs from the trigger as it is. Times that the control rounds stay as they are. */
export function changesOf(draft: TriggerDraft, trigger: Trigger): TriggerPatch {
  const before: Record<string, unknown> = { ...bodyOf(draftOf(trigger)) }
  const changed = Object.entries(bodyOf(draft)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  )
  return Object.fromEntries(changed)
}

/** The server's problems, at the settings they are about. */
export const problemsFrom = (issues: readonly { path: string; message: string }[]): Problems =>
  Object.fromEntries(
    issues.map(({ path, message }) => [path.slice(1).replaceAll('/', '.'), message] as const),
  )

/** Those of a setting and of everything in it. */
export const problemIn = (problems: Problems, name: string): string | undefined =>
  problems[name] ?? Object.entries(problems).find(([path]) => path.startsWith(`${name}.`))?.[1]

/** What the server is asked about a schedule; null while it cannot be read. */
export function previewOf(draft: TriggerDraft) {
  const endAt = instantOf(draft.endAt)
  const end = endAt === null ? {} : { endAt }
  if (!draft.isInterval) return { cron: draft.cron, timeZone: draft.timeZone, ...end }
  const everySeconds = secondsOf(draft)
  const startAt = instantOf(draft.startAt)
  const isWhole = Number.isInteger(everySeconds) && everySeconds >= 60
  return isWhole ? { everySeconds, ...(startAt === null ? {} : { startAt }), ...end } : null
}
