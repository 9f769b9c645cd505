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
import type { Timers } from '#core/clock.ts'
import { LeaseLost } from '#core/interruptions.ts'
import type { Leases } from '#store/engine-store.ts'

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
  leases: Leases,
  options: { clock: Timers; leaseMs: number; onError(error: unknown): void },
): Promise<LeaseKeeper> {
  const { clock } = options
  await leases.releaseEarlier()
  let abort = new AbortController()
  let lease = await begin(leases, options.leaseMs, abort.signal)
  let isBeating = false
  // While the database was unavailable nobody could renew a lease, so all have expired when it is
  // back. The first worker to return gives the others one lease's time before it removes them.
  let troubledAtMs = Number.NEGATIVE_INFINITY

  const beat = async () => {
    if (isBeating) return
    isBeating = true
    const startedAtMs = clock.monotonicMs()
    try {
      if (!(await leases.renew(lease.workerId, options.leaseMs))) {
        abort.abort(new LeaseLost(lease.workerId))
        abort = new AbortController()
        lease = await begin(leases, options.leaseMs, abort.signal)
      }
      const nowMs = clock.monotonicMs()
      if (nowMs - startedAtMs > options.leaseMs) troubledAtMs = nowMs
      if (nowMs - troubledAtMs < options.leaseMs) return
      // Frees the work of dead or hung workers; the epoch keeps them from writing afterwards.
      await leases.reap(lease.workerId)
    } catch (error) {
      troubledAtMs = clock.monotonicMs()
      options.onError(error)
    } finally {
      isBeating = false
    }
  }
  const stopBeating = clock.every(Math.floor(options.leaseMs / 3), beat)
  return {
    current: () => lease,
    async release() {
      stopBeating()
      await leases.end(lease.workerId)
    },
  }
}

async function begin(leases: Leases, leaseMs: number, lost: AbortSignal): Promise<Lease> {
  const workerId = randomUUID()
  await leases.begin(workerId, leaseMs)
  return { workerId, lost }
}
