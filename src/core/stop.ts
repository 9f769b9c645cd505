/**
 * The few members of AbortSignal that the work side uses; every AbortSignal satisfies it. Node's
 * own signals are event targets with maps and weak references: creating two of them costs more
 * than checking a credential.
 */
export type StopSignal = {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/**
 * Controller and signal in one. It is a class because every chat creates two: the methods are
 * shared instead of being created for each.
 */
export class Stop implements StopSignal {
  aborted = false
  reason: unknown = undefined
  /** Nearly always there is one at a time, which needs no list. */
  #listener: (() => void) | undefined = undefined
  #others: (() => void)[] | undefined = undefined

  abort(reason: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    const [first, others] = [this.#listener, this.#others]
    this.#listener = undefined
    this.#others = undefined
    first?.()
    if (others) for (const notify of others) notify()
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (this.#listener === undefined && this.#others === undefined) this.#listener = listener
    else {
      this.#others ??= []
      this.#others.push(listener)
    }
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    if (this.#listener === listener) this.#listener = undefined
    else this.#others = this.#others?.filter((other) => other !== listener)
  }
}

/** Makes a real AbortSignal, for APIs that accept nothing else. */
export function abortSignalOf(stop: StopSignal): AbortSignal {
  if (stop instanceof AbortSignal) return stop
  const controller = new AbortController()
  const abort = () => controller.abort(stop.reason)
  if (stop.aborted) abort()
  else stop.addEventListener('abort', abort)
  return controller.signal
}
