// Runs untrusted jobs in a few isolated processes. A job is stopped for the processor time or
// memory it uses, never because the machine is busy; if it gets no answer in time, it is refused
// as retryable. Jobs that were queued behind one that broke the process are run again, and
// accounts are served round-robin. No job runs in this process, and of a reply only its shape is
// trusted.
import { Failure } from '#core/errors.ts'
import { createFairQueue, type FairQueue } from './fair-queue.ts'
import { type End, type IsolatedProcess, type Program, startIsolated } from './isolated-process.ts'

export type Reply = { value: unknown } | { error: string } | { limit: string } | { tooDeep: string }

export type PoolOptions = {
  processes: number
  /** How long a job may wait for a process and its answer, unless the call says otherwise. */
  patienceMs?: number | undefined
  /** A process that does not answer one job for this long is replaced. */
  stallMs?: number
}

/** Infinity: the caller waits for as long as it takes. */
export type Patience = { patienceMs?: number | undefined }

type Job = {
  owner: string
  line: string
  deaths: number
  isAbandoned: boolean
  settle(reply: Reply | Failure): void
}

type Slot = {
  process: IsolatedProcess
  ready: boolean
  /** In the order they were sent, which is the order in which they are answered. */
  sent: Job[]
  unsent: string
  timer: NodeJS.Timeout | undefined
  headSinceMs: number
}

// Jobs sent ahead to one process: enough to keep it busy while an answer is on its way.
const window = 8
// Ordinary jobs take far less. No job is sent to a process whose current job takes longer.
const busyAfterMs = 20
const maxFailedStarts = 3
// Less than the 15 s that a handler of the API may take.
const defaultPatienceMs = 10_000
// The limit of processor time is about one second. A job needs this long only on a machine that is
// overloaded a hundredfold.
const defaultStallMs = 120_000

const unavailable = (message: string) =>
  new Failure('SERVICE_UNAVAILABLE', { message, retryAfterSeconds: 2 })
const busy = 'This server is too busy to run expressions and schemas now. Try again.'
const stopping = 'The server is stopping.'

type Pool = {
  readonly program: Program
  readonly stallMs: number
  readonly queue: FairQueue<Job>
  readonly slots: Set<Slot>
  failedStarts: number
  isClosed: boolean
}

export function createIsolatedPool(
  program: Program,
  { processes, patienceMs = defaultPatienceMs, stallMs = defaultStallMs }: PoolOptions,
) {
  const pool: Pool = {
    program,
    stallMs,
    queue: createFairQueue(),
    slots: new Set(),
    failedStarts: 0,
    isClosed: false,
  }
  return {
    /** Rejects with SERVICE_UNAVAILABLE if the job could not be run at all. */
    run(owner: string, job: object, options: Patience = {}): Promise<Reply> {
      if (pool.isClosed) return Promise.reject(unavailable(stopping))
      while (pool.slots.size < processes) openSlot(pool)
      const { promise, resolve, reject } = Promise.withResolvers<Reply>()
      const waiting: Job = {
        owner,
        line: `${JSON.stringify(job)}\n`,
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
    sent: [],
    unsent: '',
    timer: undefined,
    headSinceMs: 0,
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
    if ('overrun' in reply) return stop(pool, slot, { limit: reply.overrun })
    slot.sent.shift()?.settle(reply)
    watch(pool, slot)
  }
  dispatch(pool)
  if (slot.sent.length === 0) slot.process.setBusy(false)
}

/**
 * The first job that was sent is the suspect: it is repeated once, and refused if its process dies
 * again. A process that never became ready is a problem of this machine, not of a job.
 */
function onEnd(pool: Pool, slot: Slot, how: End) {
  pool.slots.delete(slot)
  clearTimeout(slot.timer)
  if (!slot.ready) pool.failedStarts++
  const [suspect, ...rest] = slot.sent
  if (suspect) {
    suspect.deaths++
    if (suspect.deaths === 1) rest.unshift(suspect)
    else if (how === 'killed') suspect.settle(unavailable(busy))
    else suspect.settle({ limit: 'It needs more than 64 MiB of memory.' })
  }
  pool.queue.putBack(rest)
  if (pool.isClosed) return
  if (pool.failedStarts >= maxFailedStarts) return refuseAll(pool, busy)
  openSlot(pool)
  dispatch(pool)
}

function refuseAll(pool: Pool, reason: string) {
  pool.failedStarts = 0
  for (const job of pool.queue.removeAll()) job.settle(unavailable(reason))
}

function dispatch(pool: Pool) {
  while (!pool.queue.isEmpty()) {
    const slot = freest(pool.slots)
    if (!slot) return
    const job = pool.queue.next()
    if (!job || job.isAbandoned) continue
    slot.sent.push(job)
    if (slot.sent.length === 1) {
      slot.process.setBusy(true)
      watch(pool, slot)
    }
    send(slot, job.line)
  }
}

/** Restarts the stall timer for the job at the head of the process's queue. */
function watch(pool: Pool, slot: Slot) {
  clearTimeout(slot.timer)
  const [head] = slot.sent
  if (!head) return
  slot.headSinceMs = performance.now()
  slot.timer = setTimeout(() => {
    // The answer may have arrived while this process was too busy to read it.
    setImmediate(() => {
      if (slot.sent[0] === head) stop(pool, slot, unavailable(busy))
    })
  }, pool.stallMs)
}

/** Ends the first job and its process. The jobs behind it return to the head of their queues. */
function stop(pool: Pool, slot: Slot, reply: Reply | Failure) {
  const [head, ...rest] = slot.sent.splice(0)
  pool.queue.putBack(rest)
  if (head) {
    pool.queue.serveLast(head.owner)
    head.settle(reply)
  }
  slot.process.kill()
}

function freest(slots: Iterable<Slot>): Slot | undefined {
  const now = performance.now()
  let best: Slot | undefined
  for (const slot of slots) {
    const isStuck = slot.sent.length > 0 && now - slot.headSinceMs > busyAfterMs
    if (!slot.ready || isStuck) continue
    if (slot.sent.length < (best?.sent.length ?? window)) best = slot
  }
  return best
}

/** Jobs of one tick share a write. */
function send(slot: Slot, line: string) {
  if (slot.unsent === '') {
    setImmediate(() => {
      const text = slot.unsent
      slot.unsent = ''
      slot.process.send(text)
    })
  }
  slot.unsent += line
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
