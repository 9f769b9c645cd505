// What is paid for: stored before it begins, judged by spend limits where there are any, and
// settled once.
import type { PassedThreshold } from '#core/budget-alert.ts'
import { passedPercents, type SpendBound } from '#core/budgets.ts'
import type { Timers } from '#core/clock.ts'
import { judgeInOrder } from '#core/spend-admission.ts'
import { type Db, type Reader, StoreUnavailable, type Tx } from '../db.ts'
import type { Ledger } from '../engine-store.ts'
import { abandonedChatIntents, dropChatIntents } from '../journals/chat-intents.ts'
import type { ChatLog } from '../journals/chat-log.ts'
import { openKeptWrites } from '../journals/kept-writes.ts'
import { readLimits } from '../tables/accounts.ts'
import { storePassed } from '../tables/budget-alerts.ts'
import {
  abandoned,
  abandonedChats,
  addSettled,
  knownAttempts,
  outcomeLost,
  settleAttempts,
  spendFreed,
} from '../tables/ledger.ts'
import { attemptsOf } from '../tables/run-work.ts'
import { lockAccountSpend } from '../tables/sequences.ts'
import type { Settlement } from '../tables/settlement.ts'
import { usesOf } from '../tables/spend-uses.ts'
import { type Intent, IntentFailed, isIntentStored, type Judged, storeIntent } from './intents.ts'

export function ledgerIn(db: Db, chats: ChatLog, timers: Timers): Ledger {
  const settling = openKeptWrites<Settlement & { isLimited: boolean }>({
    write: (take) =>
      db.transaction(async (tx) => {
        const settlements = take()
        await settleAttempts(tx, settlements)
        if (settlements.some(({ isLimited }) => isLimited)) tx.notify(spendFreed)
      }),
    keep: (item) => ({ item, isCallerDone: true }),
    timers,
  })
  return {
    chats,
    store: (accountId, intent) =>
      db.transaction((tx) => storeIntent(tx, intent), {
        isStored: (reader, tasks) => isIntentStored(reader, accountId, intent, tasks),
      }),
    async storeWithin(accountId, { intents, keyIds, requests, nowMs }) {
      let storing: Intent | undefined
      const store = async (tx: Tx): Promise<Judged[]> => {
        storing = undefined
        await lockAccountSpend(tx, accountId)
        // Read again under the lock: a raise counts for calls that wait already.
        const asked = requests(await readLimits(tx, accountId, keyIds))
        const bounds = asked.flatMap((request) => request.bounds)
        const verdicts = judgeInOrder(asked, await usesOf(tx, accountId, bounds, nowMs))
        const judged: Judged[] = []
        for (const [index, verdict] of verdicts.entries()) {
          storing = verdict.is === 'fits' ? intents[index] : undefined
          judged.push({ verdict, tasks: storing ? await storeIntent(tx, storing) : [] })
        }
        storing = undefined
        return judged
      }
      // They are stored together, so that one of them tells for all.
      const isStored = async (reader: Reader, judged: Judged[]) => {
        const index = judged.findIndex(({ verdict }) => verdict.is === 'fits')
        const [intent, one] = [intents[index], judged[index]]
        return !intent || !one || isIntentStored(reader, accountId, intent, one.tasks)
      }
      await chats.flush(accountId)
      try {
        return await db.transaction(store, { isStored })
      } catch (error) {
        if (!storing || error instanceof StoreUnavailable) throw error
        throw new IntentFailed(storing, error)
      }
    },
    async uses(accountId, bounds, nowMs) {
      await chats.flush(accountId)
      return usesOf(db, accountId, bounds, nowMs)
    },
    recordPassed: (accountId, bounds, nowMs) => recordPassed(db, accountId, bounds, nowMs),
    onFreed: (look) => db.listen(spendFreed, look),
    settle: (settlement, isWaiting) => settling.add(settlement, isWaiting),
    unsettled: settling.kept,
    attemptsOf: (runId, call) => attemptsOf(db, runId, call),
    settleLost: (attempts, nowMs) =>
      db.transaction((tx) =>
        settleAttempts(
          tx,
          attempts.map((attempt) => abandoned(attempt, nowMs)),
        ),
      ),
    settleAbandoned: (afterMs, nowMs) => settleAbandoned(db, afterMs, nowMs),
    close: settling.stop,
  }
}

async function recordPassed(
  db: Db,
  accountId: string,
  bounds: readonly SpendBound[],
  nowMs: number,
) {
  const uses = await usesOf(db, accountId, bounds, nowMs, nowMs)
  const passed = bounds.flatMap((bound): PassedThreshold[] => {
    const { spentMicros = 0 } = uses.get(bound.id) ?? {}
    const { limitMicros, id: _, ...name } = bound
    return passedPercents(spentMicros, limitMicros).map((percent) => ({
      ...{ ...name, percent, limitMicros, spentMicros, atMs: nowMs },
    }))
  })
  const isHeld = [...uses.values()].some(({ heldMicros }) => heldMicros > 0)
  if (passed.length === 0) return { passed, isHeld }
  return {
    passed: await db.transaction((tx) => storePassed(tx, accountId, passed)),
    isHeld,
  }
}

const chunk = 500

/**
 * Their age is measured by the database's clock: by ours, live chats of a process whose clock is
 * behind would be taken for dead.
 */
async function settleAbandoned(db: Db, afterMs: number, nowMs: number): Promise<void> {
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
