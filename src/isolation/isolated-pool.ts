// Runs untrusted jobs in a few isolated processes. A job is stopped for the processor time or
// memory it uses, never because the machine is busy; if it gets no answer in time, it is refused
// as retryable. Accounts are served round-robin, one job to a process at a time: a job that was sent
// ahead would keep its turn, however many accounts came since. No job runs in this process, and of a
// reply only its shape is trusted.
import { Failure } from '#core/errors.ts'
import { createFairQueue, type FairQueue } from './fair-queue.ts'
import { type End, type IsolatedProcess, type Program, startIsolated } from './isolated-process.ts'

export type Reply = { value: unknown } | { error: string } | { limit: string } | { tooDeep: string }

export type PoolOptions = {
  /** At most so many: the first is started for the first job, another when all of them are busy. */
  processes: number
  /** How long a job may wait for a process and its answer, unless the call says otherwise. */
  patienceMs?: number | undefined
  /** A process that does not answer one job for this long is replaced. */
  stallMs?: number
  /** A process without a job for this long is ended; the next job starts another. */
  idleMs?: number
}

/** Infinity: the caller waits for as long as it takes. */
export type Patience = { patienceMs?: number | undefined }

type Job = {
  owner: string
  line: string
  /** What the process reads after the line. */
  bytes: Uint8Array | undefined
  deaths: number
  isAbandoned: boolean
  settle(reply: Reply | Failure): void
}

type Slot = {
  process: IsolatedProcess
  ready: boolean
  job: Job | undefined
  timer: NodeJS.Timeout | undefined
  isRetired: boolean
}

const maxFailedStarts = 3
// Less than the 15 s that a handler of the API takes by default.
const defaultPatienceMs = 10_000
// The limit of processor time is about one second. A job needs this long only on a machine that is
// overloaded a hundredfold.
const defaultStallMs = 120_000

const unavailable = (message: string) =>
  new Failure('SERVICE_UNAVAILABLE', { message, retryAfterSeconds: 2 })

/** No process came up, which says nothing about the job. */
export class NotStarted extends Failure {
  constructor(message: string) {
    super('SERVICE_UNAVAILABLE', { message, retryAfterSeconds: 2 })
  }
}
const busy = 'This server is too busy to run expressions and schemas now. Try again.'
const stopping = 'The server is stopping.'

type Pool = {
  readonly program: Program
  readonly processes: number
  readonly stallMs: number
  readonly idleMs: number | undefined
  readonly queue: FairQueue<Job>
  readonly slots: Set<Slot>
  failedStarts: number
  isClosed: boolean
}

export function createIsolatedPool(
  program: Program,
  { processes, patienceMs = defaultPatienceMs, stallMs = defaultStallMs, idleMs }: PoolOptions,
) {
  const pool: Pool = {
    program,
    processes,
    stallMs,
    idleMs,
    queue: createFairQueue(),
    slots: new Set(),
    failedStarts: 0,
    isClosed: false,
  }
  return {
    /** Rejects with SERVICE_UNAVAILABLE if the job could not be run at all. */
    run(
      owner: string,
      job: object,
      options: Patience & { bytes?: Uint8Array } = {},
    ): Promise<Reply> {
      if (pool.isClosed) return Promise.reject(unavailable(stopping))
      const { promise, resolve, reject } = Promise.withResolvers<Reply>()
      const waiting: Job = {
        owner,
        line: `${JSON.stringify(job)}\n`,
        bytes: options.bytes,
        deaths: 0,
        isAbandoned: false,
        settle(reply) {
          clearTimeout(timer)
          if (reply instanceof Failure) reject(reply)
          else resolve(reply)
        },
      }
      const { patienceMs: ownPatienceMs = patienceMs } = options
      const giveUp = () => {
        waiting.isAbandoned = true
        reject(unavailable(busy))
      }
      const timer = Number.isFinite(ownPatienceMs) ? setTimeout(giveUp, ownPatienceMs) : undefined
      pool.queue.append(waiting)
      dispatch(pool)
      return promise
    },
    close() {
      pool.isClosed = true
      for (const slot of [...pool.slots]) slot.process.kill()
      refuseAll(pool, stopping)
    },
  }
}

