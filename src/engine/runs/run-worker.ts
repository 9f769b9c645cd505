// Claims runs and executes them in memory, fair between accounts. Everything that matters is in
// the store: killed at any point, another worker goes on, and finished calls are not repeated.
import type { Clock } from '#core/clock.ts'
import { Stopping } from '#core/interruptions.ts'
import { oneAtATime } from '#core/one-at-a-time.ts'
import type { Db } from '#store/db.ts'
import type { RecordRunEnd } from '#store/tables/deliveries.ts'
import type { OfferedPlaces } from '#store/tables/new-runs.ts'
import type { FinishedRun } from '#store/tables/run-progress.ts'
import {
  accountsWithWaitingRuns,
  type ClaimedRun,
  runsToCancel,
  settleLateCosts,
  takenRun,
} from '#store/tables/run-work.ts'
import { claimKey, releaseOrphanedClaims } from '#store/tables/work-owners.ts'
import type { Lease, LeaseKeeper } from '../lease-keeper.ts'
import { claimFor, claimRunsToEnd } from './claim-runs.ts'
import { snapshotOf } from './execute-run.ts'
import { endOverdueRuns } from './overdue-runs.ts'
import { runClaimed } from './run-claimed.ts'
import { RunCancelled, RunTimeUp } from './run-halt.ts'
import { createRunJournal, type RunJournal } from './run-journal.ts'
import type { PlanCache } from './run-plan.ts'
import type { RunParts, RunWork } from './run-work.ts'
import { createSeats } from './seats.ts'
import { createTaskWaits } from './task-waits.ts'

export type RunWorkerOptions = {
  db: Db
  clock: Clock
  keeper: LeaseKeeper
  parts: Omit<RunParts, 'db' | 'clock' | 'stopping' | 'leaving' | 'taskEnded' | 'onError'> & {
    cancelTasks(runId: string): Promise<void>
  }
  plans: PlanCache
  /** Called in the transaction that ends a run. */
  recordRunEnd: RecordRunEnd
  /** In this process, over all accounts. */
  capacity: number
  activePerAccount: number
  runTimeoutMs: number
  /** How long a stop waits for calls that have left and whose answer must be recorded. */
  stopGraceMs: number
  onError(error: unknown, runId?: string): void
  onEnded?(run: FinishedRun): void
  onQuarantined?(kind: 'run'): void
}

export type RunWorker = {
  wake(): void
  /**
   * Places for runs that are about to be stored, as this worker's own. Only where the database
   * has no other: nobody else's runs are counted.
   */
  offerPlaces(accountId: string, wanted: number): OfferedPlaces | null
  stop(): Promise<void>
}

// The safety net behind wake-ups; the pace of time limits and of progress shown.
const tickMs = 500
const ticksPerRound = 10
const showAfterMs = 400
const accountsPerRound = 100

