// Lets requests have their turn while there is long work that waits for nothing, such as a list of
// a thousand texts. All such work of the process shares slices of ten milliseconds: it asks before
// each piece, and goes on only while the slice lasts. One piece of work begins each slice, in the
// order in which they asked; if all of them went on together, one turn of the event loop would be as
// long as all of their slices.

const sliceMs = 10
let sliceEndsAtMs = 0
const waiting: (() => void)[] = []

/** Resolves when the next piece of work may be done; undefined if that is now. */
export function turn(): Promise<void> | undefined {
  if (performance.now() < sliceEndsAtMs) return undefined
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(beginSlice)
  })
}

function beginSlice() {
  const [first, second] = waiting
  sliceEndsAtMs = performance.now() + sliceMs
  waiting.shift()
  first?.()
  if (second) setImmediate(beginSlice)
}
