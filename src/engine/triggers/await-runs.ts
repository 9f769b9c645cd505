// Callers who wait for the ends of runs that may be executed anywhere. All of them together cost
// one read every 100 ms, however many there are.
import type { Timers } from '#core/clock.ts'
import type { Runs } from '#store/engine-store.ts'

export type RunAwaiter = {
  /** False if it has not ended in time, sleeps, or too many others wait already. */
  awaitRun(runId: string): Promise<boolean>
  /** Answers everybody who waits, so that they do not delay a shutdown. */
  stopWaiting(): void
}

type Options = {
  runs: Pick<Runs, 'ends'>
  timers: Timers
  limitMs: number
  maxWaiting: number
  onError(error: unknown): void
}

const everyMs = 100

export function createRunAwaiter({ runs, timers, ...options }: Options): RunAwaiter {
  type Waiter = { untilMs: number; resolve(hasEnded: boolean): void }
  const waiting = new Map<string, Waiter[]>()
  let count = 0
  let cancel: (() => void) | null = null

  function settle(runId: string, hasEnded: boolean) {
    const waiters = waiting.get(runId) ?? []
    waiting.delete(runId)
    count -= waiters.length
    for (const { resolve } of waiters) resolve(hasEnded)
  }

  async function look() {
    const ids = [...waiting.keys()]
    const states = await runs.ends(ids)
    const known = new Map(states.map((state) => [state.id, state]))
    const nowMs = timers.monotonicMs()
    for (const id of ids) {
      const state = known.get(id)
      const isLate = (waiting.get(id) ?? []).some(({ untilMs }) => untilMs <= nowMs)
      if (!state || state.completed_at !== null) settle(id, state !== undefined)
      else if (state.wake_at !== null || isLate) settle(id, false)
    }
  }

  function lookLater() {
    cancel = timers.after(everyMs, () => {
      look()
        .catch(options.onError)
        .finally(() => {
          cancel = null
          if (waiting.size > 0) lookLater()
        })
    })
  }

  return {
    awaitRun(runId) {
      if (count >= options.maxWaiting) return Promise.resolve(false)
      count++
      return new Promise((resolve) => {
        const waiter = { untilMs: timers.monotonicMs() + options.limitMs, resolve }
        waiting.set(runId, [...(waiting.get(runId) ?? []), waiter])
        if (!cancel) lookLater()
      })
    },
    stopWaiting() {
      cancel?.()
      for (const runId of [...waiting.keys()]) settle(runId, false)
    },
  }
}
