// The chat log as a table, for any number of processes. The intents of one tick share a row, which
// is deleted when the last of them has been settled. Chats of a process that died are settled by
// another. While the database is unavailable, outcomes are kept in memory and written later.
import type { Clock, TimedClock } from '#core/clock.ts'
import { uuidV7 } from '#core/ids.ts'
import {
  CommitUnknown,
  type Db,
  type Reader,
  type Statement,
  StoreUnavailable,
  UniqueViolation,
} from '../db.ts'
import type { Dialect } from '../dialect.ts'
import { type Attempt, addSettled, knownAttempts, settleAttempts } from '../tables/ledger.ts'
import type { Settlement } from '../tables/settlement.ts'
import type { ChatLog } from './chat-log.ts'
import { openKeptWrites } from './kept-writes.ts'

/** How many answered chats may wait for the database; the same as in the journal on SQLite. */
const maxKept = 10_000

/** Chats whose intents share a row, and how many of them are unsettled. */
type Batch = { id: string; left: number }
/** `settlement` is set once the chat has ended. */
type Chat = { intent: Attempt; batch: Batch | undefined; settlement: Settlement | undefined }

export function openChatIntents(db: Db, clock: TimedClock): ChatLog {
  const underWay = new Map<string, Chat>()

  async function write(take: () => Chat[]) {
    const writes = takeOnce(take, clock)
    try {
      await db.writeAll(() => statementsOf(db.dialect, writes()))
    } catch (error) {
      if (!(error instanceof UniqueViolation)) throw error
      await writeAmongKnown(db, writes())
    }
    const { batch, begun, counts } = writes()
    for (const chat of begun) underWay.set(attemptOf(chat), { ...chat, batch })
    for (const [of, count] of counts) of.left -= count
  }

  const kept = openKeptWrites<Chat>({
    write,
    timers: clock,
    keep(chat, error) {
      if (hasEnded(chat)) return { item: chat, isCallerDone: true }
      // The intent may be stored, but the call is not made: it must not be billed later.
      if (!(error instanceof CommitUnknown)) return undefined
      return { item: { ...chat, settlement: withdrawn(chat, clock) }, isCallerDone: false }
    },
  })
  return {
    async begin(intent) {
      if (kept.kept() >= maxKept)
        throw new StoreUnavailable('too many chats are waiting to be stored')
      try {
        await kept.add({ intent, batch: undefined, settlement: undefined })
      } catch (error) {
        // It may be stored, but is withdrawn already.
        throw error instanceof CommitUnknown ? new StoreUnavailable(error.reason, error) : error
      }
    },
    isUnderWay: (attempt) => underWay.has(attempt),
    settle(settlement) {
      const chat = underWay.get(settlement.attempt)
      underWay.delete(settlement.attempt)
      return chat && kept.add({ ...chat, settlement })
    },
    flush: () => undefined,
    close: kept.stop,
  }
}

const withdrawn = ({ intent }: Chat, clock: Clock): Settlement => ({
  ...{ attempt: intent.attempt, outcome: 'REJECTED' as const, units: {}, costMicros: 0 },
  nowMs: clock.nowMs(),
})

/**
 * For when some chats are already in the ledger: another process took this one for dead and settled
 * them, or they were written by a commit whose answer was lost.
 */
async function writeAmongKnown(db: Db, writes: Writes) {
  const known = await knownAttempts(db, writes.ended.map(attemptOf))
  const isKnown = (chat: Chat) => known.has(attemptOf(chat))
  const settlements = writes.ended.filter(isKnown).map(({ settlement }) => settlement)
  const ended = writes.ended.filter((chat) => !isKnown(chat))
  await db.transaction(async (tx) => {
    await settleAttempts(tx, settlements)
    for (const statement of statementsOf(db.dialect, { ...writes, ended })) await tx.run(statement)
  })
}

type Ended = Chat & { settlement: Settlement }
/** What one write stores: chats that begin, which share a new row, and chats that have ended. */
type Writes = { batch: Batch; begun: Chat[]; ended: Ended[]; counts: ReadonlyMap<Batch, number> }

const hasEnded = (chat: Chat): chat is Ended => chat.settlement !== undefined
const attemptOf = ({ intent }: Chat) => intent.attempt

/** Takes on the first call only, so that a repeated write stores the same chats. */
function takeOnce(take: () => Chat[], clock: Clock): () => Writes {
  let writes: Writes | undefined
  return () => {
    if (writes) return writes
    const chats = take()
    const [begun, ended] = [chats.filter((chat) => !hasEnded(chat)), chats.filter(hasEnded)]
    const counts = new Map<Batch, number>()
    for (const { batch } of ended) if (batch) counts.set(batch, (counts.get(batch) ?? 0) + 1)
    writes = { batch: { id: uuidV7(clock.nowMs()), left: begun.length }, begun, ended, counts }
    return writes
  }
}

function statementsOf(dialect: Dialect, { batch, begun, ended, counts }: Writes): Statement[] {
  const statements = addSettled(ended)
  if (begun.length > 0) {
    const intents = begun.map(({ intent }) => intent)
    statements.push(addChatIntents(dialect, batch.id, intents))
  }
  for (const [{ id, left }, count] of counts)
    if (left === count) statements.push(dropChatIntents(id))
  return statements
}

/** Dated by the database's clock, because another process may have to judge their age. */
const addChatIntents = (
  dialect: Dialect,
  batch: string,
  attempts: readonly Attempt[],
): Statement => ({
  sql: `insert into chat_intents (batch, attempts, created_at) values ($1, $2, ${dialect.nowMs})`,
  rows: [[batch, JSON.stringify(attempts)]],
})

export const dropChatIntents = (batch: string): Statement => ({
  sql: 'delete from chat_intents where batch = $1',
  rows: [[batch]],
})

/** Intents so old that their process counts as dead: each chat is settled, or never will be. */
export async function abandonedChatIntents(
  db: Reader,
  afterMs: number,
  limit: number,
): Promise<{ batch: string; attempts: Attempt[] }[]> {
  const rows = await db.query<{ batch: string; attempts: string }>(
    `select batch, attempts from chat_intents
     where created_at < (select ${db.dialect.nowMs}) - $1 limit $2`,
    [afterMs, limit],
  )
  return rows.map(({ batch, attempts }) => ({ batch, attempts: JSON.parse(attempts) }))
}
