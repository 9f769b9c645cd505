// Lets requests have their turn while there is long work that waits for nothing, such as a list of
// a thousand texts. All such work of the process shares slices of ten milliseconds: it asks before
// each piece, and goes on only while the slice lasts. One piece of work begins each slice, in the
// order in which they asked; if all of them went on together, one turn of the event loop would be as
// long as all of their slices.
import { systemClock, type Timers } from './clock.ts'

type TurnTimers = Pick<Timers, 'monotonicMs' | 'nextTick'>
type Slices = { endsAtMs: number; waiting: (() => void)[] }

const sliceMs = 10
/** A process has one clock. */
const slicesOf = new WeakMap<TurnTimers, Slices>()

/** Resolves when the next piece of work may be done; undefined if that is now. */
export function turn(timers: TurnTimers = systemClock): Promise<void> | undefined {
  const slices = slicesOf.get(timers) ?? { endsAtMs: Number.NEGATIVE_INFINITY, waiting: [] }
  slicesOf.set(timers, slices)
  if (timers.monotonicMs() < slices.endsAtMs) return undefined
  return new Promise((resolve) => {
    if (slices.waiting.push(resolve) === 1) timers.nextTick(() => beginSlice(slices, timers))
  })
}

function beginSlice(slices: Slices, timers: TurnTimers) {
  slices.endsAtMs = timers.monotonicMs() + sliceMs
  const first = slices.waiting.shift()
  first?.()
  if (slices.waiting.length > 0) timers.nextTick(() => beginSlice(slices, timers))
}
