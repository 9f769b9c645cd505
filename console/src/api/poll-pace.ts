// How often what is on screen is read again. Pure, so that it can be tested without a clock.

export type PollState = {
  /** What the last answer advised; 0 means that nothing will change any more. */
  retryAfterSeconds: number | null
  /** How long this has been watched. */
  watchedMs: number
  /** Reads that failed in a row, and what the last of them advised. */
  failures: number
  failureRetryAfterSeconds: number | null
  /** A run or task someone looks at, against a list in the background. */
  isWatched: boolean
}

const maxBackoffMs = 60_000

/** Milliseconds until the next read, or false where there is none. */
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
