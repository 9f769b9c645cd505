// Runs jobs of strangers in a few isolated processes. Promises: each job is answered, or stopped
// after its time; a job whose neighbour broke the process is run again; accounts take turns.
// Never runs a job in this process, and never trusts what a process answers beyond its shape.
import { type IsolatedProcess, type Program, startIsolated } from './isolated-process.ts'

export type Reply = { value: unknown } | { error: string } | { limit: string }

type PoolOptions = { processes: number; limitMs: number }

type Job = { owner: string; line: string; deaths: number; resolve(reply: Reply): void }

type Seat = {
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

export function createIsolatedPool(program: Program, { processes, limitMs }: PoolOptions) {
  const queues = new Map<string, Job[]>()
  const seats = new Set<Seat>()
  let failedStarts = 0
  let closed = false

  function openSeat() {
    const seat: Seat = {
      process: startIsolated(program, {
        line: (line) => onLine(seat, line),
        end: () => onEnd(seat),
      }),
      ready: false,
      sent: [],
      unsent: '',
      timer: undefined,
      headSinceMs: 0,
    }
    seats.add(seat)
  }

  function onLine(seat: Seat, line: string) {
    if (!seat.ready) {
      seat.ready = true
      failedStarts = 0
    } else {
      const reply = readReply(line)
      if (!reply) return seat.process.kill()
      seat.sent.shift()?.resolve(reply)
      watch(seat)
    }
    dispatch()
    if (seat.sent.length === 0) seat.process.setBusy(false)
  }

  /** A process that never got ready says more about this machine than about a job. */
  function onEnd(seat: Seat) {
    seats.delete(seat)
    clearTimeout(seat.timer)
    if (!seat.ready) failedStarts++
    const [suspect, ...rest] = seat.sent
    if (suspect) {
      suspect.deaths++
      if (suspect.deaths > 1) suspect.resolve({ limit: 'It needs more than 64 MiB of memory.' })
      else rest.unshift(suspect)
    }
    for (const job of rest.reverse()) enqueue(job, 'front')
    if (closed) return
    if (failedStarts >= maxFailedStarts) return failAll('Expressions cannot be evaluated now.')
    openSeat()
    dispatch()
  }

  function failAll(reason: string) {
    failedStarts = 0
    const waiting = [...queues.values()].flat()
    queues.clear()
    for (const job of waiting) job.resolve({ limit: reason })
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
      return job
    }
    return undefined
  }

  function dispatch() {
    while (queues.size > 0) {
      const seat = freest(seats)
      if (!seat) return
      const job = takeNext()
      if (!job) return
      seat.sent.push(job)
      if (seat.sent.length === 1) {
        seat.process.setBusy(true)
        watch(seat)
      }
      send(seat, job.line)
    }
  }

  /** Restarts the clock for the job at the head. */
  function watch(seat: Seat) {
    clearTimeout(seat.timer)
    const [head] = seat.sent
    if (!head) return
    seat.headSinceMs = performance.now()
    seat.timer = setTimeout(() => {
      // An answer may have come while this process was too busy to read it.
      setImmediate(() => {
        if (seat.sent[0] === head) stop(seat, head)
      })
    }, limitMs)
  }

  /** The rest goes to another process without blame, and before more from the same account. */
  function stop(seat: Seat, head: Job) {
    const [, ...rest] = seat.sent.splice(0)
    for (const job of rest.reverse()) enqueue(job, 'front')
    const more = queues.get(head.owner)
    if (more && queues.delete(head.owner)) queues.set(head.owner, more)
    head.resolve({ limit: `It takes longer than ${limitMs} ms.` })
    seat.process.kill()
  }

  return {
    run(owner: string, job: object): Promise<Reply> {
      if (closed) return Promise.resolve({ limit: 'The server is stopping.' })
      while (seats.size < processes) openSeat()
      return new Promise((resolve) => {
        enqueue({ owner, line: `${JSON.stringify(job)}\n`, deaths: 0, resolve }, 'back')
        dispatch()
      })
    },
    close() {
      closed = true
      for (const seat of [...seats]) seat.process.kill()
      failAll('The server is stopping.')
    },
  }
}

function freest(seats: Iterable<Seat>): Seat | undefined {
  const now = performance.now()
  let best: Seat | undefined
  for (const seat of seats) {
    const isStuck = seat.sent.length > 0 && now - seat.headSinceMs > busyAfterMs
    if (!seat.ready || isStuck) continue
    if (seat.sent.length < (best?.sent.length ?? window)) best = seat
  }
  return best
}

/** Jobs of one turn leave in one write. */
function send(seat: Seat, line: string) {
  if (seat.unsent === '') {
    setImmediate(() => {
      const text = seat.unsent
      seat.unsent = ''
      seat.process.send(text)
    })
  }
  seat.unsent += line
}

function readReply(line: string): Reply | undefined {
  try {
    const reply: unknown = JSON.parse(line)
    if (typeof reply !== 'object' || reply === null) return undefined
    if ('value' in reply) return { value: reply.value }
    if ('error' in reply) return { error: String(reply.error) }
    if ('limit' in reply) return { limit: String(reply.limit) }
    return undefined
  } catch {
    return undefined
  }
}