export async function startRunWorker(options: RunWorkerOptions): Promise<RunWorker> {
  const { db, clock, keeper, plans, onEnded = () => {}, onQuarantined = () => {} } = options
  const ends = { recordRunEnd: options.recordRunEnd, onEnded, onQuarantined }
  const stopping = new AbortController()
  const leaving = new AbortController()
  const waits = createTaskWaits(db, options.onError)
  const parts = {
    ...options.parts,
    db,
    clock,
    stopping: stopping.signal,
    leaving: leaving.signal,
    taskEnded: waits.ended,
    onError: options.onError,
  }
  const working = new Map<string, RunWork>()
  /** By claim. */
  const running = new Map<string, Promise<void>>()
  const seats = createSeats(options)
  /** An account whose runs are being claimed: how many is not known yet. */
  let claimingFor: string | null = null
  let desk: { lease: Lease; journal: RunJournal } | undefined
  let cursor: string | null = null
  let claiming: Promise<void> | null = null
  let claimAgain = false
  // A claim whose answer was lost may have been made.
  let mayHaveOrphans = false
  // Somebody may be waiting for a place: only then does an ended run start a round.
  let isFull = false
  let ticks = 0
  let isAsking = false
  let isEndingDue = false

  /** One journal per lease; what worked under a lost one is dropped. */
  function deskOf(lease: Lease) {
    if (desk?.lease === lease) return desk
    const { workerId } = lease
    desk = {
      lease,
      journal: createRunJournal({
        ...{ db, workerId, recordRunEnd: options.recordRunEnd },
        steps: options.parts.steps,
        until: AbortSignal.any([lease.lost, leaving.signal]),
      }),
    }
    lease.lost.addEventListener('abort', () => {
      for (const work of working.values()) {
        if (work.lease.workerId === workerId) work.halt.stop(lease.lost.reason)
      }
    })
    return desk
  }

  const claimRound = async () => {
    const current = deskOf(keeper.current())
    // Runs that are being stored for this worker look like orphaned claims.
    if (mayHaveOrphans && !seats.isAnyHeld()) {
      await releaseOrphanedClaims(db, 'runs', current.lease.workerId, running)
      mayHaveOrphans = false
    }
    if (isEndingDue) await endStopped(current)
    // From where the last round ended, then from the start: every account gets its turn.
    const after = await accountsWithWaitingRuns(db, cursor, accountsPerRound)
    const accounts =
      after.length < accountsPerRound && cursor !== null
        ? [...after, ...(await accountsWithWaitingRuns(db, null, accountsPerRound - after.length))]
        : after
    isFull = false
    for (const accountId of new Set(accounts)) {
      const room = seats.room()
      isFull ||= room <= 0
      if (room <= 0 || stopping.signal.aborted) return
      const share = Math.max(1, Math.floor(room / accounts.length))
      const active = seats.taken(accountId)
      claimingFor = accountId
      const claim = { accountId, active, share }
      const rows = await claimFor(options, current.lease, claim).catch(claimFailed)
      claimingFor = null
      cursor = accountId
      for (const row of rows) begin(row, current)
      if (rows.length === share) claimAgain = true
      // What other processes work on counts too, and only the database knows of it.
      isFull ||= db.isShared || active + rows.length >= options.activePerAccount
    }
    // All had their turn: the next round may begin anywhere.
    if (accounts.length < accountsPerRound) cursor = null
  }

  const claimFailed = (error: unknown): never => {
    claimingFor = null
    mayHaveOrphans = true
    throw error
  }

  /** Slots are for work: what only has to be ended waits for none. */
  const endStopped = async (current: NonNullable<typeof desk>) => {
    isEndingDue = false
    const rows = await claimRunsToEnd(options, current.lease).catch(claimFailed)
    for (const row of rows) begin(row, current)
  }

  const begin = (row: ClaimedRun, { lease, journal }: NonNullable<typeof desk>) => {
    const accountId = row.account_id
    const claim = claimKey(row)
    seats.take(accountId)
    const end = () => {
      running.delete(claim)
      seats.leave(accountId)
      if (isFull) void wake()
    }
    const done = runClaimed({ parts, plans, journal, lease, working, ...ends }, row).then(end)
    running.set(claim, done)
  }

  const offerPlaces = (accountId: string, wanted: number): OfferedPlaces | null => {
    const current = deskOf(keeper.current())
    const isUnsure = mayHaveOrphans || claimingFor === accountId || current.lease.lost.aborted
    if (isUnsure || stopping.signal.aborted) return null
    const { count, letGo } = seats.hold(accountId, wanted)
    if (count === 0) return null
    const started_at = clock.nowMs()
    const deadline_at = started_at + options.runTimeoutMs
    const taken = { owner: current.lease.workerId, started_at, deadline_at }
    return {
      count,
      taken,
      begin(rows) {
        letGo()
        // Those of a worker that stops are given back with all it has.
        if (stopping.signal.aborted) return
        for (const row of rows) begin(takenRun(row, taken), current)
      },
      giveBack() {
        letGo()
        mayHaveOrphans = true
        void wake()
      },
    }
  }

  const claimAll = async () => {
    while (claimAgain && !stopping.signal.aborted) {
      claimAgain = false
      await claimRound().catch(options.onError)
    }
    claiming = null
  }

  /** Resolves when there is nothing more to claim, or no place for it. */
  const wake = async () => {
    claimAgain = true
    if (!stopping.signal.aborted) claiming ??= claimAll()
    await claiming
  }

  const stopCancelled = oneAtATime(async () => {
    if (working.size === 0 || !desk) return
    for (const id of await runsToCancel(db, desk.lease.workerId)) {
      working.get(id)?.halt.stop(new RunCancelled())
    }
  })

  /** What needs nothing but memory keeps its pace, however slow the database is. */
  const tick = () => {
    void wake()
    waits.look()
    const nowMs = clock.nowMs()
    for (const work of working.values()) watch(work, nowMs)
    // One at a time: on a slow database they would pile up.
    if (!isAsking) void askStore()
  }

  const askStore = async () => {
    isAsking = true
    try {
      await stopCancelled()
      await settleLateCosts(db, clock.nowMs())
      if (ticks++ % ticksPerRound === 0) {
        await endOverdueRuns(options)
        isEndingDue = true
      }
    } catch (error) {
      options.onError(error)
    }
    isAsking = false
  }

  const watch = (work: RunWork, nowMs: number) => {
    if (nowMs > work.row.deadline_at) work.halt.stop(new RunTimeUp())
    const isNew = nowMs - (work.row.started_at ?? nowMs) < showAfterMs
    if (!work.isChanged || work.isBeingShown || isNew || work.halt.reason) return
    work.isChanged = false
    work.isBeingShown = true
    const isShown = () => (work.isBeingShown = false)
    work.journal?.show(work.lease, snapshotOf(work)).then(isShown, work.halt.stop)
  }

  const report = (promise: Promise<void>) => void promise.catch(options.onError)
  const unlisten = await Promise.all([
    db.listen('runs', () => void wake()),
    db.listen('run-cancels', () => report(stopCancelled())),
    db.listen('task-ended', waits.look),
  ])
  const timer = setInterval(tick, tickMs)
  // What an earlier process left goes on before anyone new is let in.
  await wake()
  return {
    wake: () => void wake(),
    offerPlaces,
    async stop() {
      clearInterval(timer)
      stopping.abort(new Stopping())
      waits.close()
      await Promise.all(unlisten.map((off) => off()))
      const ends = [...running.values()]
      await settled(ends, options.stopGraceMs)
      for (const work of working.values()) work.halt.stop(new Stopping())
      leaving.abort(new Stopping())
      await Promise.all(ends)
    },
  }
}

async function settled(running: readonly Promise<void>[], graceMs: number) {
  let timer: NodeJS.Timeout | undefined
  const grace = new Promise((resolve) => {
    timer = setTimeout(resolve, graceMs)
  })
  await Promise.race([Promise.all(running), grace])
  clearTimeout(timer)
}
