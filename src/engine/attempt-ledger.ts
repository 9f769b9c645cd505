// The record of every attempt at a provider: written before the call, settled after it.
// Promises that a killed process leaves a trace of each call it may have made, and that an
// attempt counts once. Never makes a call wait for the disk where its caller has no limit.
import type { Clock } from '#core/clock.ts'
import type { Spender } from '#core/generation.ts'
import { uuidV7 } from '#core/ids.ts'
import { abandonedChatIntents, addChatIntents, dropChatIntents } from '#store/chat-intents.ts'
import { type Db, type Tx, UniqueViolation } from '#store/db.ts'
import {
  type Attempt,
  abandonedChats,
  knownAttempts,
  openAttempt,
  type Settlement,
  settleAttempts,
} from '#store/ledger.ts'
import { assertWithinLimits, hasSpendLimit } from './spend-limit.ts'

export type AttemptLedger = {
  /** Stored before the call is made; refuses an attempt that would pass a spend limit. */
  open(attempt: Attempt, options: { spender: Spender; neededMicros: number | null }): Promise<void>
  /** Stored before the caller is answered. Those of one turn share a transaction. */
  settle(settlement: Omit<Settlement, 'nowMs' | 'intent'>): Promise<void>
}

type Waiting = { done(): void; failed(error: unknown): void }
type Opening = Waiting & { attempt: Attempt }
type Settling = Waiting & { settlement: Settlement; batch: Batch | undefined }
/** Chats whose intents share a row, and how many of them are unsettled. */
type Batch = { id: string; left: number }

export function createAttemptLedger(db: Db, clock: Clock): AttemptLedger {
  const underWay = new Map<string, { attempt: Attempt; batch: Batch }>()
  let opening: Opening[] = []
  let settling: Settling[] = []
  let isFlushing = false

  const write = async (turn: Turn) => {
    const once = (what: Turn) => db.transaction((tx) => writeTurn(tx, what), { survives: 'kill' })
    try {
      await once(turn)
    } catch (error) {
      if (!(error instanceof UniqueViolation)) throw error
      // This process stood still so long that another took its chats for dead and settled them.
      const known = await knownAttempts(db, turn.settled.map(attemptOf))
      await once({ ...turn, settled: turn.settled.filter((it) => !known.has(attemptOf(it))) })
    }
  }

  /** What comes while a turn's writes are being committed is written next. */
  const flush = async () => {
    while (opening.length > 0 || settling.length > 0) {
      const [opened, settled] = [opening, settling]
      opening = []
      settling = []
      const batch = { id: uuidV7(clock.nowMs()), left: opened.length }
      const ended = countSettled(settled)
      try {
        await write({ batch, opened, settled, ended })
        for (const { attempt } of opened) underWay.set(attempt.attempt, { attempt, batch })
        for (const [of, count] of ended) of.left -= count
        for (const waiting of [...opened, ...settled]) waiting.done()
      } catch (error) {
        for (const waiting of [...opened, ...settled]) waiting.failed(error)
      }
    }
    isFlushing = false
  }
  const flushSoon = () => {
    if (isFlushing) return
    isFlushing = true
    setImmediate(flush)
  }
  return {
    async open(attempt, { spender, neededMicros }) {
      if (hasSpendLimit(spender)) {
        return db.transaction(async (tx) => {
          await assertWithinLimits(tx, spender, { neededMicros, nowMs: attempt.createdAtMs })
          await openAttempt(tx, attempt)
        })
      }
      // What a run still has under way is looked up in the ledger itself.
      if (attempt.runId !== null) return void (await openAttempt(db, attempt))
      return new Promise((done, failed) => {
        opening.push({ attempt, done, failed })
        flushSoon()
      })
    },
    settle(given) {
      const known = underWay.get(given.attempt)
      underWay.delete(given.attempt)
      const settlement: Settlement = { ...given, nowMs: clock.nowMs() }
      if (known) settlement.intent = known.attempt
      return new Promise((done, failed) => {
        settling.push({ settlement, batch: known?.batch, done, failed })
        flushSoon()
      })
    },
  }
}

const attemptOf = ({ settlement }: Settling) => settlement.attempt

function countSettled(settled: readonly Settling[]): Map<Batch, number> {
  const counts = new Map<Batch, number>()
  for (const { batch } of settled) if (batch) counts.set(batch, (counts.get(batch) ?? 0) + 1)
  return counts
}

type Turn = {
  batch: Batch
  opened: readonly Opening[]
  settled: readonly Settling[]
  ended: ReadonlyMap<Batch, number>
}

async function writeTurn(tx: Tx, { batch, opened, settled, ended }: Turn) {
  if (opened[0]) {
    const attempts = opened.map(({ attempt }) => attempt)
    await addChatIntents(tx, batch.id, attempts, opened[0].attempt.createdAtMs)
  }
  if (settled.length === 0) return
  const settlements = settled.map(({ settlement }) => settlement)
  await settleAttempts(tx, settlements)
  for (const [{ id, left }, count] of ended) if (left === count) await dropChatIntents(tx, id)
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
      await settleAttempts(
        tx,
        forgotten.map((intent) => ({ ...lost(intent), intent })),
      )
      await dropChatIntents(tx, batch)
    })
  }
}
