// A worker thread behind a queue. It starts with the first job and does not keep the process alive
// while idle. If it dies, only the job it was working on fails; the next one gets a new thread.
import type { Worker } from 'node:worker_threads'
import type { StopSignal } from '#core/stop.ts'
import { ProviderError } from '../provider.ts'

type Task<Job, Reply> = PromiseWithResolvers<Reply> & { job: Job }

/** `start` makes a worker that answers each message with exactly one message. */
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
    const onExit = (cause: unknown) => {
      if (opened !== worker) return
      worker = undefined
      end((task) => task.reject(died(cause)))
    }
    return opened.on('error', onExit).on('exit', onExit)
  }

  function end(settle: (task: Task<Job, Reply>) => void): void {
    const task = current
    current = undefined
    if (task) settle(task)
    assign()
  }

  function drop(task: Task<Job, Reply>, reason: unknown): void {
    if (task === current) {
      // Half a video is useless, so its thread is ended, and the next job gets a new one.
      void worker?.terminate()
      worker = undefined
      end(({ reject }) => reject(reason))
    } else if (waiting.includes(task)) {
      waiting.splice(waiting.indexOf(task), 1)
      task.reject(reason)
    }
  }

  return {
    async run(job: Job, signal: StopSignal): Promise<Reply> {
      if (signal.aborted) throw signal.reason
      if (isClosed) throw closing()
      if (waiting.length >= options.maxWaiting) throw crowded()
      const task = { job, ...Promise.withResolvers<Reply>() }
      const onAbort = () => drop(task, signal.reason)
      signal.addEventListener('abort', onAbort)
      waiting.push(task)
      assign()
      return task.promise.finally(() => signal.removeEventListener('abort', onAbort))
    },
    async close(): Promise<void> {
      isClosed = true
      for (const task of [current, ...waiting.splice(0)]) task?.reject(closing())
      current = undefined
      await worker?.terminate()
    },
  }
}

// A lost job costs nothing and leaves nothing behind, so each of these may be repeated.
const rejected = (kind: 'busy' | 'server' | 'canceled', message: string, cause?: unknown) =>
  new ProviderError(kind, { outcome: 'rejected', message: `embedded: ${message}`, cause })

const died = (cause: unknown) => rejected('server', 'the worker stopped before it was done', cause)
const closing = () => rejected('canceled', 'the provider is closing')
const crowded = () => rejected('busy', 'too many jobs are waiting')
