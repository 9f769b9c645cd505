/** Counts the calls that a run has under way, so that a run that failed can end after the last one. */
export type CallsUnderWay = {
  readonly count: number
  begin(): void
  end(): void
  /** Resolves once there are none. */
  ended(): Promise<void>
}

export function createCallsUnderWay(): CallsUnderWay {
  let notify: (() => void) | undefined
  const calls = {
    count: 0,
    begin() {
      calls.count++
    },
    end() {
      calls.count--
      if (calls.count === 0) notify?.()
    },
    ended: () =>
      new Promise<void>((resolve) => {
        if (calls.count === 0) resolve()
        else notify = resolve
      }),
  }
  return calls
}
