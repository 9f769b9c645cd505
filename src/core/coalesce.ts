// One execution under way and at most one more wanted, however many ask. Whoever asks is served by
// an execution that began after the request, so that it has seen what the request is about.

export type Coalesced = {
  /** Executes after `afterMs`, once for all who ask until then. Failures go to `onError`. */
  schedule(): void
  /**
   * Executes now, or right after the execution that is under way, once for all who ask until then.
   * Resolves when it is done, and rejects with its error.
   */
  run(): Promise<void>
  /** Nothing more starts by itself. Resolves when nothing is under way. */
  stop(): Promise<void>
}

export function coalesce(
  work: () => Promise<void>,
  options: {
    /** How long scheduled executions gather requests; 0 by default: not at all. */
    afterMs?: number
    /** A failed execution is repeated after this time until one succeeds. Absent: never. */
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
    // Whoever ends the process stops this first.
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
      // One that is about to start has seen nothing yet: it serves this request too.
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
