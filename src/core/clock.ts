import type { StopSignal } from './stop.ts'

/** Time is handed in, so that tests can set it. */
export type Clock = { nowMs(): number }

export const systemClock: Clock = { nowMs: () => Date.now() }

// The platform's timers hold no more; one set further ahead fires at once.
const maxTimerMs = 2 ** 31 - 1

/** Calls back after `ms`, however long that is. Returns how to call it off. */
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
      callOff()
      reject(signal?.reason)
    }
    const callOff = after(ms, () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    })
    signal?.addEventListener('abort', stop)
  })
}

let lastSecond = { startMs: Number.NaN, text: '' }

/** Requests of one second ask for nearly the same text: a calendar costs more than three digits. */
export function toRfc3339(ms: number): string {
  const rest = ms - lastSecond.startMs
  if (!(rest >= 0 && rest < 1000)) {
    const startMs = Math.floor(ms / 1000) * 1000
    lastSecond = { startMs, text: new Date(startMs).toISOString().slice(0, -4) }
  }
  const thousandths = String(Math.floor(ms - lastSecond.startMs)).padStart(3, '0')
  // Joined: V8 writes an object as JSON in half the time if none of its strings is a chain of parts.
  return [lastSecond.text, thousandths, 'Z'].join('')
}
