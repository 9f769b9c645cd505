// Records every attempt: stored before the call, settled after it. Promises that a killed process
// leaves a record of each call it may have made, and that an attempt counts once. Direct calls
// without a spend limit go to the chat log, which on SQLite does not make them wait for the disk.
import type { TimedClock } from '#core/clock.ts'
import type { Spender } from '#core/generation.ts'
import type { CallFacts } from '#core/settled-call.ts'
import { Stop } from '#core/stop.ts'
import { CommitUnknown, type Db, type Reader, StoreUnavailable, type Tx } from '#store/db.ts'
import { abandonedChatIntents, dropChatIntents } from '#store/journals/chat-intents.ts'
import type { ChatLog } from '#store/journals/chat-log.ts'
import { openKeptWrites } from '#store/journals/kept-writes.ts'
import {
  type Attempt,
  abandoned,
  abandonedChats,
  addSettled,
  knownAttempts,
  openAttempt,
  outcomeLost,
  outcomeOf,
  settleAttempts,
  spendFreed,
} from '#store/tables/ledger.ts'
import type { Settlement } from '#store/tables/settlement.ts'
import { holdLease } from '#store/tables/workers.ts'
import { hasSpendLimit } from './spend-limit.ts'
import { createSpendQueue, type SpendQueue } from './spend-queue.ts'
import type { StartWait } from './time-limit.ts'

/** Methods return undefined instead of a promise if there is nothing to wait for. */
export type AttemptLedger = {
  /**
   * Stored before the call is made. Under a spend limit it waits while calls in flight hold what is
   * left, and refuses an attempt that would pass the limit.
   */
  open(
    attempt: Attempt,
    options: {
      spender: Spender
      neededMicros: number | null
      /** For a run's call: a worker that lost its lease may not call; the new owner might have. */
      workerId?: string | undefined
      /** For a call under a spend limit. Without it, the call waits for as long as it takes. */
      wait?: Pick<StartWait, 'until' | 'isOfRun'> | undefined
    },
  ): Promise<void> | undefined
  /**
   * Stored before the caller is answered, or kept in memory and stored later if the database is
   * unavailable. A run's call waits even then: the run must not end before its cost is stored.
   */
  settle(
    settlement: Omit<Settlement, 'nowMs'> & CallFacts & { isOfRun?: boolean },
  ): Promise<void> | undefined
  close(): Promise<void>
}

/** How many settlements may wait for the database before further calls are refused. */
const maxKept = 10_000

const patiently = { until: new Stop(), isOfRun: false }

type Kept = Settlement & { isLimited: boolean }

export function createAttemptLedger(
  db: Db,
  clock: TimedClock,
  chats: ChatLog,
  spending: SpendQueue = createSpendQueue({ db, clock, chats }),
): AttemptLedger {
  /** Attempts of this process that hold a reservation under a spend limit. */
  const limited = new Set<string>()
  const settling = openKeptWrites<Kept>({
    write: (take) =>
      db.transaction(async (tx) => {
        const settlements = take()
        await settleAttempts(tx, settlements)
        if (settlements.some(({ isLimited }) => isLimited)) tx.notify(spendFreed)
      }),
    keep: (item) => ({ item, isCallerDone: true }),
    timers: clock,
  })

  async function storePending(attempt: Attempt, options: Parameters<AttemptLedger['open']>[1]) {
    const { spender, neededMicros, workerId, wait = patiently } = options
    if (settling.kept() >= maxKept)
      throw new StoreUnavailable('too many calls are waiting to be stored')
    const store = async (tx: Tx) => {
      if (workerId !== undefined) await holdLease(tx, workerId)
      await openAttempt(tx, attempt)
    }
    // What is free passes every limit.
    if (neededMicros === 0 || !hasSpendLimit(spender)) return db.transaction(store)
    const isStored = async (reader: Reader) => (await outcomeOf(reader, attempt.attempt)) !== null
    const { until, isOfRun } = wait
    await spending.admit({ spender, neededMicros, until, isOfRun, store, isStored })
    limited.add(attempt.attempt)
  }

  /** The row may be stored, but the call is not made: it is settled as REJECTED when possible. */
  function withdrawn({ attempt }: Attempt, error: CommitUnknown): StoreUnavailable {
    const outcome = { outcome: 'REJECTED' as const, units: {}, costMicros: 0 }
    void settling.add({ attempt, ...outcome, nowMs: clock.nowMs(), isLimited: true })
    return new StoreUnavailable(error.reason, error)
  }

  return {
    open(attempt, options) {
      // The chat log has no field for a credential; chats use none.
      const isChat = options.workerId === undefined && attempt.credential === undefined
      if (isChat && !hasSpendLimit(options.spender)) return chats.begin(attempt)
      return storePending(attempt, options).catch((error: unknown) => {
        throw error instanceof CommitUnknown ? withdrawn(attempt, error) : error
      })
    },
    settle({ attempt, outcome, units, costMicros, remark, isOfRun = false }) {
      const settlement = { attempt, outcome, units, costMicros, remark, nowMs: clock.nowMs() }
      if (chats.isUnderWay(attempt)) return chats.settle(settlement)
      const isLimited = limited.delete(attempt)
      return settling.add({ ...settlement, isLimited }, { isWaiting: isOfRun })
    },
    async close() {
      await spending.close()
      await settling.stop()
    },
  }
}

const settleMarginMs = 10_000
const chunk = 500

/**
 * A chat whose process died may have been billed, so it counts as spent. Without this it would be
 * forgotten, or stay reserved for ever. Its age is measured by the database's clock: by ours,
 * live chats of a process whose clock is behind would be taken for dead.
 */
export async function settleAbandonedChats(db: Db, nowMs: number, timeoutMs: number) {
  const afterMs = timeoutMs + settleMarginMs
  const pending = await abandonedChats(db, afterMs, chunk)
  if (pending.length > 0) {
    const settlements = pending.map((attempt) => abandoned(attempt, nowMs))
    await db.transaction((tx) => settleAttempts(tx, settlements))
  }
  for (const { batch, attempts } of await abandonedChatIntents(db, afterMs, chunk)) {
    await db.transaction(async (tx) => {
      const ids = attempts.map(({ attempt }) => attempt)
      const known = await knownAttempts(tx, ids)
      const forgotten = attempts.filter(({ attempt }) => !known.has(attempt))
      const lost = forgotten.map((intent) => ({ intent, settlement: outcomeLost(intent, nowMs) }))
      for (const statement of [...addSettled(lost), dropChatIntents(batch)]) {
        await tx.run(statement)
      }
    })
  }
}
