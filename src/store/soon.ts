const retryMs = 1_000

export type Soon = {
  /** Within a moment, together with all that is asked for until then. */
  ask(): void
  /** At once; done when a piece of work that began after this call is done, or has failed. */
  now(): Promise<void>
  /** Nothing more begins by itself; done when nothing is under way. */
  stop(): Promise<void>
}

/** Does `work`, one at a time, for many who ask. What failed by itself is tried again. */
export function soon(
  work: () => Promise<void>,
  { afterMs, onError }: { afterMs: number; onError(error: unknown): void },
): Soon {
  let timer: NodeJS.Timeout | undefined
  let current: Promise<void> | undefined
  let isAsked = false
  let isStopped = false

  function arm(ms: number) {
    if (isStopped || timer) return
    timer = setTimeout(() => void start().catch(onError), ms)
    // Whoever ends the process stops this first.
    timer.unref()
  }
  function start(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    isAsked = false
    current = work().then(
      () => {
        current = undefined
        if (isAsked) arm(afterMs)
      },
      (error) => {
        current = undefined
        arm(retryMs)
        throw error
      },
    )
    return current
  }
  const settled = () => current?.catch(() => {})
  return {
    ask() {
      isAsked = true
      if (!current) arm(afterMs)
    },
    async now() {
      await settled()
      await (current ?? start())
    },
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await settled()
    },
  }
}
