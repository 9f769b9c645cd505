import type { Db } from '../db.ts'
import type { Leases } from '../engine-store.ts'
import { releaseAllWork, releaseOrphans, releaseWorkOf } from '../tables/claims.ts'
import { abandoned, attemptsWithoutHolder, settleAttempts, spendFreed } from '../tables/ledger.ts'
import { registerWorker, removeWorker, renewLease, takeExpiredWorkers } from '../tables/workers.ts'

export const leasesIn = (db: Db): Leases => ({
  async releaseEarlier() {
    if (db.isShared) return
    await releaseAllWork(db)
    await settleOrphans(db)
  },
  begin: (workerId, leaseMs, role) => registerWorker(db, workerId, leaseMs, role),
  renew: (workerId, leaseMs) => renewLease(db, workerId, leaseMs),
  reap: (workerId) =>
    db
      .transaction(async (tx) => {
        await takeExpiredWorkers(tx, db, workerId)
        await releaseOrphans(tx)
      })
      .then(() => settleOrphans(db)),
  end: (workerId) =>
    db.transaction(async (tx) => {
      await releaseWorkOf(tx, workerId)
      await removeWorker(tx, workerId)
    }),
})

const settledAtOnce = 500

/**
 * A reservation ends with the lease of the process that made it. Nobody knows whether that process
 * had sent the call, so it counts as spent; if the process is alive, its own settlement corrects it.
 */
async function settleOrphans(db: Db): Promise<void> {
  const orphans = await attemptsWithoutHolder(db, settledAtOnce)
  if (orphans.length === 0) return
  await db.transaction(async (tx) => {
    await settleAttempts(
      tx,
      orphans.map((attempt) => abandoned(attempt, attempt.now_ms)),
    )
    tx.notify(spendFreed)
  })
  if (orphans.length === settledAtOnce) await settleOrphans(db)
}
