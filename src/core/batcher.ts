// Does together what is asked for at about the same time.
//
//   add ─▶ waiting ─▶ run(take) ─▶ every entry is answered by the run that took it
//             ▲
//             └─ grows while `atOnce` runs are under way
//
// A run decides when it takes: one that waits for a connection first takes late, and then also
// gets what was added in the meantime. If a run throws, every entry it took and has not answered
// is rejected with that error. Nothing is repeated here: whether a failed batch can be tried
// again, whole or entry by entry, is known only to the run.

export type Entry<Item, Answer> = {
  readonly item: Item
  resolve(answer: Answer): void
  reject(error: unknown): void
}

/** The oldest waiting entries, at most `limit` of them and `maxItems` in all its calls. */
export type Take<Item, Answer> = (limit?: number) => Entry<Item, Answer>[]

export type Batcher<Item, Answer> = {
  add(item: Item): Promise<Answer>
  /** Entries that no run has taken yet. */
  readonly waiting: number
  /** Resolves when nothing waits and no run is under way. */
  idle(): Promise<void>
}

export function createBatcher<Item, Answer = void>(
  run: (take: Take<Item, Answer>) => Promise<void>,
  {
    maxItems = Number.POSITIVE_INFINITY,
    atOnce = 1,
    start = 'after-tick',
  }: {
    maxItems?: number
    /** Runs under way at the same time. */
    atOnce?: number
    /** `at-once` suits a run that takes late; otherwise the first entry would go alone. */
    start?: 'after-tick' | 'at-once'
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
    // An immediate runs after everything this tick still adds.
    setImmediate(runScheduled)
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
