// Coalesces requests: at most one execution runs and at most one more is pending. A request is
// served by an execution that starts after it, so whatever changed before the request is seen.

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
  } = {},
): Coalesced {
  const { afterMs = 0, retryMs, onError = () => {} } = options
  let timer: NodeJS.Timeout | undefined
  let current: Promise<void> | undefined
  let next: Promise<void> | undefined
  let isWanted = false
  let isStopped = false

  const startAlone = () => void start().catch(onError)

  function startIn(ms: number) {
    if (isStopped || timer) return
    if (ms === 0) return startAlone()
    timer = setTimeout(startAlone, ms)
    // Must not keep the process alive; a shutdown calls `stop` first.
    timer.unref()
  }

  function start(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
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
      clearTimeout(timer)
      await next?.catch(() => {})
      await current?.catch(() => {})
    },
  }
}
