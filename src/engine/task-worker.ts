// Claims tasks and executes them, fair between accounts. Everything it knows is in the store:
// killed at any point, another worker goes on from the last commit.
import { type Clock, delay } from '#core/clock.ts'
import type { Db } from '#store/db.ts'
import { lockList } from '#store/sequences.ts'
import {
  accountsWithWaitingTasks,
  claimTasks,
  countOwnedTasks,
  failOverdueTasks,
  LeaseLost,
  releaseUntil,
  type TaskRow,
} from '#store/tasks.ts'
import { executeTask } from './execute-task.ts'
import type { Lease, LeaseKeeper } from './lease-keeper.ts'
import { Stopping, TimeUp } from './poll-job.ts'
import { leaseOf, type TaskParts } from './task-work.ts'

export type TaskWorkerOptions = {
  db: Db
  clock: Clock
  parts: TaskParts
  keeper: LeaseKeeper
  /** In this process, over all accounts. */
  capacity: number
  inFlightPerAccount: number
  imageTimeoutMs: number
  videoTimeoutMs: number
  /** How long a stop waits for calls that have left and whose answer must be recorded. */
  stopGraceMs: number
  onError(error: unknown, taskId?: string): void
}

export type TaskWorker = { wake(): void; stop(): Promise<void> }

// The safety net behind wake-ups, and the resolution of retries.
const pollMs = 500
const accountsPerRound = 100
const giveBackPauseMs = 2_000

const tooLongInQueue = JSON.stringify({
  code: 'SERVICE_UNAVAILABLE',
  message: 'The task waited too long for its turn. Nothing was sent to a provider.',
  retryable: true,
})

export async function startTaskWorker(options: TaskWorkerOptions): Promise<TaskWorker> {
  const { db, clock, keeper } = options
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()
  let cursor: string | null = null
  let isClaiming = false
  let claimAgain = false

  const claimRound = async () => {
    await failOverdueTasks(db, clock.nowMs(), tooLongInQueue)
    const lease = keeper.current()
    // From where the last round ended, then from the start: every account gets its turn.
    const after = await accountsWithWaitingTasks(db, cursor, accountsPerRound)
    const accounts =
      after.length < accountsPerRound && cursor !== null
        ? [...after, ...(await accountsWithWaitingTasks(db, null, accountsPerRound - after.length))]
        : after
    for (const accountId of new Set(accounts)) {
      const room = options.capacity - running.size
      if (room <= 0 || stopping.signal.aborted) return
      const share = Math.max(1, Math.floor(room / accounts.length))
      const rows = await claimFor(options, lease, accountId, share)
      cursor = accountId
      for (const row of rows) run(row, lease)
      if (rows.length === share) claimAgain = true
    }
  }
  const run = (row: TaskRow, lease: Lease) => {
    const done = runTask(options, row, lease, stopping.signal).finally(() => {
      running.delete(done)
      wake()
    })
    running.add(done)
  }
  const wake = () => {
    claimAgain = true
    if (isClaiming || stopping.signal.aborted) return
    isClaiming = true
    void (async () => {
      while (claimAgain && !stopping.signal.aborted) {
        claimAgain = false
        await claimRound().catch(options.onError)
      }
      isClaiming = false
    })()
  }
  const unlisten = await db.listen('tasks', wake)
  const timer = setInterval(wake, pollMs)
  wake()
  return {
    wake,
    async stop() {
      clearInterval(timer)
      stopping.abort(new Stopping())
      await unlisten()
      let graceTimer: NodeJS.Timeout | undefined
      const grace = new Promise((resolve) => {
        graceTimer = setTimeout(resolve, options.stopGraceMs)
      })
      await Promise.race([Promise.all(running), grace])
      clearTimeout(graceTimer)
    },
  }
}

async function claimFor(
  options: TaskWorkerOptions,
  lease: Lease,
  accountId: string,
  share: number,
): Promise<TaskRow[]> {
  const { db, clock } = options
  return db.transaction(async (tx) => {
    await lockList(tx, accountId, 'tasks')
    const room = options.inFlightPerAccount - (await countOwnedTasks(tx, accountId))
    if (room <= 0) return []
    const nowMs = clock.nowMs()
    return claimTasks(tx, db.skipLocked, {
      workerId: lease.workerId,
      accountId,
      limit: Math.min(room, share),
      nowMs,
      imageDeadlineMs: nowMs + options.imageTimeoutMs,
      videoDeadlineMs: nowMs + options.videoTimeoutMs,
    })
  })
}

async function runTask(
  options: TaskWorkerOptions,
  row: TaskRow,
  lease: Lease,
  stopping: AbortSignal,
): Promise<void> {
  const timeLimit = new AbortController()
  const remainingMs = row.deadline_at - options.clock.nowMs()
  if (remainingMs <= 0) timeLimit.abort(new TimeUp())
  const timer = setTimeout(() => timeLimit.abort(new TimeUp()), Math.max(remainingMs, 0))
  try {
    await executeTask(options.parts, {
      row,
      lease: leaseOf(row, lease.workerId),
      request: JSON.parse(row.request),
      signal: AbortSignal.any([timeLimit.signal, lease.lost]),
      stopping,
    })
  } catch (error) {
    // Whoever has the lease now goes on; a stopping process gives it back.
    if (error instanceof LeaseLost || error instanceof Stopping) return
    options.onError(error, row.id)
    await giveBack(options, row, lease, stopping)
  } finally {
    clearTimeout(timer)
  }
}

/** After an error nobody foresaw: without this the task would stay ours, and idle, for ever. */
async function giveBack(
  options: TaskWorkerOptions,
  row: TaskRow,
  lease: Lease,
  stopping: AbortSignal,
) {
  const { db, clock } = options
  const until = AbortSignal.any([lease.lost, stopping])
  while (!until.aborted) {
    try {
      return await db.transaction((tx) =>
        releaseUntil(tx, leaseOf(row, lease.workerId), clock.nowMs() + giveBackPauseMs),
      )
    } catch (error) {
      if (error instanceof LeaseLost) return
      await delay(giveBackPauseMs, until).catch(() => undefined)
    }
  }
}
