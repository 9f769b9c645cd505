import { randomUUID } from 'node:crypto'
import type { Db } from '#store/db.ts'
import { LeaseLost } from '#store/tables/tasks.ts'
import { releaseAllWork, releaseOrphans, releaseWorkOf } from '#store/tables/work-owners.ts'
import {
  registerWorker,
  removeWorker,
  renewLease,
  takeExpiredWorkers,
} from '#store/tables/workers.ts'

export type Lease = {
  workerId: string
  /** Aborts when the lease is lost; whatever was claimed under it must be dropped. */
  lost: AbortSignal
}

export type LeaseKeeper = {
  current(): Lease
  /** Gives everything back at once. */
  release(): Promise<void>
}

/**
 * One heartbeat per process renews everything it owns. A worker that was silent too long finds
 * its lease gone, drops its work and starts anew under another name.
 */
export async function keepLease(
  db: Db,
  options: { leaseMs: number; onError(error: unknown): void; onReleased(): void },
): Promise<LeaseKeeper> {
  if (!db.isShared) await releaseAllWork(db)
  let abort = new AbortController()
  let lease = await begin(db, options.leaseMs, abort.signal)
  let isBeating = false
  // While the database was away nobody could renew a lease, so that all have run out when it is
  // back: whoever comes first gives the others the time of a lease before judging them.
  let troubledAtMs = Number.NEGATIVE_INFINITY

  const beat = async () => {
    if (isBeating) return
    isBeating = true
    const startedAtMs = performance.now()
    try {
      if (!(await renewLease(db, lease.workerId, options.leaseMs))) {
        abort.abort(new LeaseLost(lease.workerId))
        abort = new AbortController()
        lease = await begin(db, options.leaseMs, abort.signal)
      }
      const nowMs = performance.now()
      if (nowMs - startedAtMs > options.leaseMs) troubledAtMs = nowMs
      if (nowMs - troubledAtMs < options.leaseMs) return
      if ((await reapExpired(db, lease.workerId)) > 0) options.onReleased()
    } catch (error) {
      troubledAtMs = performance.now()
      options.onError(error)
    } finally {
      isBeating = false
    }
  }
  const timer = setInterval(beat, Math.floor(options.leaseMs / 3))
  return {
    current: () => lease,
    async release() {
      clearInterval(timer)
      await db.transaction(async (tx) => {
        await releaseWorkOf(tx, lease.workerId)
        await removeWorker(tx, lease.workerId)
      })
    },
  }
}

async function begin(db: Db, leaseMs: number, lost: AbortSignal): Promise<Lease> {
  const workerId = randomUUID()
  await registerWorker(db, workerId, leaseMs)
  return { workerId, lost }
}

/** What a dead or hung worker held is free again; its epoch keeps it from writing afterwards. */
const reapExpired = (db: Db, workerId: string): Promise<number> =>
  db.transaction(async (tx) => {
    await takeExpiredWorkers(tx, db, workerId)
    return releaseOrphans(tx)
  })
