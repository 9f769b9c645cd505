// Claims of runs. An account has two queues of them: runs to begin or to continue, and sleepers whose
// time has come. To claim a sleeper is to wake it. So of many that are due at once, no more are awake
// than their account has slots for, and accounts take turns as with all work.
import type { Db, Tx } from '../db.ts'
import type { RunClaims } from '../engine-store.ts'
import { claimStatement, claimStore, lockQueues, type PlannedClaim } from '../tables/claims.ts'
import { accountOfQueue, dueQueueOf, isDueQueue, runClaims } from '../tables/run-work.ts'
import { accountsWithDueRuns, dueClaims, passWaits } from '../tables/sleeping-runs.ts'
import { holdLease } from '../tables/workers.ts'

export function runClaimsIn(db: Db, times: () => readonly number[]): RunClaims {
  const store = claimStore(db, runClaims, times)
  const due = dueClaims(db.dialect)
  /** As last seen: a claim may find that somebody else has woken them. */
  let accounts: readonly string[] = []
  const forget = (accountId: string) => {
    accounts = accounts.filter((id) => id !== accountId)
  }

  async function claimAndWake(tx: Tx, owner: string, plan: readonly PlannedClaim[]) {
    const now = times()
    const queues = [...new Set(plan.map(({ queue }) => accountOfQueue(queue)))]
    const [, , ...claimed] = await Promise.all([
      holdLease(tx, owner),
      db.isShared ? tx.run(lockQueues('runs', queues)) : null,
      ...plan.map(async (one) => {
        const planned = { ...one, queue: accountOfQueue(one.queue), owner }
        const rules = isDueQueue(one.queue) ? due : runClaims
        return rules.selection.read(await tx.run(claimStatement(db, rules, planned, now)))
      }),
    ])
    const woken = claimed.filter((_, index) => isDueQueue(plan[index]?.queue ?? '')).flat()
    if (woken.length > 0) {
      await passWaits(
        tx,
        woken.map(({ id }) => id),
      )
    }
    return claimed
  }

  return {
    ...store,
    async lookForDue() {
      accounts = await accountsWithDueRuns(db)
      return accounts.length > 0
    },
    async queues(cursor, limit) {
      const waiting = await store.queues(cursor && accountOfQueue(cursor), limit)
      if (accounts.length === 0) return waiting
      const asleep = accounts.map(dueQueueOf).filter((queue) => cursor === null || queue > cursor)
      return [...waiting, ...asleep].sort().slice(0, limit)
    },
    async claim(owner, plan) {
      if (!plan.some(({ queue }) => isDueQueue(queue))) return store.claim(owner, plan)
      const claimed = await db.transaction((tx) => claimAndWake(tx, owner, plan))
      for (const [index, { queue, limit }] of plan.entries()) {
        const isLeft = claimed[index]?.length === limit
        if (isDueQueue(queue) && !isLeft) forget(accountOfQueue(queue))
      }
      return claimed
    },
  }
}
