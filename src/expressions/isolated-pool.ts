// Runs jobs of strangers in a few isolated processes. Promises: a job is stopped by the processor
// time or memory it uses, never by how long a busy machine takes over it; one that gets no
// answer in time is refused as retryable; a job whose neighbour broke the process is run again;
// accounts take turns. Never runs a job in this process, and never trusts what a process answers
// beyond its shape.
import { Failure } from '#core/errors.ts'
import { createFairQueue, type FairQueue } from './fair-queue.ts'
import { type End, type IsolatedProcess, type Program, startIsolated } from './isolated-process.ts'

export type Reply = { value: unknown } | { error: string } | { limit: string } | { tooDeep: string }

export type PoolOptions = {
  processes: number
  /** How long a job may wait for a process and its answer, if it does not say otherwise. */
  patienceMs?: number | undefined
  /** A process that is silent for so long at one job is replaced. */
  stallMs?: number
}

/** Infinity: whoever asks has all the time it takes. */
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
  /** In the order sent, which is the order of the answers. */
  sent: Job[]
  unsent: string
  timer: NodeJS.Timeout | undefined
  headSinceMs: number
}

// Enough to keep a process busy while an answer travels.
const window = 8
// Ordinary jobs take far less: nothing is queued behind one that is still busy after this.
const busyAfterMs = 20
const maxFailedStarts = 3
// Below the 15 s that a handler of the API may take.
const defaultPatienceMs = 10_000
// A job at its limit of processor time needs this long only on a machine a hundred times overloaded.
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
    /** Rejects with SERVICE_UNAVAILABLE where nothing can be said of the job itself. */
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

/** A process that never got ready says more about this machine than about a job. */
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

/** Restarts the clock for the job at the head. */
function watch(pool: Pool, slot: Slot) {
  clearTimeout(slot.timer)
  const [head] = slot.sent
  if (!head) return
  slot.headSinceMs = performance.now()
  slot.timer = setTimeout(() => {
    // An answer may have come while this process was too busy to read it.
    setImmediate(() => {
      if (slot.sent[0] === head) stop(pool, slot, unavailable(busy))
    })
  }, pool.stallMs)
}

/** The rest goes to another process without blame, and before more from the same account. */
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

/** Jobs of one tick leave in one write. */
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
