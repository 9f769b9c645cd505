import type { Clock } from '#core/clock.ts'
import type { Spender } from '#core/generation.ts'
import type { Db } from '#store/db.ts'
import {
  type Attempt,
  abandonedChats,
  openAttempt,
  type Settlement,
  settleAttempts,
} from '#store/ledger.ts'
import { assertWithinLimits, hasSpendLimit } from './spend-limit.ts'

export type AttemptLedger = {
  /** Durable before the call is made; refuses an attempt that would pass a spend limit. */
  open(attempt: Attempt, options: { spender: Spender; neededMicros: number | null }): Promise<void>
  /** Durable before the caller is answered. Settlements of one turn share a transaction. */
  settle(settlement: Omit<Settlement, 'nowMs'>): Promise<void>
}

type Waiting = { settlement: Settlement; done(): void; failed(error: unknown): void }

export function createAttemptLedger(db: Db, clock: Clock): AttemptLedger {
  let waiting: Waiting[] = []
  let isFlushing = false

  /** What comes while a batch is being committed is the next batch. */
  const flush = async () => {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      const settlements = batch.map((item) => item.settlement)
      try {
        await db.transaction((tx) => settleAttempts(tx, settlements))
        for (const item of batch) item.done()
      } catch (error) {
        for (const item of batch) item.failed(error)
      }
    }
    isFlushing = false
  }
  return {
    async open(attempt, { spender, neededMicros }) {
      if (!hasSpendLimit(spender)) {
        await openAttempt(db, attempt)
        return
      }
      await db.transaction(async (tx) => {
        await assertWithinLimits(tx, spender, { neededMicros, nowMs: attempt.createdAtMs })
        await openAttempt(tx, attempt)
      })
    },
    settle(settlement) {
      return new Promise((done, failed) => {
        waiting.push({ settlement: { ...settlement, nowMs: clock.nowMs() }, done, failed })
        if (isFlushing) return
        isFlushing = true
        setImmediate(flush)
      })
    },
  }
}

const settleMarginMs = 10_000
const chunk = 500

/**
 * A chat that died with its process may have been billed: it counts as spent. Without this it
 * would be held back for ever.
 */
export async function settleAbandonedChats(db: Db, nowMs: number, timeoutMs: number) {
  const found = await abandonedChats(db, nowMs - timeoutMs - settleMarginMs, chunk)
  if (found.length === 0) return
  const settlements = found.map(({ attempt, unit_price, reserved_micros }) => ({
    attempt,
    outcome: 'UNKNOWN' as const,
    units: {},
    costMicros: unit_price === null ? null : reserved_micros,
    nowMs,
  }))
  await db.transaction((tx) => settleAttempts(tx, settlements))
}
