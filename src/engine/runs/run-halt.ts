// Why the execution of a run ends before its nodes are done, and how everything inside it learns of
// that. There are two ways, and in both nothing more begins, in no node, list or called workflow:
//
//   windDown   a node failed, or could not go on: calls in flight are awaited and recorded
//   stop       cancelled, out of time, or owned by another worker: nobody waits, and nothing is
//              recorded but late answers that others may reuse
import { Interruption } from '#core/interruptions.ts'

/** The time limit of the run has passed. */
export class RunTimeUp extends Interruption {
  override name = 'RunTimeUp'
}

/** Another part of the run ends it, so this one does not begin. */
export class WindingDown extends Interruption {
  override name = 'WindingDown'
}

/** Like an AbortController, but one is created only if somebody needs its signal. */
export type Halt = {
  readonly reason: Error | undefined
  stop(reason: Error): void
  windDown(): void
  /** Before an outcome is recorded. */
  throwIfStopped(): void
  /** Before anything begins. */
  throwIfEnding(): void
  /** The outcome of `work`, or undefined as soon as there is a reason to stop. */
  race<T>(work: Promise<T>): Promise<T | undefined>
  /** Aborts when the run stops. */
  signal(): AbortSignal
  /** Aborts when the run stops or winds down. */
  ending(): AbortSignal
}

/** What a part of a run may know and do about its end. */
export type PartHalt = Omit<Halt, 'stop' | 'race'>

/** For a part that may wind down by itself. It ends with the whole, too. */
class PartOfRun implements PartHalt {
  readonly #whole: PartHalt
  #own: AbortController | undefined = undefined
  #isWindingDown = false

  constructor(whole: PartHalt) {
    this.#whole = whole
  }

  get reason(): Error | undefined {
    return this.#whole.reason
  }

  windDown(): void {
    this.#isWindingDown = true
    this.#own?.abort(new WindingDown())
  }

  throwIfStopped(): void {
    this.#whole.throwIfStopped()
  }

  throwIfEnding(): void {
    this.#whole.throwIfEnding()
    if (this.#isWindingDown) throw new WindingDown()
  }

  signal(): AbortSignal {
    return this.#whole.signal()
  }

  ending(): AbortSignal {
    this.#own ??= new AbortController()
    if (this.#isWindingDown) this.#own.abort(new WindingDown())
    return AbortSignal.any([this.#whole.ending(), this.#own.signal])
  }
}

export const createPartHalt = (whole: PartHalt): PartHalt => new PartOfRun(whole)

export function createHalt(): Halt {
  let stopping: AbortController | undefined
  let ending: AbortController | undefined
  let notify: (() => void) | undefined
  let isWindingDown = false
  const halt = {
    reason: undefined as Error | undefined,
    stop(why: Error) {
      if (halt.reason) return
      halt.reason = why
      stopping?.abort(why)
      ending?.abort(why)
      notify?.()
    },
    windDown() {
      isWindingDown = true
      ending?.abort(new WindingDown())
    },
    throwIfStopped() {
      if (halt.reason) throw halt.reason
    },
    throwIfEnding() {
      halt.throwIfStopped()
      if (isWindingDown) throw new WindingDown()
    },
    race: <T>(work: Promise<T>) =>
      new Promise<T | undefined>((resolve, reject) => {
        notify = () => resolve(undefined)
        if (halt.reason) notify()
        work.then(resolve, reject)
      }),
    signal() {
      stopping ??= new AbortController()
      if (halt.reason) stopping.abort(halt.reason)
      return stopping.signal
    },
    ending() {
      ending ??= new AbortController()
      if (halt.reason || isWindingDown) ending.abort(halt.reason ?? new WindingDown())
      return ending.signal
    },
  }
  return halt
}
