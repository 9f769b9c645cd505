// How often the data on screen is read again. Pure, so that it can be tested without a clock.

export type PollState = {
  /** What the last answer advised; 0 means that nothing will change any more. */
  retryAfterSeconds: number | null
  /** How long the data has been watched. */
  watchedMs: number
  /** Reads that failed in a row, and what the last of them advised. */
  failures: number
  failureRetryAfterSeconds: number | null
  /** True for a run or task that someone is looking at, false for a list in the background. */
  isWatched: boolean
}

const maxBackoffMs = 60_000

/** Milliseconds until the next read; false if none is needed. */
export function nextPollMs(state: PollState): number | false {
  if (state.failures > 0) {
    const backoff = Math.min(maxBackoffMs, 1_000 * 2 ** state.failures)
    return Math.max(backoff, (state.failureRetryAfterSeconds ?? 0) * 1_000)
  }
  if (state.retryAfterSeconds === 0) return false
  const advised = (state.retryAfterSeconds ?? 5) * 1_000
  if (!state.isWatched) return advised
  if (state.watchedMs < 10_000) return Math.min(advised, 500)
  return state.watchedMs < 30_000 ? Math.min(advised, 1_000) : advised
}
