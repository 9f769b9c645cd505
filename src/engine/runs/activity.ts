// What a run, a node or an item of a list is doing: operations under way, and waits that are open.
// If it has waits and nothing else, it is at rest: a run may then sleep, a node is shown as waiting,
// and an item of a list lets others begin.

type OnChange = (isAtRest: boolean) => void

/** A class, because every node of every run has one. */
export class Activity {
  isAtRest = false
  #busy = 0
  #waits = 0
  readonly #onChange: OnChange
  readonly #whole: Activity | undefined

  constructor(onChange: OnChange, whole?: Activity) {
    this.#onChange = onChange
    this.#whole = whole
  }

  /** An operation that ends by itself. */
  begin(): void {
    this.#busy++
    this.#whole?.begin()
    if (this.#waits > 0) this.#look()
  }

  end(): void {
    this.#busy--
    this.#whole?.end()
    if (this.#waits > 0) this.#look()
  }

  beginWait(): void {
    this.#waits++
    this.#whole?.beginWait()
    this.#look()
  }

  endWait(): void {
    this.#waits--
    this.#whole?.endWait()
    this.#look()
  }

  /** A part of this: whatever it does, this does too. */
  part(onChange: OnChange): Activity {
    return new Activity(onChange, this)
  }

  #look(): void {
    const isAtRest = this.#busy === 0 && this.#waits > 0
    if (isAtRest === this.isAtRest) return
    this.isAtRest = isAtRest
    this.#onChange(isAtRest)
  }
}

/** Counts an operation until it has ended. */
export async function busyWith<T>(activity: Activity, operation: () => Promise<T>): Promise<T> {
  activity.begin()
  try {
    return await operation()
  } finally {
    activity.end()
  }
}
