// Why the execution of a run stops before its nodes are done, and how waiting code learns of it.
import { Interruption } from '#core/interruptions.ts'

/** Somebody asked the run to stop. */
export class RunCancelled extends Interruption {
  override name = 'RunCancelled'
}

/** The time limit of the run has passed. */
export class RunTimeUp extends Interruption {
  override name = 'RunTimeUp'
}

/** Like an AbortController, but one is created only if somebody needs its signal. */
export type Halt = {
  readonly reason: Error | undefined
  stop(reason: Error): void
  throwIfStopped(): void
  /** The outcome of `work`, or undefined as soon as there is a reason to stop. */
  race<T>(work: Promise<T>): Promise<T | undefined>
  signal(): AbortSignal
}

export function createHalt(): Halt {
  let controller: AbortController | undefined
  let notify: (() => void) | undefined
  const halt = {
    reason: undefined as Error | undefined,
    stop(why: Error) {
      if (halt.reason) return
      halt.reason = why
      controller?.abort(why)
      notify?.()
    },
    throwIfStopped() {
      if (halt.reason) throw halt.reason
    },
    race: <T>(work: Promise<T>) =>
      new Promise<T | undefined>((resolve, reject) => {
        notify = () => resolve(undefined)
        if (halt.reason) notify()
        work.then(resolve, reject)
      }),
    signal() {
      controller ??= new AbortController()
      if (halt.reason) controller.abort(halt.reason)
      return controller.signal
    },
  }
  return halt
}
