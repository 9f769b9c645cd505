// The record of every attempt at a provider: written before the call, settled after it.
// Promises that a killed process leaves a trace of each call it may have made, and that an
// attempt counts once. Never makes a call wait for the disk where its caller has no limit.
import type { Clock } from '#core/clock.ts'
import type { Spender } from '#core/generation.ts'
import type { CallFacts } from '#core/settled-call.ts'
import { CommitUnknown, type Db, StoreUnavailable } from '#store/db.ts'
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
  settleAttempts,
} from '#store/tables/ledger.ts'
import type { Settlement } from '#store/tables/settlement.ts'
import { holdLease } from '#store/tables/workers.ts'
import { assertWithinLimits, hasSpendLimit } from './spend-limit.ts'

/** Where there is nothing to wait for, there is no promise either. */
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
  ): Promise<void> | undefined
  /**
   * Stored before the caller is answered; kept and stored later where the database is away. The
   * call of a run waits for that: its run must not end before the ledger knows what it cost.
   */
  settle(
    settlement: Omit<Settlement, 'nowMs'> & CallFacts & { isOfRun?: boolean },
  ): Promise<void> | undefined
  close(): Promise<void>
}

/** Settlements that may wait for the database before no further call is made. */
const maxKept = 10_000

export function createAttemptLedger(db: Db, clock: Clock, chats: ChatLog): AttemptLedger {
  const settling = openKeptWrites<Settlement>({
    write: (take) => db.transaction((tx) => settleAttempts(tx, take())),
    keep: (item) => ({ item, isCallerDone: true }),
  })

  async function storePending(
    attempt: Attempt,
    { spender, neededMicros, workerId }: Parameters<AttemptLedger['open']>[1],
  ) {
    if (settling.kept() >= maxKept) throw new StoreUnavailable('too many calls wait for it')
    const isLimited = hasSpendLimit(spender)
    if (isLimited) await chats.flush(spender.accountId)
    await db.transaction(async (tx) => {
      if (workerId !== undefined) await holdLease(tx, workerId)
      const nowMs = attempt.createdAtMs
      if (isLimited) await assertWithinLimits(tx, spender, { neededMicros, nowMs })
      await openAttempt(tx, attempt)
    })
  }

  /** The row may be there, but the call is not made: it is taken back as soon as that can be. */
  function withdraw({ attempt }: Attempt, error: CommitUnknown): never {
    const outcome = { outcome: 'REJECTED' as const, units: {}, costMicros: 0 }
    void settling.add({ attempt, ...outcome, nowMs: clock.nowMs() })
    throw new StoreUnavailable(error.reason, error)
  }

  return {
    open(attempt, options) {
      // The log of chats has no room for a credential: none is used for a chat.
      const isChat = options.workerId === undefined && attempt.credential === undefined
      const isLogged = isChat && !hasSpendLimit(options.spender)
      const stored = isLogged ? chats.begin(attempt) : storePending(attempt, options)
      return stored?.catch((error: unknown) => {
        if (!(error instanceof CommitUnknown)) throw error
        // The log of chats takes back its own intents.
        if (isLogged) throw new StoreUnavailable(error.reason, error)
        return withdraw(attempt, error)
      })
    },
    settle({ attempt, outcome, units, costMicros, remark, isOfRun = false }) {
      const settlement = { attempt, outcome, units, costMicros, remark, nowMs: clock.nowMs() }
      if (chats.isUnderWay(attempt)) return chats.settle(settlement)
      return settling.add(settlement, { isWaiting: isOfRun })
    },
    close: settling.stop,
  }
}

const settleMarginMs = 10_000
const chunk = 500

/**
 * A chat that died with its process may have been billed: it counts as spent. Without this it
 * would be forgotten, or held back for ever. How old it is, the database's clock tells: by our
 * own, live chats of a process whose clock is behind would be taken for dead.
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
