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
import { delay, type TimedClock } from '#core/clock.ts'
import { LeaseLost } from '#core/interruptions.ts'
import type { Leases, ProcessRole } from '#store/engine-store.ts'

export type Lease = {
  workerId: string
  /** Aborts when the lease is lost; whatever was claimed under it must be dropped. */
  lost: AbortSignal
  /**
   * Whether it was renewed so recently that nobody can have declared it expired. Not so after a
   * pause of the whole process: then the loss may be known to everybody but this worker.
   */
  isCertain(): boolean
}

const certaintyPauseMs = 200

/**
 * Awaited before a request that costs money. If this process was held up, another worker may own the
 * work by now, and have heard from the provider that nothing arrived. The next heartbeat shows it:
 * then this throws the loss, and nothing is sent.
 */
export async function untilCertain(
  { isCertain, lost }: Pick<Lease, 'isCertain' | 'lost'>,
  clock: TimedClock,
): Promise<void> {
  while (!isCertain()) await delay(certaintyPauseMs, lost, clock)
}

export type LeaseKeeper = {
  current(): Lease
  /** Releases everything at once. */
  release(): Promise<void>
}

type LeaseOptions = {
  clock: TimedClock
  leaseMs: number
  /** `serve`: it claims nothing; only its calls depend on the lease. */
  role?: ProcessRole
}

export async function keepLease(
  leases: Leases,
  options: LeaseOptions & { onError(error: unknown): void },
): Promise<LeaseKeeper> {
  const { clock, role = 'work' } = options
  if (role === 'work') await leases.releaseEarlier()
  let abort = new AbortController()
  const renewal = watchRenewals(options)
  let lease = await begin(leases, options, { lost: abort.signal, renewal })
  let beating: Promise<void> | undefined
  // While the database was unavailable nobody could renew a lease, so all have expired when it is
  // back. The first worker to return gives the others one lease's time before it removes them.
  let troubledAtMs = Number.NEGATIVE_INFINITY

  const beat = async () => {
    const startedAtMs = clock.monotonicMs()
    const sentAt = renewal.now()
    try {
      if (!(await leases.renew(lease.workerId, options.leaseMs))) {
        abort.abort(new LeaseLost(lease.workerId))
        abort = new AbortController()
        lease = await begin(leases, options, { lost: abort.signal, renewal })
      } else renewal.madeAt(sentAt)
      const nowMs = clock.monotonicMs()
      if (nowMs - startedAtMs > options.leaseMs) troubledAtMs = nowMs
      if (nowMs - troubledAtMs < options.leaseMs) return
      // Frees the work of dead or hung workers; the epoch keeps them from writing afterwards.
      await leases.reap(lease.workerId)
    } catch (error) {
      troubledAtMs = clock.monotonicMs()
      options.onError(error)
    }
  }
  const stopBeating = clock.every(Math.floor(options.leaseMs / 3), () => {
    beating ??= beat().finally(() => {
      beating = undefined
    })
  })
  return {
    current: () => lease,
    async release() {
      stopBeating()
      // One that is under way could find no lease any more, and begin another that nobody ends.
      await beating
      await leases.end(lease.workerId)
    },
  }
}

async function begin(
  leases: Leases,
  { leaseMs, role = 'work' }: LeaseOptions,
  { lost, renewal }: { lost: AbortSignal; renewal: Renewals },
): Promise<Lease> {
  const workerId = randomUUID()
  const sentAt = renewal.now()
  await leases.begin(workerId, leaseMs, role)
  renewal.madeAt(sentAt)
  return { workerId, lost, isCertain: () => !lost.aborted && renewal.isRecent() }
}

type Moment = { monotonicMs: number; wallMs: number }
type Renewals = ReturnType<typeof watchRenewals>

/** By two clocks: one may stand still while the machine sleeps, the other may be set back. */
function watchRenewals({ clock, leaseMs }: { clock: TimedClock; leaseMs: number }) {
  const now = (): Moment => ({ monotonicMs: clock.monotonicMs(), wallMs: clock.nowMs() })
  let last = now()
  return {
    now,
    madeAt(sent: Moment) {
      last = sent
    },
    isRecent(): boolean {
      const { monotonicMs, wallMs } = now()
      return monotonicMs - last.monotonicMs < leaseMs && wallMs - last.wallMs < leaseMs
    },
  }
}
