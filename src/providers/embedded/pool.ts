// A few worker threads behind a queue. Promises that a thread starts with its first job, that an
// idle one keeps no process alive, and that one that dies fails its own job and no other.
import type { Worker } from 'node:worker_threads'
import type { StopSignal } from '#core/stop.ts'
import { ProviderError } from '../provider.ts'

type Pool<Job, Reply> = {
  run(job: Job, signal: StopSignal): Promise<Reply>
  close(): Promise<void>
}

type Task<Job, Reply> = {
  job: Job
  signal: StopSignal
  onAbort: () => void
  resolve(reply: Reply): void
  reject(error: unknown): void
}

/** Threads that answer each message with exactly one. */
export function createPool<Job, Reply>(options: {
  size: number
  maxWaiting: number
  start: () => Worker
}): Pool<Job, Reply> {
  const waiting: Task<Job, Reply>[] = []
  const idle: Worker[] = []
  const busy = new Map<Worker, Task<Job, Reply>>()
  let closed = false

  function assign(): void {
    while (!closed && waiting.length > 0) {
      const worker = idle.pop() ?? (busy.size < options.size ? open() : undefined)
      const task = worker && waiting.shift()
      if (!worker || !task) return
      busy.set(worker, task)
      worker.ref()
      worker.postMessage(task.job)
    }
  }

  function open(): Worker {
    const worker = options.start()
    worker.on('message', (reply: Reply) => {
      release(worker)?.resolve(reply)
      worker.unref()
      idle.push(worker)
      assign()
    })
    onExit(worker, (cause) => {
      remove(idle, worker)
      release(worker)?.reject(died(cause))
      assign()
    })
    return worker
  }

  /** Takes the task from its worker: whoever gets it settles it, nobody else can. */
  function release(worker: Worker): Task<Job, Reply> | undefined {
    const task = busy.get(worker)
    busy.delete(worker)
    task?.signal.removeEventListener('abort', task.onAbort)
    return task
  }

  function drop(task: Task<Job, Reply>): void {
    task.reject(task.signal.reason)
    remove(waiting, task)
    const worker = busy.entries().find(([, running]) => running === task)?.[0]
    if (!worker) return
    // Half a film is of no use to anyone; the thread ends, and the next job gets a new one.
    release(worker)
    void worker.terminate()
    assign()
  }

  return {
    run: (job, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        if (closed) return reject(closing())
        if (waiting.length >= options.maxWaiting) return reject(crowded())
        const task = { job, signal, resolve, reject, onAbort: () => drop(task) }
        signal.addEventListener('abort', task.onAbort)
        waiting.push(task)
        assign()
      }),
    async close() {
      closed = true
      const workers = [...idle, ...busy.keys()]
      const tasks = [...waiting.splice(0), ...workers.flatMap((worker) => release(worker) ?? [])]
      for (const task of tasks) task.reject(closing())
      await Promise.all(workers.map((worker) => worker.terminate()))
    },
  }
}

function onExit(worker: Worker, report: (cause: unknown) => void): void {
  let cause: unknown
  worker.on('error', (error) => {
    cause = error
  })
  worker.on('exit', () => report(cause))
}

function remove<Item>(list: Item[], item: Item): void {
  const index = list.indexOf(item)
  if (index >= 0) list.splice(index, 1)
}

// Nothing is charged here and nothing of a lost job remains: each of these may be repeated.
const rejected = (kind: 'busy' | 'server' | 'canceled', message: string, cause?: unknown) =>
  new ProviderError(kind, { outcome: 'rejected', message: `embedded: ${message}`, cause })

const died = (cause: unknown) => rejected('server', 'the worker stopped before it was done', cause)
const closing = () => rejected('canceled', 'the provider is closing')
const crowded = () => rejected('busy', 'too many jobs are waiting')
