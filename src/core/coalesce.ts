// Coalesces requests: at most one execution runs and at most one more is pending. A request is
// served by an execution that starts after it, so whatever changed before the request is seen.

import { systemClock, type Timers } from './clock.ts'

export type Coalesced = {
  /** Executes after `afterMs`, once for all requests until then. Failures go to `onError`. */
  schedule(): void
  /**
   * Executes now, or right after the current execution, once for all requests until then. Resolves
   * when it is done, and rejects with its error.
   */
  run(): Promise<void>
  /** Starts nothing more by itself. Resolves when no execution is running. */
  stop(): Promise<void>
}

export function coalesce(
  work: () => Promise<void>,
  options: {
    /** How long scheduled executions gather requests. Default: 0, not at all. */
    afterMs?: number
    /** A failed execution is retried after this time until one succeeds. Default: no retry. */
    retryMs?: number
    onError?(error: unknown): void
    timers?: Pick<Timers, 'after'>
  } = {},
): Coalesced {
  const { afterMs = 0, retryMs, onError = () => {}, timers = systemClock } = options
  let cancel: (() => void) | undefined
  let current: Promise<void> | undefined
  let next: Promise<void> | undefined
  let isWanted = false
  let isStopped = false

  const startAlone = () => void start().catch(onError)

  function startIn(ms: number) {
    if (isStopped || cancel) return
    if (ms === 0) return startAlone()
    // A shutdown calls `stop` first.
    cancel = timers.after(ms, startAlone, { keepsAlive: false })
  }

  function start(): Promise<void> {
    cancel?.()
    cancel = undefined
    isWanted = false
    current = execute()
    return current
  }

  async function execute() {
    let hasFailed = true
    try {
      await work()
      hasFailed = false
    } finally {
      current = undefined
      if (hasFailed && retryMs !== undefined) startIn(retryMs)
      else if (isWanted && !next) startIn(afterMs)
    }
  }

  async function startAfter(underWay: Promise<void>) {
    await underWay.catch(() => {})
    next = undefined
    await start()
  }

  return {
    schedule() {
      isWanted = true
      if (!current) startIn(afterMs)
    },
    run() {
      // An execution that has not started yet serves this request too.
      if (next) return next
      if (!current) return start()
      next = startAfter(current)
      return next
    },
    async stop() {
      isStopped = true
      cancel?.()
      await next?.catch(() => {})
      await current?.catch(() => {})
    },
  }
}
