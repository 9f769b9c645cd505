// Chats as entries of a file: one when a chat begins, one when it has ended. Entries that are
// written together form one line, so that a partial write counts for none of them: chats that
// began in it were refused. They are arrays, which are short, because every chat writes them, and
// JSON, because someone may have to read them one day.
import type { Attempt, SettledChat } from '../tables/ledger.ts'
import type { Settlement } from '../tables/settlement.ts'

// Assembled by hand, which takes a third of the time: ids, outcomes and numbers need no escaping.
export const begunEntry = (a: Attempt): string =>
  `["begun","${a.attempt}",${payerText(a)},${a.reservedMicros},${a.createdAtMs}${
    a.operation === 'chat' && a.tag === undefined && !a.via ? '' : othersText(a)
  }]`

/** A tag needs no escaping either: it has letters, digits and a few signs. */
const othersText = ({ operation, tag, via }: Attempt) => {
  if (via) return `,"${operation}",${tag === undefined ? null : `"${tag}"`},${JSON.stringify(via)}`
  return `,"${operation}"${tag === undefined ? '' : `,"${tag}"`}`
}

export const endedEntry = (s: Settlement): string =>
  `["ended","${s.attempt}","${s.outcome}",${JSON.stringify(s.units)},${s.costMicros},${s.nowMs}${
    s.remark ? `,"${s.remark}"` : ''
  }]`

type Payer = Pick<Attempt, 'accountId' | 'keyId' | 'provider' | 'model' | 'unitPrice'>
let lastPayer: Payer = { accountId: '', keyId: null, provider: '', model: '', unitPrice: null }
let lastPayerText = ''

/** Who pays whom for which model. Cached, because chats of one caller often come in a row. */
function payerText(a: Payer): string {
  const isSame =
    a.accountId === lastPayer.accountId &&
    a.keyId === lastPayer.keyId &&
    a.provider === lastPayer.provider &&
    a.model === lastPayer.model &&
    a.unitPrice === lastPayer.unitPrice
  if (isSame && lastPayerText !== '') return lastPayerText
  const { accountId, keyId, provider, model, unitPrice } = a
  lastPayer = { accountId, keyId, provider, model, unitPrice }
  lastPayerText = JSON.stringify([accountId, keyId, provider, model, unitPrice]).slice(1, -1)
  return lastPayerText
}

export const entriesOf = ({ intent, settlement }: SettledChat): string[] => [
  begunEntry(intent),
  endedEntry(settlement),
]

/** Our JSON contains no line breaks, so the one at the end is the last thing written. */
export const lineOf = (entries: readonly string[]): string => `[${entries.join(',')}]\n`

/** What the lines say, by attempt. Their order does not matter, and neither do repeated lines. */
export type ChatsByAttempt = { begun: Map<string, Attempt>; ended: Map<string, Settlement> }

/** Returns how many lines could not be parsed. A last line without a line break is ignored. */
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
    // Earlier versions wrote each entry as its own line.
    const entries = typeof read[0] === 'string' ? [read] : read
    const chats = entries.map((entry) => toChat(entry as unknown[]))
    return chats.every((chat) => chat !== undefined) ? chats : undefined
  } catch {
    return undefined
  }
}

function toChat([word, ...fields]: unknown[]): Partial<SettledChat> | undefined {
  if (word === 'begun' && fields.length >= 8 && fields.length <= 11)
    return { intent: toIntent(fields) }
  if (word === 'ended' && (fields.length === 5 || fields.length === 6))
    return { settlement: toSettlement(fields) }
  return undefined
}

// Fields are not checked: only `begunEntry` and `endedEntry` write them, and a damaged line is
// not valid JSON.
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
    string | null | undefined,
    Attempt['via'],
  ]
  const [unitPrice, reservedMicros, createdAtMs, operation = 'chat', tag, via] = rest
  const chat = { taskId: null, runId: null, nodeId: null, operation }
  return {
    ...{ attempt, accountId, keyId, ...chat, provider, model },
    ...{ unitPrice, reservedMicros, createdAtMs },
    ...(tag == null ? {} : { tag }),
    ...(via ? { via } : {}),
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
