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
  #listeners: (() => void)[] = []

  abort(reason: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    const listeners = this.#listeners
    this.#listeners = []
    for (const notify of listeners) notify()
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.push(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const index = this.#listeners.indexOf(listener)
    if (index !== -1) this.#listeners.splice(index, 1)
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
