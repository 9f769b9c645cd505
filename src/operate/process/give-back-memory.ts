import { executionAsyncResource } from 'node:async_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const lookEveryMs = 1_000
/**
 * The share of a second in which an idle server may have been busy. Waiting for a processor counts
 * as being busy: on a machine with much other work, an idle server reaches some percent.
 */
const idleBelow = 0.1

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

/**
 * Gives back the memory that only the start needed, once, in the first second in which the server
 * has nothing to do. Loading its modules makes V8 grow the space for new objects to 32 MB, which it
 * then keeps for minutes although nearly nothing is in it. Takes about 100 ms.
 */
export function giveBackMemoryOnceIdle(): void {
  holdTick()
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
    keepSpaceForNewObjects()
  }, lookEveryMs)
  timer.unref()
}

/**
 * After such a collection, V8 would shrink the space for new objects again after every pause, and
 * double it so slowly that chats cost half as much again: few of their objects survive, and only
 * survivors make it grow. So it grows in two steps, and V8 stops looking for pauses.
 */
function keepSpaceForNewObjects() {
  setFlagsFromString('--memory-reducer-gc-count=0')
  setFlagsFromString('--semi-space-growth-factor=16')
}

/** Exported for its test. */
export const held: { tick?: object } = {}

/**
 * A collection also frees the shapes of objects of which none exists at that moment. V8 makes the
 * objects that `process.nextTick` queues by a slow path for ever, if their shape was once replaced:
 * a chat queues some ten of them, and cost 8 % more. While one of them is held, the shape stays.
 */
function holdTick() {
  process.nextTick(() => {
    held.tick = executionAsyncResource()
  })
}
