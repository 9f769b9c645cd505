// A worker thread behind a queue. It starts with the first job and keeps no process alive while it
// is idle. If it dies, only the job it was working on fails; the next one gets a new thread.
import type { Worker } from 'node:worker_threads'
import type { StopSignal } from '#core/stop.ts'
import { ProviderError } from '../provider.ts'

type Task<Job, Reply> = {
  job: Job
  signal: StopSignal
  onAbort: () => void
  resolve(reply: Reply): void
  reject(error: unknown): void
}

/** `start` makes a worker that answers each message with exactly one. */
export function createThread<Job, Reply>(options: { maxWaiting: number; start: () => Worker }) {
  const waiting: Task<Job, Reply>[] = []
  let current: Task<Job, Reply> | undefined
  let worker: Worker | undefined
  let isClosed = false

  function assign(): void {
    if (isClosed || current) return
    current = waiting.shift()
    if (!current) return
    worker ??= open()
    worker.ref()
    worker.postMessage(current.job)
  }

  function open(): Worker {
    const opened = options.start()
    opened.on('message', (reply: Reply) => {
      opened.unref()
      if (opened === worker) end((task) => task.resolve(reply))
    })
    onExit(opened, (cause) => {
      if (opened !== worker) return
      worker = undefined
      end((task) => task.reject(died(cause)))
    })
    return opened
  }

  function end(settle: (task: Task<Job, Reply>) => void): void {
    const task = current
    current = undefined
    task?.signal.removeEventListener('abort', task.onAbort)
    if (task) settle(task)
    assign()
  }

  function drop(task: Task<Job, Reply>): void {
    if (task !== current) {
      waiting.splice(waiting.indexOf(task), 1)
      task.reject(task.signal.reason)
      return
    }
    // Half a film is of no use to anyone: its thread ends, and the next job gets a new one.
    void worker?.terminate()
    worker = undefined
    end(({ reject, signal }) => reject(signal.reason))
  }

  return {
    run: (job: Job, signal: StopSignal): Promise<Reply> =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        if (isClosed) return reject(closing())
        if (waiting.length >= options.maxWaiting) return reject(crowded())
        const task = { job, signal, resolve, reject, onAbort: () => drop(task) }
        signal.addEventListener('abort', task.onAbort)
        waiting.push(task)
        assign()
      }),
    async close(): Promise<void> {
      isClosed = true
      for (const task of [current, ...waiting.splice(0)]) {
        task?.signal.removeEventListener('abort', task.onAbort)
        task?.reject(closing())
      }
      current = undefined
      await worker?.terminate()
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

// Nothing is charged here and nothing of a lost job remains: each of these may be repeated.
const rejected = (kind: 'busy' | 'server' | 'canceled', message: string, cause?: unknown) =>
  new ProviderError(kind, { outcome: 'rejected', message: `embedded: ${message}`, cause })

const died = (cause: unknown) => rejected('server', 'the worker stopped before it was done', cause)
const closing = () => rejected('canceled', 'the provider is closing')
const crowded = () => rejected('busy', 'too many jobs are waiting')
