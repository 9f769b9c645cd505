import type { StopSignal } from './stop.ts'

/** Passed in wherever the time is needed, so that tests can set it. */
export type Clock = { nowMs(): number }

/** Passed in wherever something waits, so that a simulation decides when it goes on. */
export type Timers = {
  /** For durations: unlike `nowMs`, it never jumps. Its zero means nothing. */
  monotonicMs(): number
  /** Calls back after `ms`, however long that is. Returns a function that cancels the call. */
  after(ms: number, callBack: () => void, options?: TimerOptions): () => void
  /** Calls back every `ms`, until the returned function is called. */
  every(ms: number, callBack: () => void): () => void
  /** Calls back in the next tick, after everything that this one still does. */
  nextTick(callBack: () => void): void
}

/** `keepsAlive` false: the process may end before the call. */
export type TimerOptions = { keepsAlive: boolean }

export type TimedClock = Clock & Timers

// The longest delay of a Node timer. A timer set for longer fires at once.
const maxTimerMs = 2 ** 31 - 1

export const after: Timers['after'] = (ms, callBack, { keepsAlive } = { keepsAlive: true }) => {
  let timer: NodeJS.Timeout
  const wait = (leftMs: number) => {
    const stepMs = Math.min(leftMs, maxTimerMs)
    timer = setTimeout(() => (leftMs > stepMs ? wait(leftMs - stepMs) : callBack()), stepMs)
    if (!keepsAlive) timer.unref()
  }
  wait(ms)
  return () => clearTimeout(timer)
}

export const systemClock: TimedClock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after,
  every(ms, callBack) {
    const timer = setInterval(callBack, ms)
    return () => clearInterval(timer)
  },
  nextTick: (callBack) => void setImmediate(callBack),
}

/** Resolves after `ms`, or rejects with the signal's reason as soon as it aborts. */
export function delay(
  ms: number,
  signal?: StopSignal,
  timers: Pick<Timers, 'after'> = systemClock,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = timers.after(ms, () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    })
    signal?.addEventListener('abort', stop)
  })
}

/** The outcome of `call`, whose signal aborts after `ms`. */
export async function limited<T>(
  ms: number,
  call: (signal: AbortSignal) => Promise<T>,
  timers: Pick<Timers, 'after'>,
): Promise<T> {
  const limit = new AbortController()
  const timeUp = () => limit.abort(new DOMException(`not within ${ms} ms`, 'TimeoutError'))
  const cancel = timers.after(ms, timeUp)
  try {
    return await call(limit.signal)
  } finally {
    cancel()
  }
}

let lastSecond = { startMs: Number.NaN, text: '' }

/**
 * Caches the text of the current second. Most calls fall into the same second, and appending three
 * digits is cheaper than formatting a date.
 */
export function toRfc3339(ms: number): string {
  const rest = ms - lastSecond.startMs
  if (!(rest >= 0 && rest < 1000)) {
    const startMs = Math.floor(ms / 1000) * 1000
    lastSecond = { startMs, text: new Date(startMs).toISOString().slice(0, -4) }
  }
  const thousandths = String(Math.floor(ms - lastSecond.startMs)).padStart(3, '0')
  // `join` makes a flat string. V8 serialises objects to JSON twice as fast when none of their
  // strings is a rope, which is what concatenation would make.
  return [lastSecond.text, thousandths, 'Z'].join('')
}
