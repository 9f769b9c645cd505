// The record of every attempt at a provider: written before the call, settled after it.
// Promises that a killed process leaves a trace of each call it may have made, and that an
// attempt counts once. Never makes a call wait for the disk where its caller has no limit.
import type { Clock } from '#core/clock.ts'
import type { Spender } from '#core/generation.ts'
import { uuidV7 } from '#core/ids.ts'
import { abandonedChatIntents, addChatIntents, dropChatIntents } from '#store/chat-intents.ts'
import { type Db, type Statement, UniqueViolation } from '#store/db.ts'
import {
  type Attempt,
  abandonedChats,
  addSettled,
  knownAttempts,
  openAttempt,
  type Settlement,
  settleAttempts,
} from '#store/ledger.ts'
import { holdLease } from '#store/run-work.ts'
import { assertWithinLimits, hasSpendLimit } from './spend-limit.ts'

export type AttemptLedger = {
  /** Stored before the call is made; refuses an attempt that would pass a spend limit. */
  open(
    attempt: Attempt,
    options: {
      spender: Spender
      neededMicros: number | null
      /** Of a run's call: whoever lost its lease may not call, for its heir may have called. */
      workerId?: string | undefined
    },
  ): Promise<void>
  /** Stored before the caller is answered. Those of one turn share a transaction. */
  settle(settlement: Omit<Settlement, 'nowMs'>): Promise<void>
}

/** Chats whose intents share a row, and how many of them are unsettled. */
type Batch = { id: string; left: number }
/** A chat of which no PENDING row is written; `settlement` once it has ended. */
type Chat = { intent: Attempt; batch: Batch | undefined; settlement: Settlement | undefined }

export function createAttemptLedger(db: Db, clock: Clock): AttemptLedger {
  const underWay = new Map<string, Chat>()
  const settlePending = inTurns<Settlement>(async (take) => {
    await db.transaction((tx) => settleAttempts(tx, take()))
  })
  const tell = inTurns<Chat>(async (take) => {
    const writing = openTurn(take, clock)
    try {
      await db.writeAll(() => statementsOf(writing()))
    } catch (error) {
      if (!(error instanceof UniqueViolation)) throw error
      // This process stood still so long that another took its chats for dead and settled them.
      const turn = writing()
      const known = await knownAttempts(db, turn.ended.map(attemptOf))
      const ended = turn.ended.filter((chat) => !known.has(attemptOf(chat)))
      await db.writeAll(() => statementsOf({ ...turn, ended }))
    }
    const { batch, begun, counts } = writing()
    for (const chat of begun) underWay.set(attemptOf(chat), { ...chat, batch })
    for (const [of, count] of counts) of.left -= count
  })
  return {
    open(attempt, { spender, neededMicros, workerId }) {
      const isLimited = hasSpendLimit(spender)
      if (isLimited || workerId !== undefined) {
        return db.transaction(async (tx) => {
          if (workerId !== undefined) await holdLease(tx, db.kind, workerId)
          const nowMs = attempt.createdAtMs
          if (isLimited) await assertWithinLimits(tx, spender, { neededMicros, nowMs })
          await openAttempt(tx, attempt)
        })
      }
      return tell({ intent: attempt, batch: undefined, settlement: undefined })
    },
    settle(given) {
      const settlement: Settlement = { ...given, nowMs: clock.nowMs() }
      const chat = underWay.get(given.attempt)
      if (!chat) return settlePending(settlement)
      underWay.delete(given.attempt)
      return tell({ ...chat, settlement })
    },
  }
}

/** What is given in one event-loop turn is written together; what comes meanwhile, next. */
function inTurns<Item>(write: (take: () => Item[]) => Promise<void>) {
  type Waiting = { item: Item; done(): void; failed(error: unknown): void }
  let waiting: Waiting[] = []
  let isWriting = false

  const writeAll = async () => {
    while (waiting.length > 0) {
      let turn: Waiting[] | undefined
      // Taken late, so that what comes until the transaction begins is in it.
      const take = () => {
        if (!turn) {
          turn = waiting
          waiting = []
        }
        return turn.map(({ item }) => item)
      }
      try {
        await write(take)
        for (const { done } of turn ?? []) done()
      } catch (error) {
        take()
        for (const { failed } of turn ?? []) failed(error)
      }
    }
    isWriting = false
  }
  return (item: Item): Promise<void> =>
    new Promise((done, failed) => {
      waiting.push({ item, done, failed })
      if (isWriting) return
      isWriting = true
      void writeAll()
    })
}

type Ended = Chat & { settlement: Settlement }
type Turn = { batch: Batch; begun: Chat[]; ended: Ended[]; counts: ReadonlyMap<Batch, number> }

const hasEnded = (chat: Chat): chat is Ended => chat.settlement !== undefined
const attemptOf = ({ intent }: Chat) => intent.attempt

/** The same turn however often it is asked for. */
function openTurn(take: () => Chat[], clock: Clock): () => Turn {
  let turn: Turn | undefined
  return () => {
    if (turn) return turn
    const chats = take()
    const [begun, ended] = [chats.filter((chat) => !hasEnded(chat)), chats.filter(hasEnded)]
    const counts = new Map<Batch, number>()
    for (const { batch } of ended) if (batch) counts.set(batch, (counts.get(batch) ?? 0) + 1)
    turn = { batch: { id: uuidV7(clock.nowMs()), left: begun.length }, begun, ended, counts }
    return turn
  }
}

function statementsOf({ batch, begun, ended, counts }: Turn): Statement[] {
  const statements = addSettled(ended)
  if (begun[0]) {
    const intents = begun.map(({ intent }) => intent)
    statements.push(addChatIntents(batch.id, intents, begun[0].intent.createdAtMs))
  }
  for (const [{ id, left }, count] of counts)
    if (left === count) statements.push(dropChatIntents(id))
  return statements
}

const settleMarginMs = 10_000
const chunk = 500

/**
 * A chat that died with its process may have been billed: it counts as spent. Without this it
 * would be forgotten, or held back for ever.
 */
export async function settleAbandonedChats(db: Db, nowMs: number, timeoutMs: number) {
  const beforeMs = nowMs - timeoutMs - settleMarginMs
  const lost = (attempt: Pick<Attempt, 'attempt' | 'unitPrice' | 'reservedMicros'>) => ({
    attempt: attempt.attempt,
    outcome: 'UNKNOWN' as const,
    units: {},
    costMicros: attempt.unitPrice === null ? null : attempt.reservedMicros,
    nowMs,
  })
  const pending = await abandonedChats(db, beforeMs, chunk)
  if (pending.length > 0) {
    const settlements = pending.map(({ attempt, unit_price, reserved_micros }) =>
      lost({ attempt, unitPrice: unit_price, reservedMicros: reserved_micros }),
    )
    await db.transaction((tx) => settleAttempts(tx, settlements))
  }
  for (const { batch, attempts } of await abandonedChatIntents(db, beforeMs, chunk)) {
    await db.transaction(async (tx) => {
      const ids = attempts.map(({ attempt }) => attempt)
      const known = await knownAttempts(tx, ids)
      const forgotten = attempts.filter(({ attempt }) => !known.has(attempt))
      const told = forgotten.map((intent) => ({ intent, settlement: lost(intent) }))
      for (const statement of [...addSettled(told), dropChatIntents(batch)]) {
        await tx.run(statement)
      }
    })
  }
}
