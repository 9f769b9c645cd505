import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const lookEveryMs = 1_000
/** The share of a second in which an idle server may have been busy. */
const idleBelow = 0.02

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

/**
 * Gives back the memory that only the start needed, once, in the first second in which the server
 * has nothing to do. Loading its modules makes V8 grow the space for new objects to 32 MB, which it
 * then keeps for minutes although nearly nothing is in it. Takes about 100 ms.
 */
export function giveBackMemoryOnceIdle(): void {
  let before = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (utilization > idleBelow) return
    clearInterval(timer)
    // Only this kind of collection shrinks that space again.
    setFlagsFromString('--expose-gc')
    const collect: Collect = runInNewContext('gc')
    setFlagsFromString('--no-expose-gc')
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  }, lookEveryMs)
  timer.unref()
}
