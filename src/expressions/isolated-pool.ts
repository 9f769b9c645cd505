// Runs jobs of strangers in a few isolated processes. Promises: a job is stopped by the processor
// time or memory it uses, never by how long a busy machine takes over it; one that gets no
// answer in time is refused as retryable; a job whose neighbour broke the process is run again;
// accounts take turns. Never runs a job in this process, and never trusts what a process answers
// beyond its shape.
import { Failure } from '#core/errors.ts'
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

export function createIsolatedPool(
  program: Program,
  { processes, patienceMs = defaultPatienceMs, stallMs = defaultStallMs }: PoolOptions,
) {
  const queues = new Map<string, Job[]>()
  const slots = new Set<Slot>()
  let failedStarts = 0
  let closed = false

  function openSlot() {
    const slot: Slot = {
      process: startIsolated(program, {
        line: (line) => onLine(slot, line),
        end: (how) => onEnd(slot, how),
      }),
      ready: false,
      sent: [],
      unsent: '',
      timer: undefined,
      headSinceMs: 0,
    }
    slots.add(slot)
  }

  function onLine(slot: Slot, line: string) {
    if (!slot.ready) {
      slot.ready = true
      failedStarts = 0
    } else {
      const reply = readReply(line)
      if (!reply) return slot.process.kill()
      if ('overrun' in reply) return stop(slot, { limit: reply.overrun })
      slot.sent.shift()?.settle(reply)
      watch(slot)
    }
    dispatch()
    if (slot.sent.length === 0) slot.process.setBusy(false)
  }

  /** A process that never got ready says more about this machine than about a job. */
  function onEnd(slot: Slot, how: End) {
    slots.delete(slot)
    clearTimeout(slot.timer)
    if (!slot.ready) failedStarts++
    const [suspect, ...rest] = slot.sent
    if (suspect) {
      suspect.deaths++
      if (suspect.deaths === 1) rest.unshift(suspect)
      else if (how === 'killed') suspect.settle(unavailable(busy))
      else suspect.settle({ limit: 'It needs more than 64 MiB of memory.' })
    }
    for (const job of rest.reverse()) enqueue(job, 'front')
    if (closed) return
    if (failedStarts >= maxFailedStarts) return refuseAll(busy)
    openSlot()
    dispatch()
  }

  function refuseAll(reason: string) {
    failedStarts = 0
    const waiting = [...queues.values()].flat()
    queues.clear()
    for (const job of waiting) job.settle(unavailable(reason))
  }

  function enqueue(job: Job, where: 'front' | 'back') {
    const queue = queues.get(job.owner)
    if (!queue) queues.set(job.owner, [job])
    else if (where === 'back') queue.push(job)
    else queue.unshift(job)
  }

  /** Accounts take turns: the one served goes to the end of the line. */
  function takeNext(): Job | undefined {
    for (const [owner, queue] of queues) {
      queues.delete(owner)
      const job = queue.shift()
      if (queue.length > 0) queues.set(owner, queue)
      if (job && !job.isAbandoned) return job
    }
    return undefined
  }

  function dispatch() {
    while (queues.size > 0) {
      const slot = freest(slots)
      if (!slot) return
      const job = takeNext()
      if (!job) continue
      slot.sent.push(job)
      if (slot.sent.length === 1) {
        slot.process.setBusy(true)
        watch(slot)
      }
      send(slot, job.line)
    }
  }

  /** Restarts the clock for the job at the head. */
  function watch(slot: Slot) {
    clearTimeout(slot.timer)
    const [head] = slot.sent
    if (!head) return
    slot.headSinceMs = performance.now()
    slot.timer = setTimeout(() => {
      // An answer may have come while this process was too busy to read it.
      setImmediate(() => {
        if (slot.sent[0] === head) stop(slot, unavailable(busy))
      })
    }, stallMs)
  }

  /** The rest goes to another process without blame, and before more from the same account. */
  function stop(slot: Slot, reply: Reply | Failure) {
    const [head, ...rest] = slot.sent.splice(0)
    for (const job of rest.reverse()) enqueue(job, 'front')
    if (head) {
      const more = queues.get(head.owner)
      if (more && queues.delete(head.owner)) queues.set(head.owner, more)
      head.settle(reply)
    }
    slot.process.kill()
  }

  return {
    /** Rejects with SERVICE_UNAVAILABLE where nothing can be said of the job itself. */
    run(owner: string, job: object, options: Patience = {}): Promise<Reply> {
      if (closed) return Promise.reject(unavailable(stopping))
      while (slots.size < processes) openSlot()
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
      enqueue(waiting, 'back')
      dispatch()
      return promise
    },
    close() {
      closed = true
      for (const slot of [...slots]) slot.process.kill()
      refuseAll(stopping)
    },
  }
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

/** Jobs of one turn leave in one write. */
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
