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
  let dueQueues: readonly string[] = []
  const forget = (queue: string) => {
    dueQueues = dueQueues.filter((other) => other !== queue)
  }

  async function claimAndWake(tx: Tx, owner: string, plan: readonly PlannedClaim[]) {
    const now = times()
    const queues = plan.map(({ queue }) => accountOfQueue(queue))
    const [, , ...claimed] = await Promise.all([
      holdLease(tx, owner),
      db.isShared ? tx.run(lockQueues('runs', queues)) : null,
      ...plan.map(async (one) => {
        const planned = { ...one, queue: accountOfQueue(one.queue), owner }
        return due.selection.read(await tx.run(claimStatement(db, due, planned, now)))
      }),
    ])
    const woken = claimed.flat()
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
      dueQueues = (await accountsWithDueRuns(db)).map(dueQueueOf)
      return dueQueues.length > 0
    },
    pacedQueues: () => dueQueues,
    async claim(owner, plan) {
      // Sleepers are claimed by themselves.
      if (!plan.some(({ queue }) => isDueQueue(queue))) return store.claim(owner, plan)
      const claimed = await db.transaction((tx) => claimAndWake(tx, owner, plan))
      for (const [index, { queue, limit }] of plan.entries()) {
        if (claimed[index]?.length !== limit) forget(queue)
      }
      return claimed
    },
  }
}
