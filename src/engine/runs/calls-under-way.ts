/** Counts the calls that a run has under way, so that a run that failed can end after the last one. */
export type CallsUnderWay = {
  readonly count: number
  begin(): void
  end(): void
  /** The call only waits for its task, which needs no worker to wait for it. */
  beginWait(): void
  endWait(): void
  /** Resolves once there are none. */
  ended(): Promise<void>
  /** Resolves once there are none but those that only wait. */
  allWaiting(): Promise<void>
}

/** For a part of a run, they count in the whole too. */
export function createCallsUnderWay(whole?: CallsUnderWay): CallsUnderWay {
  let waiting = 0
  const listeners = new Set<() => void>()
  const changed = () => {
    for (const look of listeners) look()
  }
  const until = (holds: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!holds()) return
        listeners.delete(look)
        resolve()
      }
      listeners.add(look)
      look()
    })
  const calls = {
    count: 0,
    begin() {
      calls.count++
      whole?.begin()
    },
    end() {
      calls.count--
      whole?.end()
      changed()
    },
    beginWait() {
      waiting++
      whole?.beginWait()
      changed()
    },
    endWait() {
      waiting--
      whole?.endWait()
    },
    ended: () => until(() => calls.count === 0),
    allWaiting: () => until(() => calls.count === waiting),
  }
  return calls
}
