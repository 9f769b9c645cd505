// Claims tasks and executes them, fair between accounts. Everything it knows is in the store:
// killed at any point, another worker goes on from the last commit.
import { after, delay } from '#core/clock.ts'
import { Stopping, TimeUp } from '#core/interruptions.ts'
import { lockList } from '#store/tables/sequences.ts'
import {
  accountsWithWaitingTasks,
  claimTasks,
  countOwnedTasks,
  failOverdueTasks,
  LeaseLost,
  releaseUntil,
  type TaskRow,
} from '#store/tables/tasks.ts'
import { claimKey, releaseOrphanedClaims } from '#store/tables/work-owners.ts'
import { executeTask } from './execute-task.ts'
import type { Lease, LeaseKeeper } from './lease-keeper.ts'
import { releaseOrFail } from './release-task.ts'
import { leaseOf, type TaskParts, type TaskWork } from './task-work.ts'

export type TaskWorkerOptions = {
  parts: TaskParts
  keeper: LeaseKeeper
  /** In this process, over all accounts. */
  capacity: number
  inFlightPerAccount: number
  imageTimeoutMs: number
  videoTimeoutMs: number
  /** How long a stop waits for calls that have left and whose answer must be recorded. */
  stopGraceMs: number
}

export type TaskWorker = { wake(): void; stop(): Promise<void> }

// The safety net behind wake-ups, and the resolution of retries.
const pollMs = 500
const accountsPerRound = 100

const tooLongInQueue = JSON.stringify({
  code: 'SERVICE_UNAVAILABLE',
  message: 'The task waited too long for its turn. Nothing was sent to a provider.',
  retryable: true,
})

export async function startTaskWorker(options: TaskWorkerOptions): Promise<TaskWorker> {
  const { keeper } = options
  const { db, clock } = options.parts
  /** By claim. */
  const running = new Map<string, Promise<void>>()
  const stopping = new AbortController()
  const dropping = new AbortController()
  let cursor: string | null = null
  let claiming: Promise<void> | null = null
  let claimAgain = false
  let mayHaveOrphans = false

  const claimRound = async () => {
    await failOverdueTasks(db, clock.nowMs(), tooLongInQueue)
    const lease = keeper.current()
    if (mayHaveOrphans) await releaseOrphanedClaims(db, 'tasks', lease.workerId, running)
    mayHaveOrphans = false
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
      // Until its answer is here, what it claimed is owned and not worked on.
      mayHaveOrphans = true
      const rows = await claimFor(options, lease, accountId, share)
      mayHaveOrphans = false
      cursor = accountId
      // Claimed too late: they go back with the lease.
      if (stopping.signal.aborted) return
      for (const row of rows) run(row, lease)
      if (rows.length === share) claimAgain = true
    }
  }
  const run = (row: TaskRow, lease: Lease) => {
    const lost = AbortSignal.any([lease.lost, dropping.signal])
    const done = runTask(options, row, {
      lease,
      lost,
      stopping: stopping.signal,
    }).finally(() => {
      running.delete(claimKey(row))
      wake()
    })
    running.set(claimKey(row), done)
  }
  const claimWhileThereIsMore = async () => {
    while (claimAgain && !stopping.signal.aborted) {
      claimAgain = false
      await claimRound().catch(options.parts.onError)
    }
    claiming = null
  }
  const wake = () => {
    claimAgain = true
    if (!stopping.signal.aborted) claiming ??= claimWhileThereIsMore()
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
      await claiming
      const grace = new AbortController()
      const finished = Promise.all(running.values()).then(() => grace.abort())
      await delay(options.stopGraceMs, grace.signal).catch(() => undefined)
      dropping.abort(new Stopping())
      await finished
    },
  }
}

async function claimFor(
  options: TaskWorkerOptions,
  lease: Lease,
  accountId: string,
  share: number,
): Promise<TaskRow[]> {
  const { db, clock } = options.parts
  return db.transaction(async (tx) => {
    await lockList(tx, accountId, 'tasks')
    const room = options.inFlightPerAccount - (await countOwnedTasks(tx, accountId))
    if (room <= 0) return []
    const nowMs = clock.nowMs()
    return claimTasks(tx, {
      workerId: lease.workerId,
      accountId,
      limit: Math.min(room, share),
      nowMs,
      imageDeadlineMs: nowMs + options.imageTimeoutMs,
      videoDeadlineMs: nowMs + options.videoTimeoutMs,
    })
  })
}

type Holding = Pick<TaskWork, 'lost' | 'stopping'> & { lease: Lease }

async function runTask(options: TaskWorkerOptions, row: TaskRow, holding: Holding): Promise<void> {
  const { lease, lost, stopping } = holding
  const timeLimit = new AbortController()
  const remainingMs = row.deadline_at - options.parts.clock.nowMs()
  if (remainingMs <= 0) timeLimit.abort(new TimeUp())
  const callOff = after(Math.max(remainingMs, 0), () => timeLimit.abort(new TimeUp()))
  try {
    const work = {
      row,
      lease: leaseOf(row, lease.workerId),
      request: JSON.parse(row.request),
      signal: AbortSignal.any([timeLimit.signal, lost]),
      lost,
      stopping,
    }
    await executeTask(options.parts, work).catch((error: unknown) => {
      if (error instanceof Stopping) return letGo(options, row, holding)
      return releaseOrFail(options.parts, work, error)
    })
  } finally {
    callOff()
  }
}

/** Others go on with it while this process still waits for answers to its calls. */
async function letGo({ parts }: TaskWorkerOptions, row: TaskRow, { lease }: Holding) {
  const { db, clock } = parts
  const released = db.transaction(async (tx) => {
    await releaseUntil(tx, leaseOf(row, lease.workerId), clock.nowMs())
    tx.notify('tasks')
  })
  await released.catch((error: unknown) => {
    if (!(error instanceof LeaseLost)) parts.onError(error, row.id)
  })
}
