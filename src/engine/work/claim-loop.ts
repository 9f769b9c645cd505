// Claims work of one kind and keeps it under way: fair between queues, within slots, under the
// lease of this process. Tasks, runs and webhook deliveries each have one. If the process is killed
// at any point, another worker claims what it held once its lease has expired.
//
//            wake                 wake, or a queue had more
//   IDLE ──────────▶ CLAIMING ──────────────────────────────▶ CLAIM_AGAIN
//    ▲                │    ▲                                       │
//    └── none left ───┘    └───────────── the round ended ─────────┘
//
//   any of these ── stop ──▶ STOPPING ── all work ended, at the latest after the grace ──▶ STOPPED
//
// The loop is woken by new work (a notification of the store), by work that ended while others
// waited for its slot, and by a timer, which is the safety net behind the others and the resolution
// of retries. Claims never overlap. A round that fails is repeated by the timer, or by a wake that
// came meanwhile. Work that comes in masses begins at a pace, and is claimed after the rest.
import { delay, type Timers } from '#core/clock.ts'
import { Stopping } from '#core/interruptions.ts'
import { type ClaimedRow, type ClaimStore, claimKey } from '#store/engine-store.ts'
import type { Lease, LeaseKeeper } from './lease-keeper.ts'
import type { SlotPlan, Slots } from './slots.ts'

/** What a kind of work provides. */
export type WorkKind<Row extends ClaimedRow> = {
  store: ClaimStore<Row>
  slots: Slots
  keeper: Pick<LeaseKeeper, 'current'>
  clock: Timers
  /** How many queues are looked at in one round. */
  queuesPerRound: number
  /** Called before each round; returns work that it claimed itself, which needs no slot. */
  prepare?(lease: Lease): Promise<readonly Row[]>
  /** Carries out a piece of work. Never rejects: it ends the work, or releases it. */
  carryOut(row: Row, lease: Lease): Promise<void>
  /** How long a stop waits for calls that were sent and whose answers must be recorded. */
  stopGraceMs: number
  onError(error: unknown): void
}

/** Slots held for work that is being stored as claimed by this worker. */
export type HeldSlots<Row> = {
  lease: Lease
  count: number
  /** To be called once the work is stored: these rows begin. */
  begin(rows: readonly Row[]): void
  /** To be called if it is not stored, or if that is unknown. */
  cancel(): void
}

type State = 'IDLE' | 'CLAIMING' | 'CLAIM_AGAIN' | 'STOPPING' | 'STOPPED'

export const pollMs = 500

export class ClaimLoop<Row extends ClaimedRow> {
  readonly #kind: WorkKind<Row>
  readonly #stopping = new AbortController()
  readonly #leaving = new AbortController()
  readonly #running = new Map<string, Promise<void>>()
  #state: State = 'IDLE'
  #claiming: Promise<void> = Promise.resolve()
  /** The queue that was served last. Null: the next round begins with the first queue. */
  #cursor: string | null = null
  /** Some work may wait for a slot: only then does a free slot cause a wake. */
  #isAnyWaiting = false
  /** The answer to a claim was lost: this worker may own rows that it does not know of. */
  #mayHaveOrphans = false
  #holds = 0
  /** The next round is for all queues, and not only for those whose work begins at a pace. */
  #isForAll = true
  #pacedCursor = ''
  #disconnect: () => Promise<void> = async () => {}

  constructor(kind: WorkKind<Row>) {
    this.#kind = kind
  }

  get state(): State {
    return this.#state
  }

  /** Aborts when the process stops: waiting work is released and no new calls are made. */
  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  /** Aborts when the grace period is over: calls that nobody awaits any more are cut off. */
  get leaving(): AbortSignal {
    return this.#leaving.signal
  }

