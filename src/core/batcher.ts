// Gathers items that are added at about the same time into batches.
//
//   add ─▶ waiting ─▶ run(take) ─▶ every entry is answered by the run that took it
//             ▲
//             └─ grows while `atOnce` runs are in progress
//
// A run decides when it takes its entries: one that has to wait for a connection takes late, and
// then also gets what was added in the meantime. If a run throws, every entry that it took and has
// not answered is rejected with that error. Nothing is retried here: only the run knows whether a
// failed batch can be retried, as a whole or entry by entry.

import { systemClock, type Timers } from './clock.ts'

export type Entry<Item, Answer> = {
  readonly item: Item
  resolve(answer: Answer): void
  reject(error: unknown): void
}

/** Returns the oldest waiting entries: at most `limit` per call, and `maxItems` per run. */
export type Take<Item, Answer> = (limit?: number) => Entry<Item, Answer>[]

export type Batcher<Item, Answer> = {
  add(item: Item): Promise<Answer>
  /** Entries that no run has taken yet. */
  readonly waiting: number
  /** Resolves when nothing waits and no run is in progress. */
  idle(): Promise<void>
}

export function createBatcher<Item, Answer = void>(
  run: (take: Take<Item, Answer>) => Promise<void>,
  {
    maxItems = Number.POSITIVE_INFINITY,
    atOnce = 1,
    start = 'after-tick',
    timers = systemClock,
  }: {
    maxItems?: number
    /** How many runs may be in progress at the same time. */
    atOnce?: number
    /** `at-once` suits a run that takes late; otherwise the first entry would be a batch of one. */
    start?: 'after-tick' | 'at-once'
    timers?: Pick<Timers, 'nextTick'>
  } = {},
): Batcher<Item, Answer> {
  const waiting: Entry<Item, Answer>[] = []
  let running = 0
  let isScheduled = false
  let idle: PromiseWithResolvers<void> | undefined

  function schedule() {
    if (waiting.length === 0 && running === 0) idle?.resolve()
    if (isScheduled || waiting.length === 0 || running === atOnce) return
    if (start === 'at-once') return void runOnce()
    isScheduled = true
    // After everything that this tick still adds.
    timers.nextTick(runScheduled)
  }

  function runScheduled() {
    isScheduled = false
    void runOnce()
    schedule()
  }

  async function runOnce() {
    running++
    const taken: Entry<Item, Answer>[] = []
    try {
      await run((limit = maxItems) => {
        const entries = waiting.splice(0, Math.min(limit, maxItems - taken.length))
        taken.push(...entries)
        return entries
      })
    } catch (error) {
      for (const { reject } of taken) reject(error)
    }
    running--
    schedule()
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject })
        schedule()
      }),
    get waiting() {
      return waiting.length
    },
    async idle() {
      if (waiting.length === 0 && running === 0) return
      idle ??= Promise.withResolvers()
      await idle.promise
      idle = undefined
    },
  }
}
