// Why the execution of a run stops before its nodes are done, and how what waits is told.

/** Somebody asked the run to stop. */
export class RunCancelled extends Error {
  override name = 'RunCancelled'
}

/** The time limit of the run has passed. */
export class RunTimeUp extends Error {
  override name = 'RunTimeUp'
}

/** Like an AbortController, without the price of one per run until somebody needs its signal. */
export type Halt = {
  readonly reason: Error | undefined
  stop(reason: Error): void
  throwIfStopped(): void
  /**
   * The outcome of `work`, or the reason to stop as soon as there is one. `settled` is called when
   * the work has ended, whoever still waits for it.
   */
  race<T>(work: Promise<T>, settled?: () => void): Promise<T>
  signal(): AbortSignal
}

export function createHalt(): Halt {
  let reason: Error | undefined
  let controller: AbortController | undefined
  const waiting = new Set<(reason: Error) => void>()
  return {
    get reason() {
      return reason
    },
    stop(why) {
      if (reason) return
      reason = why
      controller?.abort(why)
      for (const tell of waiting) tell(why)
      waiting.clear()
    },
    throwIfStopped() {
      if (reason) throw reason
    },
    race(work, settled) {
      return new Promise((resolve, reject) => {
        if (reason) reject(reason)
        else waiting.add(reject)
        work.then(
          (value) => {
            settled?.()
            waiting.delete(reject)
            resolve(value)
          },
          (error) => {
            settled?.()
            waiting.delete(reject)
            reject(error)
          },
        )
      })
    },
    signal() {
      controller ??= new AbortController()
      if (reason) controller.abort(reason)
      return controller.signal
    },
  }
}
