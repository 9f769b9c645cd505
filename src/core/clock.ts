import type { StopSignal } from './stop.ts'

/** Passed in wherever the time is needed, so that tests can set it. */
export type Clock = { nowMs(): number }

export const systemClock: Clock = { nowMs: () => Date.now() }

// The longest delay of a Node timer. A timer set for longer fires at once.
const maxTimerMs = 2 ** 31 - 1

/** Calls back after `ms`, however long that is. Returns a function that cancels the call. */
export function after(ms: number, callBack: () => void): () => void {
  let timer: NodeJS.Timeout
  const wait = (leftMs: number) => {
    const stepMs = Math.min(leftMs, maxTimerMs)
    timer = setTimeout(() => (leftMs > stepMs ? wait(leftMs - stepMs) : callBack()), stepMs)
  }
  wait(ms)
  return () => clearTimeout(timer)
}

/** Resolves after `ms`, or rejects with the signal's reason as soon as it aborts. */
export function delay(ms: number, signal?: StopSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = after(ms, () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    })
    signal?.addEventListener('abort', stop)
  })
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
