// Records every attempt: stored before the call, settled after it. Promises that a killed process
// leaves a record of each call it may have made, and that an attempt counts once. Direct calls
// without a spend limit go to the chat log, which on SQLite does not make them wait for the disk.
import type { TimedClock } from '#core/clock.ts'
import type { Spender } from '#core/generation.ts'
import type { CallFacts } from '#core/settled-call.ts'
import { Stop } from '#core/stop.ts'
import {
  type Attempt,
  CommitUnknown,
  type Ledger,
  type Settlement,
  StoreUnavailable,
} from '#store/engine-store.ts'
import { hasSpendLimit } from './spend-limit.ts'
import { type Admission, createSpendQueue, type SpendQueue } from './spend-queue.ts'
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
      wait?: RoomWait | undefined
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

export type RoomWait = Pick<StartWait, 'until' | 'isOfRun'> & Pick<Admission, 'noRoomYet'>

/** How many settlements may wait for the database before further calls are refused. */
const maxKept = 10_000

type LedgerOptions = {
  /** Whose lease its reservations have; null: nobody's. */
  holder?: () => string | null
  /** How long a call outside a run waits for room: somebody waits for it, and can ask again. */
  directWaitMs?: number
}

const patiently: RoomWait = { until: new Stop(), isOfRun: false }

export function createAttemptLedger(
  store: Ledger,
  clock: TimedClock,
  spending: SpendQueue = createSpendQueue(store, clock),
  { holder = () => null, directWaitMs = 5_000 }: LedgerOptions = {},
): AttemptLedger {
  const { chats } = store
  /** Attempts of this process that hold a reservation under a spend limit. */
  const limited = new Set<string>()

  async function storePending(attempt: Attempt, options: Parameters<AttemptLedger['open']>[1]) {
    const { spender, neededMicros, workerId, wait = patiently } = options
    if (store.unsettled() >= maxKept)
      throw new StoreUnavailable('too many calls are waiting to be stored')
    attempt.holder = workerId ?? holder()
    const intent = { attempt, workerId }
    // What is free passes every limit.
    if (neededMicros === 0 || !hasSpendLimit(spender)) {
      await store.store(attempt.accountId, intent)
      return
    }
    const withinMs = wait.isOfRun ? undefined : directWaitMs
    await spending.admit({ spender, neededMicros, ...wait, withinMs, intent })
    limited.add(attempt.attempt)
  }

  /** The row may be stored, but the call is not made: it is settled as REJECTED when possible. */
  function withdrawn({ attempt }: Attempt, error: CommitUnknown): StoreUnavailable {
    const outcome = { outcome: 'REJECTED' as const, units: {}, costMicros: 0 }
    const settlement = { attempt, ...outcome, nowMs: clock.nowMs(), isLimited: true }
    void store.settle(settlement, { isWaiting: false })
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
    settle({ attempt, outcome, units, costMicros, remark, unitPrice, via, isOfRun = false }) {
      const nowMs = clock.nowMs()
      const settlement = { attempt, outcome, units, costMicros, remark, unitPrice, via, nowMs }
      if (chats.isUnderWay(attempt)) return chats.settle(settlement)
      const isLimited = limited.delete(attempt)
      return store.settle({ ...settlement, isLimited }, { isWaiting: isOfRun })
    },
    async close() {
      await spending.close()
      await store.close()
    },
  }
}