  /** Resolves when nothing is left to claim, or no slot is free. */
  async start(): Promise<void> {
    const wake = () => void this.wake()
    const unlisten = await this.#kind.store.listen(wake)
    const stopPolling = this.#kind.clock.every(pollMs, wake)
    this.#disconnect = () => {
      stopPolling()
      return unlisten()
    }
    await this.wake()
  }

  /** Resolves when nothing is left to claim, or no slot is free. */
  wake(): Promise<void> {
    this.#isForAll = true
    return this.#claimSoon()
  }

  #claimSoon(): Promise<void> {
    if (this.#state === 'CLAIMING') this.#state = 'CLAIM_AGAIN'
    if (this.#state === 'IDLE') {
      this.#state = 'CLAIMING'
      this.#claiming = this.#claimAll()
    }
    return this.#claiming
  }

  async stop(): Promise<void> {
    this.#state = 'STOPPING'
    this.#stopping.abort(new Stopping())
    await this.#disconnect()
    const grace = new AbortController()
    const ended = Promise.all([this.#claiming, ...this.#running.values()]).then(() => grace.abort())
    const { clock, stopGraceMs } = this.#kind
    await delay(stopGraceMs, grace.signal, clock).catch(() => undefined)
    this.#leaving.abort(new Stopping())
    await ended
    this.#state = 'STOPPED'
  }

  /** Null if no slot is free, or if this worker is stopping or not certain what it owns. */
  holdSlots(queue: string, wanted: number): HeldSlots<Row> | null {
    const { slots, keeper } = this.#kind
    const lease = keeper.current()
    if (this.#mayHaveOrphans || this.#isStopping() || lease.lost.aborted) return null
    const count = slots.take(queue, wanted)
    if (count === 0) return null
    this.#holds++
    return {
      lease,
      count,
      begin: (rows) => {
        this.#holds--
        slots.release(queue, count - rows.length)
        // If this worker is stopping, the rows are released with its lease.
        if (!this.#isStopping()) this.#begin(rows, lease, queue)
      },
      cancel: () => {
        this.#holds--
        slots.release(queue, count)
        this.#mayHaveOrphans = true
        void this.wake()
      },
    }
  }

  #isStopping(): boolean {
    return this.#state === 'STOPPING' || this.#state === 'STOPPED'
  }

  async #claimAll(): Promise<void> {
    do {
      this.#state = 'CLAIMING'
      const isMore = await this.#claimRound().catch(this.#kind.onError)
      if (isMore && !this.#isStopping()) this.#state = 'CLAIM_AGAIN'
    } while (this.state === 'CLAIM_AGAIN')
    if (this.state === 'CLAIMING') this.#state = 'IDLE'
  }

  /** True if another round would find more. */
  async #claimRound(): Promise<boolean> {
    const lease = this.#kind.keeper.current()
    const isForAll = this.#isForAll
    this.#isForAll = false
    if (isForAll && (await this.#claimUnpaced(lease))) this.#isForAll = true
    return (await this.#claimPaced(lease)) || this.#isForAll
  }

  async #claimUnpaced(lease: Lease): Promise<boolean> {
    const { store, slots, queuesPerRound } = this.#kind
    // Work that is being stored for this worker looks like an orphaned claim.
    if (this.#mayHaveOrphans && this.#holds === 0) {
      await store.releaseOrphaned(lease.workerId, this.#running)
      this.#mayHaveOrphans = false
    }
    await this.#beginUnslotted(lease)
    const queues = await this.#nextQueues()
    const plan = slots.plan(queues)
    // Until the claim is answered, any queue may wait: a slot that becomes free must not be missed.
    this.#isAnyWaiting = queues.length > 0
    const counts = await this.#claim(plan, lease)
    const isCut = queues.length === queuesPerRound
    const isAll = plan.length === queues.length && !isCut
    this.#cursor = isAll ? null : (plan.at(-1)?.queue ?? this.#cursor)
    // A queue that filled its limit may have more; claiming again helps only if it has room left.
    const filled = plan.filter(({ limit }, index) => counts[index] === limit)
    const isMore =
      filled.some(({ limit, room }) => limit < room) || (isCut && counts.some((count) => count > 0))
    // What other processes own of a queue counts too, and only the database knows about it.
    const mayWaitElsewhere = store.isShared && queues.length > 0
    this.#isAnyWaiting = filled.length > 0 || !isAll || mayWaitElsewhere
    return isMore
  }

  /** As much as may begin now. Once more may, the timer that says so is a wake. */
  async #claimPaced(lease: Lease): Promise<boolean> {
    const { slots, queuesPerRound } = this.#kind
    const known = this.#pacedQueues()
    if (!known.some(slots.isRoomy)) return false
    const served = known.filter((queue) => queue <= this.#pacedCursor)
    const inTurn = [...known.slice(served.length), ...served]
    const plan = slots.plan(inTurn.slice(0, queuesPerRound))
    // It waits for a slot, as other work does.
    if (plan.length === 0) this.#isAnyWaiting = true
    this.#pacedCursor = plan.at(-1)?.queue ?? this.#pacedCursor
    await this.#claim(plan, lease)
    return plan.length > 0 && this.#pacedQueues().some(slots.isRoomy)
  }

  #pacedQueues(): readonly string[] {
    return this.#kind.store.pacedQueues?.() ?? []
  }

  /** From where the last round ended, then from the start: every queue gets its turn. */
  async #nextQueues(): Promise<string[]> {
    const { store, queuesPerRound } = this.#kind
    const after = await store.queues(this.#cursor, queuesPerRound)
    if (this.#cursor === null || after.length === queuesPerRound) return after
    const before = await store.queues(null, queuesPerRound - after.length)
    return [...new Set([...after, ...before])]
  }

  /** Returns how many rows each planned claim got. */
  async #claim(plan: readonly SlotPlan[], lease: Lease): Promise<number[]> {
    const { store, slots } = this.#kind
    if (plan.length === 0) return []
    const claimed = await this.#answered(store.claim(lease.workerId, plan)).catch((error) => {
      for (const { queue, limit } of plan) slots.release(queue, limit)
      throw error
    })
    for (const [index, { queue, limit }] of plan.entries()) {
      const rows = claimed[index] ?? []
      slots.release(queue, limit - rows.length)
      await this.#beginOrRelease(rows, lease, queue)
    }
    return claimed.map((rows) => rows.length)
  }

  async #beginUnslotted(lease: Lease): Promise<void> {
    const { prepare } = this.#kind
    if (prepare) await this.#beginOrRelease(await this.#answered(prepare(lease)), lease)
  }

  /** A claim that failed may have been committed all the same. */
  #answered<T>(claim: Promise<T>): Promise<T> {
    return claim.catch((error) => {
      this.#mayHaveOrphans = true
      throw error
    })
  }

  /** Rows claimed after the stop are released, so that others need not wait for this process. */
  async #beginOrRelease(rows: readonly Row[], lease: Lease, queue?: string): Promise<void> {
    if (this.#isStopping()) await this.#kind.store.release(lease.workerId, rows)
    else this.#begin(rows, lease, queue)
  }

  /** Work without a queue takes no slot. */
  #begin(rows: readonly Row[], lease: Lease, queue?: string): void {
    const { slots, carryOut, onError } = this.#kind
    if (queue !== undefined) this.#pace(queue, rows.length)
    for (const row of rows) {
      const key = claimKey(row)
      const ended = () => {
        this.#running.delete(key)
        if (queue !== undefined) slots.ended(queue)
        this.#wakeFor(queue)
      }
      this.#running.set(key, carryOut(row, lease).catch(onError).then(ended))
    }
  }

  #pace(queue: string, count: number): void {
    const { slots, clock } = this.#kind
    const forMs = slots.beginsForMs(queue)
    if (forMs === undefined || count === 0) return
    const begun = () => {
      slots.begun(queue, count)
      this.#wakeFor(queue)
    }
    clock.after(forMs, begun, { keepsAlive: false })
  }

  /** Something of this queue has made room. */
  #wakeFor(queue: string | undefined): void {
    const { slots } = this.#kind
    if (queue !== undefined && !slots.isRoomy(queue)) return
    if (this.#isAnyWaiting) void this.wake()
    else if (queue !== undefined && slots.beginsForMs(queue) !== undefined) void this.#claimSoon()
  }
}
