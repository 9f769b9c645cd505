import type { Db } from '../db.ts'
import type { Leases } from '../engine-store.ts'
import { releaseAllWork, releaseOrphans, releaseWorkOf } from '../tables/claims.ts'
import { registerWorker, removeWorker, renewLease, takeExpiredWorkers } from '../tables/workers.ts'

export const leasesIn = (db: Db): Leases => ({
  async releaseEarlier() {
    if (!db.isShared) await releaseAllWork(db)
  },
  begin: (workerId, leaseMs) => registerWorker(db, workerId, leaseMs),
  renew: (workerId, leaseMs) => renewLease(db, workerId, leaseMs),
  reap: (workerId) =>
    db.transaction(async (tx) => {
      await takeExpiredWorkers(tx, db, workerId)
      await releaseOrphans(tx)
    }),
  end: (workerId) =>
    db.transaction(async (tx) => {
      await releaseWorkOf(tx, workerId)
      await removeWorker(tx, workerId)
    }),
})
