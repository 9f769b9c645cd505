// Chats as lines of a file: one when a chat begins, one when it has ended. Arrays, because they
// are written with every chat; JSON, because someone may have to read them one day.
import type { Attempt, Settlement, ToldOnce } from './ledger.ts'

export const begunLine = (a: Attempt): string =>
  `${JSON.stringify([
    'begun',
    a.attempt,
    a.accountId,
    a.keyId,
    a.provider,
    a.model,
    a.unitPrice,
    a.reservedMicros,
    a.createdAtMs,
  ])}\n`

export const endedLine = (s: Settlement): string =>
  `${JSON.stringify(['ended', s.attempt, s.outcome, s.units, s.costMicros, s.nowMs])}\n`

export const linesOf = ({ intent, settlement }: ToldOnce): string =>
  begunLine(intent) + endedLine(settlement)

/** What lines tell, by attempt: their order, and telling twice, make no difference. */
export type ToldChats = { begun: Map<string, Attempt>; ended: Map<string, Settlement> }

/** Returns how many lines were not understood. A last one without its end was never finished. */
export function readLines(text: string, { begun, ended }: ToldChats): number {
  let unread = 0
  for (const line of text.split('\n').slice(0, -1)) {
    const told = parsed(line)
    if (told?.intent) begun.set(told.intent.attempt, told.intent)
    else if (told?.settlement) ended.set(told.settlement.attempt, told.settlement)
    else unread += 1
  }
  return unread
}

function parsed(line: string): Partial<ToldOnce> | undefined {
  try {
    const [word, ...fields] = JSON.parse(line)
    if (word === 'begun' && fields.length === 8) return { intent: toIntent(fields) }
    if (word === 'ended' && fields.length === 5) return { settlement: toSettlement(fields) }
  } catch {}
  return undefined
}

// Only `begunLine` and `endedLine` write such lines, and a damaged one is no JSON.
const toIntent = (fields: unknown[]): Attempt => {
  const [attempt, accountId, keyId, provider, model, unitPrice, reservedMicros, createdAtMs] =
    fields as [string, string, string | null, string, string, string | null, number, number]
  const chat = { taskId: null, runId: null, nodeId: null, operation: 'chat' as const }
  return {
    ...{ attempt, accountId, keyId, ...chat, provider, model },
    ...{ unitPrice, reservedMicros, createdAtMs },
  }
}

const toSettlement = (fields: unknown[]): Settlement => {
  const [attempt, outcome, units, costMicros, nowMs] = fields as [
    string,
    Settlement['outcome'],
    Settlement['units'],
    number | null,
    number,
  ]
  return { attempt, outcome, units, costMicros, nowMs }
}
