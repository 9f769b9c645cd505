// The life of a lease. A worker process holds one lease for everything it claims: its row in
// `workers`, which one heartbeat renews. Work belongs to it as long as that row exists, even after
// its time has passed; so a delayed worker continues, unless another one has declared it expired.
//
//   begin ──▶ HELD ── heartbeat ──▶ HELD ── release (a clean stop) ──▶ row deleted, work free
//              │
//              └── silent longer than leaseMs ──▶ EXPIRED: another worker's heartbeat deletes the
//                  row and frees its work. The silent one finds out at its next heartbeat or
//                  write, drops what it holds (`lost`), and begins a new lease under a new name.
//
// Every write of the work side checks the lease or names owner and epoch, so that a worker changes
// nothing between its expiry and finding out.
import { randomUUID } from 'node:crypto'
import { LeaseLost } from '#core/interruptions.ts'
import type { Db } from '#store/db.ts'
import { releaseAllWork, releaseOrphans, releaseWorkOf } from '#store/tables/claims.ts'
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
  /** Releases everything at once. */
  release(): Promise<void>
}

export async function keepLease(
  db: Db,
  options: { leaseMs: number; onError(error: unknown): void },
): Promise<LeaseKeeper> {
  if (!db.isShared) await releaseAllWork(db)
  let abort = new AbortController()
  let lease = await begin(db, options.leaseMs, abort.signal)
  let isBeating = false
  // While the database was unavailable nobody could renew a lease, so all have expired when it is
  // back. The first worker to return gives the others one lease's time before it removes them.
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
      await reapExpired(db, lease.workerId)
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

/** Frees the work of dead or hung workers; the epoch keeps them from writing afterwards. */
const reapExpired = (db: Db, workerId: string): Promise<void> =>
  db.transaction(async (tx) => {
    await takeExpiredWorkers(tx, db, workerId)
    await releaseOrphans(tx)
  })
