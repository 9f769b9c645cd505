/** The outcome of one attempt. Without a status code, there was no answer. */
export type Outcome = {
  statusCode: number | null
  /** Why it failed, in a sentence for people of the account. */
  error: string | null
  /** The beginning of the answer's body. */
  body: string | null
  /** The wait that the receiver asked for, or 0. */
  retryAfterMs: number
}

export type NextState =
  | { status: 'DELIVERED' | 'FAILED' | 'DISABLED'; retryAtMs: null }
  | { status: 'PENDING'; retryAtMs: number }

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const waitsMs = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
]
const jitter = 0.1
const longestRetryAfterMs = 24 * hourMs

/**
 * `attempts` counts those made before this one; `random` is 0 ≤ x < 1. Retry-After can only delay
 * an attempt, never bring it forward: a receiver that is busy for an hour and asks for seconds
 * must not use up all attempts.
 */
export function nextState(
  { statusCode, retryAfterMs }: Pick<Outcome, 'statusCode' | 'retryAfterMs'>,
  { attempts, nowMs, random }: { attempts: number; nowMs: number; random: number },
): NextState {
  if (statusCode !== null && statusCode >= 200 && statusCode < 300)
    return { status: 'DELIVERED', retryAtMs: null }
  if (statusCode === 410) return { status: 'DISABLED', retryAtMs: null }
  const waitMs = waitsMs[attempts]
  if (waitMs === undefined) return { status: 'FAILED', retryAtMs: null }
  const plannedMs = Math.round(waitMs * (1 - jitter + 2 * jitter * random))
  const askedMs = Math.min(retryAfterMs, longestRetryAfterMs)
  return { status: 'PENDING', retryAtMs: nowMs + Math.max(plannedMs, askedMs) }
}