function openSlot(pool: Pool) {
  const slot: Slot = {
    process: startIsolated(pool.program, {
      line: (line) => onLine(pool, slot, line),
      end: (how) => onEnd(pool, slot, how),
    }),
    ready: false,
    job: undefined,
    timer: undefined,
    isRetired: false,
  }
  pool.slots.add(slot)
}

function onLine(pool: Pool, slot: Slot, line: string) {
  if (!slot.ready) {
    slot.ready = true
    pool.failedStarts = 0
  } else {
    const reply = readReply(line)
    if (!reply) return slot.process.kill()
    if ('overrun' in reply) return stop(slot, { limit: reply.overrun })
    freeSlot(slot)?.settle(reply)
  }
  dispatch(pool)
  if (slot.job) return
  slot.process.setBusy(false)
  if (pool.idleMs !== undefined) slot.timer = setTimeout(() => retire(slot), pool.idleMs).unref()
}

function retire(slot: Slot) {
  slot.isRetired = true
  slot.process.kill()
}

/**
 * A job whose process died is repeated once, and refused if its process dies again. A process that
 * never became ready is a problem of this machine, not of a job.
 */
function onEnd(pool: Pool, slot: Slot, how: End) {
  pool.slots.delete(slot)
  if (!slot.ready) pool.failedStarts++
  const suspect = freeSlot(slot)
  if (suspect) {
    suspect.deaths++
    if (suspect.deaths === 1) pool.queue.putBack(suspect)
    else if (how === 'killed') suspect.settle(unavailable(busy))
    else suspect.settle({ limit: 'It needs more than 64 MiB of memory.' })
  }
  if (pool.isClosed || (slot.isRetired && pool.queue.isEmpty())) return
  if (pool.failedStarts >= maxFailedStarts) return refuseAll(pool, busy)
  openSlot(pool)
  dispatch(pool)
}

function refuseAll(pool: Pool, reason: string) {
  pool.failedStarts = 0
  for (const job of pool.queue.removeAll()) job.settle(new NotStarted(reason))
}

function dispatch(pool: Pool) {
  for (const slot of pool.slots) {
    if (!slot.ready || slot.job) continue
    const job = nextJob(pool)
    if (!job) return
    slot.job = job
    clearTimeout(slot.timer)
    slot.timer = setTimeout(() => onStall(slot, job), pool.stallMs)
    slot.process.setBusy(true)
    slot.process.send(job.line)
    if (job.bytes) slot.process.send(job.bytes)
  }
  if (pool.queue.isEmpty() || pool.slots.size >= pool.processes) return
  if ([...pool.slots].every(({ ready }) => ready)) openSlot(pool)
}

function nextJob({ queue, slots }: Pool): Job | undefined {
  const running = (owner: string) => [...slots].filter(({ job }) => job?.owner === owner).length
  let job = queue.next(running)
  while (job?.isAbandoned) job = queue.next(running)
  return job
}

/** Stops a job that got no answer, unless the answer arrived while this process was too busy. */
function onStall(slot: Slot, job: Job) {
  setImmediate(() => {
    if (slot.job === job) stop(slot, unavailable(busy))
  })
}

function stop(slot: Slot, reply: Reply | Failure) {
  freeSlot(slot)?.settle(reply)
  slot.process.kill()
}

function freeSlot(slot: Slot): Job | undefined {
  clearTimeout(slot.timer)
  const { job } = slot
  slot.job = undefined
  return job
}

function readReply(line: string): Reply | { overrun: string } | undefined {
  try {
    const reply: unknown = JSON.parse(line)
    if (typeof reply !== 'object' || reply === null) return undefined
    if ('value' in reply) return { value: reply.value }
    if ('error' in reply) return { error: String(reply.error) }
    if ('limit' in reply) return { limit: String(reply.limit) }
    if ('overrun' in reply) return { overrun: String(reply.overrun) }
    if ('tooDeep' in reply) return { tooDeep: String(reply.tooDeep) }
    return undefined
  } catch {
    return undefined
  }
}
