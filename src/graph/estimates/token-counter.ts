import { Worker } from 'node:worker_threads'
import { Failure } from '#core/errors.ts'
import { threadEnv } from '#core/thread-env.ts'

type TokenCounter = {
  /** Tokens of the o200k encoding. Rejects with SERVICE_UNAVAILABLE after `patienceMs`. */
  count(text: string): Promise<number>
  close(): Promise<void>
}

type Waiting = {
  resolve(tokens: number): void
  reject(error: Error): void
  timer: NodeJS.Timeout | undefined
}

/** Counts in its own thread, because the tokenizer's tables take hundreds of ms to load. */
export function createTokenCounter({
  patienceMs = 10_000,
}: {
  patienceMs?: number | undefined
} = {}): TokenCounter {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let nextId = 0

  function settle(id: number, tell: (job: Waiting) => void) {
    const job = waiting.get(id)
    if (!job) return
    waiting.delete(id)
    clearTimeout(job.timer)
    if (waiting.size === 0) worker?.unref()
    tell(job)
  }

  function stop(reason: Error): Promise<unknown> {
    const stopped = worker?.terminate()
    worker = undefined
    for (const id of [...waiting.keys()]) settle(id, (job) => job.reject(reason))
    return stopped ?? Promise.resolve()
  }

  function start(): Worker {
    const fresh = new Worker(new URL('./token-worker.ts', import.meta.url), { env: threadEnv() })
    fresh.on('message', ({ id, tokens }: { id: number; tokens: number }) =>
      settle(id, (job) => job.resolve(tokens)),
    )
    fresh.on('error', (error) => {
      if (worker === fresh) void stop(error instanceof Error ? error : new Error(String(error)))
    })
    return fresh
  }

  return {
    count(text) {
      worker ??= start()
      worker.ref()
      const id = nextId++
      return new Promise((resolve, reject) => {
        // On a busy machine the thread alone may take that long to start.
        const tooSlow = () => void stop(new Failure('SERVICE_UNAVAILABLE'))
        const timer = Number.isFinite(patienceMs) ? setTimeout(tooSlow, patienceMs) : undefined
        waiting.set(id, { resolve, reject, timer })
        worker?.postMessage({ id, text })
      })
    },
    async close() {
      await stop(new Error('the server is stopping'))
    },
  }
}
