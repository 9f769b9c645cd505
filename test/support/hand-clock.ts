import type { TimedClock } from '#core/clock.ts'

type Timer = { atMs: number; everyMs?: number; callBack(): void }

/** A clock that stands still, except while `pass` lets time pass and fires what is due. */
export function createHandClock() {
  const timers = new Set<Timer>()
  let nowMs = 0
  const add = (timer: Timer) => {
    timers.add(timer)
    return () => void timers.delete(timer)
  }
  const clock: TimedClock = {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    after: (ms, callBack) => add({ atMs: nowMs + ms, callBack }),
    every: (ms, callBack) => add({ atMs: nowMs + ms, everyMs: ms, callBack }),
    nextTick: (callBack) => void setImmediate(callBack),
  }
  const nextUntil = (untilMs: number) =>
    [...timers].filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0]

  return {
    clock,
    /** How many timers are set. */
    set: () => timers.size,
    /** What is under way goes on as far as it can, before this and after each timer that fires. */
    async pass(ms: number): Promise<void> {
      await new Promise(setImmediate)
      const untilMs = nowMs + ms
      for (let next = nextUntil(untilMs); next; next = nextUntil(untilMs)) {
        nowMs = Math.max(nowMs, next.atMs)
        if (next.everyMs === undefined) timers.delete(next)
        else next.atMs += next.everyMs
        next.callBack()
        await new Promise(setImmediate)
      }
      nowMs = untilMs
    },
  }
}
