// What a run, a node or an item of a list is doing: operations under way, and waits that are open.
// If it has waits and nothing else, it is at rest: a run may then sleep, a node is shown as waiting,
// and an item of a list lets others begin.

export type Activity = {
  /** An operation that ends by itself. */
  begin(): void
  end(): void
  beginWait(): void
  endWait(): void
  readonly isAtRest: boolean
  /** A part of this: whatever it does, this does too. */
  part(onChange: OnChange): Activity
}

type OnChange = (isAtRest: boolean) => void

export function createActivity(onChange: OnChange, whole?: Activity): Activity {
  let busy = 0
  let waits = 0
  let wasAtRest = false
  const look = () => {
    const isAtRest = busy === 0 && waits > 0
    if (isAtRest === wasAtRest) return
    wasAtRest = isAtRest
    onChange(isAtRest)
  }
  const activity: Activity = {
    begin() {
      busy++
      whole?.begin()
      if (waits > 0) look()
    },
    end() {
      busy--
      whole?.end()
      if (waits > 0) look()
    },
    beginWait() {
      waits++
      whole?.beginWait()
      look()
    },
    endWait() {
      waits--
      whole?.endWait()
      look()
    },
    get isAtRest() {
      return wasAtRest
    },
    part: (onPartChange) => createActivity(onPartChange, activity),
  }
  return activity
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
