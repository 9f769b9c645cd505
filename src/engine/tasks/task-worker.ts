// Claims tasks and executes them, fair between accounts. Everything it knows is in the store: if it
// is killed at any point, another worker continues from the last commit.
import { LeaseLost, Stopping, TimeUp } from '#core/interruptions.ts'
import { claimOf, type TaskRow } from '#store/engine-store.ts'
import { ClaimLoop } from '../work/claim-loop.ts'
import type { Lease, LeaseKeeper } from '../work/lease-keeper.ts'
import { createSlots, perAccount } from '../work/slots.ts'
import { executeTask } from './execute-task.ts'
import { releaseTask } from './release-task.ts'
import type { TaskDeps, TaskWork } from './task-work.ts'

export type TaskWorkerOptions = {
  deps: TaskDeps
  keeper: LeaseKeeper
  /** Tasks at once in this process, over all accounts. */
  capacity: number
  inFlightPerAccount: number
  imageTimeoutMs: number
  videoTimeoutMs: number
  /** How long a stop waits for calls that were sent and whose answers must be recorded. */
  stopGraceMs: number
}

export type TaskWorker = { wake(): void; stop(): Promise<void> }

const queuesPerRound = 100

const tooLongInQueue = JSON.stringify({
  code: 'SERVICE_UNAVAILABLE',
  message: 'The task waited too long for its turn. Nothing was sent to a provider.',
  retryable: true,
})

export async function startTaskWorker(options: TaskWorkerOptions): Promise<TaskWorker> {
  const { deps, keeper, stopGraceMs, imageTimeoutMs, videoTimeoutMs } = options
  const { tasks, clock, onError } = deps
  const times = () => {
    const nowMs = clock.nowMs()
    return [nowMs, nowMs + imageTimeoutMs, nowMs + videoTimeoutMs]
  }
  const loop: ClaimLoop<TaskRow> = new ClaimLoop({
    ...{ keeper, clock, queuesPerRound, stopGraceMs, onError },
    store: tasks.claims(times),
    slots: createSlots({
      inProcess: options.capacity,
      of: perAccount(options.inFlightPerAccount),
    }),
    async prepare() {
      await tasks.failOverdue(clock.nowMs(), tooLongInQueue)
      return []
    },
    carryOut: (row, lease) => carryOut(deps, row, lease, loop),
  })
  await loop.start()
  return { wake: () => void loop.wake(), stop: () => loop.stop() }
}

async function carryOut(
  deps: TaskDeps,
  row: TaskRow,
  lease: Lease,
  { stopping, leaving }: { stopping: AbortSignal; leaving: AbortSignal },
): Promise<void> {
  const lost = AbortSignal.any([lease.lost, leaving])
  const timeLimit = new AbortController()
  const remainingMs = row.deadline_at - deps.clock.nowMs()
  if (remainingMs <= 0) timeLimit.abort(new TimeUp())
  const callOff = deps.clock.after(Math.max(remainingMs, 0), () => timeLimit.abort(new TimeUp()))
  const work: TaskWork = {
    row,
    claim: claimOf(row, lease.workerId),
    request: row.request.value,
    signal: AbortSignal.any([timeLimit.signal, lost]),
    lost,
    isCertain: lease.isCertain,
    stopping,
  }
  try {
    await executeTask(deps, work)
  } catch (error) {
    if (error instanceof Stopping) await handOver(deps, work)
    else await releaseTask(deps, work, error)
  } finally {
    callOff()
  }
}

/** Lets others continue the task while this process still waits for answers to its calls. */
async function handOver({ tasks, clock, onError }: TaskDeps, { row, claim }: TaskWork) {
  await tasks.handOver(claim, clock.nowMs()).catch((error: unknown) => {
    if (!(error instanceof LeaseLost)) onError(error, row.id)
  })
}
