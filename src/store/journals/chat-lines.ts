// Chats as entries of a file: one when a chat begins, one when it has ended. Entries that are
// written together are one line, so that a write the disk took a part of counts for none of them:
// their callers were refused. Arrays, because they are written with every chat; JSON, because
// someone may have to read them one day.
import type { Attempt, SettledChat } from '../tables/ledger.ts'
import type { Settlement } from '../tables/settlement.ts'

export const begunEntry = (a: Attempt): string =>
  JSON.stringify([
    'begun',
    a.attempt,
    a.accountId,
    a.keyId,
    a.provider,
    a.model,
    a.unitPrice,
    a.reservedMicros,
    a.createdAtMs,
    ...(a.operation === 'chat' ? [] : [a.operation]),
  ])

export const endedEntry = (s: Settlement): string =>
  JSON.stringify([
    ...['ended', s.attempt, s.outcome, s.units, s.costMicros, s.nowMs],
    ...(s.remark ? [s.remark] : []),
  ])

export const entriesOf = ({ intent, settlement }: SettledChat): string[] => [
  begunEntry(intent),
  endedEntry(settlement),
]

/** JSON has no line break inside, so that the end of the line is the last thing written. */
export const lineOf = (entries: readonly string[]): string => `[${entries.join(',')}]\n`

/** What lines say, by attempt: their order makes no difference, nor does one that comes twice. */
export type ChatsByAttempt = { begun: Map<string, Attempt>; ended: Map<string, Settlement> }

/** Returns how many lines were not understood. A last one without its end was never finished. */
export function readLines(text: string, { begun, ended }: ChatsByAttempt): number {
  let unread = 0
  for (const line of text.split('\n').slice(0, -1)) {
    const entries = parsed(line)
    if (!entries) unread += 1
    for (const { intent, settlement } of entries ?? []) {
      if (intent) begun.set(intent.attempt, intent)
      if (settlement) ended.set(settlement.attempt, settlement)
    }
  }
  return unread
}

function parsed(line: string): Partial<SettledChat>[] | undefined {
  try {
    const read: unknown[] = JSON.parse(line)
    // Earlier versions wrote each entry as a line of its own.
    const entries = typeof read[0] === 'string' ? [read] : read
    const chats = entries.map((entry) => toChat(entry as unknown[]))
    return chats.every((chat) => chat !== undefined) ? chats : undefined
  } catch {
    return undefined
  }
}

function toChat([word, ...fields]: unknown[]): Partial<SettledChat> | undefined {
  if (word === 'begun' && (fields.length === 8 || fields.length === 9))
    return { intent: toIntent(fields) }
  if (word === 'ended' && (fields.length === 5 || fields.length === 6))
    return { settlement: toSettlement(fields) }
  return undefined
}

// Only `begunEntry` and `endedEntry` write such entries, and a damaged line is no JSON.
const toIntent = (fields: unknown[]): Attempt => {
  const [attempt, accountId, keyId, provider, model, ...rest] = fields as [
    string,
    string,
    string | null,
    string,
    string,
    string | null,
    number,
    number,
    Attempt['operation'] | undefined,
  ]
  const [unitPrice, reservedMicros, createdAtMs, operation = 'chat'] = rest
  const chat = { taskId: null, runId: null, nodeId: null, operation }
  return {
    ...{ attempt, accountId, keyId, ...chat, provider, model },
    ...{ unitPrice, reservedMicros, createdAtMs },
  }
}

const toSettlement = (fields: unknown[]): Settlement => {
  const [attempt, outcome, units, costMicros, nowMs, remark] = fields as [
    string,
    Settlement['outcome'],
    Settlement['units'],
    number | null,
    number,
    Settlement['remark'],
  ]
  return { attempt, outcome, units, costMicros, nowMs, remark }
}
