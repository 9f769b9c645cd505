// Callers who wait for the ends of runs that may be executed anywhere. All of them together cost
// one read every 100 ms, however many there are.
import type { Timers } from '#core/clock.ts'
import type { Runs } from '#store/engine-store.ts'

export type RunAwaiter = {
  /** Until when a caller who arrives now is to be answered. */
  answerUntil(): number
  /** False if it has not ended by then, sleeps, or too many others wait already. */
  awaitRun(runId: string, untilMs: number): Promise<boolean>
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

  /** Answers those whose time is up at `nowMs`, or everybody. */
  function settle(runId: string, hasEnded: boolean, nowMs = Number.POSITIVE_INFINITY) {
    const waiters = waiting.get(runId) ?? []
    const patient = waiters.filter(({ untilMs }) => untilMs > nowMs)
    if (patient.length > 0) waiting.set(runId, patient)
    else waiting.delete(runId)
    count -= waiters.length - patient.length
    for (const { untilMs, resolve } of waiters) if (untilMs <= nowMs) resolve(hasEnded)
  }

  async function look() {
    const ids = [...waiting.keys()]
    const states = await runs.ends(ids)
    const known = new Map(states.map((state) => [state.id, state]))
    const nowMs = timers.monotonicMs()
    for (const id of ids) {
      const state = known.get(id)
      if (!state || state.completed_at !== null) settle(id, state !== undefined)
      else if (state.wake_at !== null) settle(id, false)
      else settle(id, false, nowMs)
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
    answerUntil: () => timers.monotonicMs() + options.limitMs,
    awaitRun(runId, untilMs) {
      if (count >= options.maxWaiting) return Promise.resolve(false)
      count++
      return new Promise((resolve) => {
        waiting.set(runId, [...(waiting.get(runId) ?? []), { untilMs, resolve }])
        if (!cancel) lookLater()
      })
    },
    stopWaiting() {
      cancel?.()
      for (const runId of [...waiting.keys()]) settle(runId, false)
    },
  }
}
