/**
 * What whoever works needs of an AbortSignal; every AbortSignal is one. Those of the platform are
 * event targets with maps and weak references: two of them cost more than checking a credential.
 */
export type StopSignal = {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** Controller and signal in one. A class, for every chat makes two: its methods are made once. */
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
    for (const tell of listeners) tell()
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.push(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const place = this.#listeners.indexOf(listener)
    if (place !== -1) this.#listeners.splice(place, 1)
  }
}

/** For what takes nothing but the platform's own. */
export function abortSignalOf(stop: StopSignal): AbortSignal {
  if (stop instanceof AbortSignal) return stop
  const controller = new AbortController()
  const abort = () => controller.abort(stop.reason)
  if (stop.aborted) abort()
  else stop.addEventListener('abort', abort)
  return controller.signal
}
