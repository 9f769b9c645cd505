// Writes what comes in one event-loop tick together, and what comes meanwhile next, in order.
// Promises that an item which must not be lost is written again, for as long as the process lives,
// where the database was away; only its caller does not wait for that. One bad item harms only
// itself.
import { coalesce } from '#core/coalesce.ts'
import { StoreUnavailable } from '../db.ts'

/** Long enough to leave a database that starts alone, short beside the time until it is missed. */
const retryMs = 1_000

export type KeptWrites<Item> = {
  /** Done once it is written, or kept; rejects where it is neither. */
  add(item: Item): Promise<void>
  /** Items that wait for the database to come back. */
  kept(): number
  /** Tries once more what is kept; nothing is tried by itself after this. */
  stop(): Promise<void>
}

type Waiting<Item> = { item: Item; done(): void; failed(error: unknown): void }

export function openKeptWrites<Item>(options: {
  /** All or none. `take` is called when the transaction begins, so that late ones are in it. */
  write(take: () => Item[]): Promise<void>
  /** What is to be written instead once the database is back; undefined where nothing is. */
  keep(item: Item, error: StoreUnavailable): { item: Item; isCallerDone: boolean } | undefined
}): KeptWrites<Item> {
  let waiting: Waiting<Item>[] = []
  let kept: Item[] = []
  const writing = coalesce(() => writeBatch(), { afterMs: retryMs })

  /** What could not be written goes to the front again: later items may build on it. */
  function keep(batch: readonly Waiting<Item>[], error: StoreUnavailable) {
    const again: Item[] = []
    for (const { item, done, failed } of batch) {
      const how = options.keep(item, error)
      if (how) again.push(how.item)
      if (how?.isCallerDone) done()
      else failed(error)
    }
    kept = [...again, ...kept]
    if (kept.length > 0) writing.schedule()
  }

  async function writeBatch(taken?: Waiting<Item>[]): Promise<void> {
    let batch = taken
    const take = () => {
      if (!batch) {
        batch = [...kept.map((item) => ({ item, done() {}, failed() {} })), ...waiting]
        ;[kept, waiting] = [[], []]
      }
      return batch.map(({ item }) => item)
    }
    try {
      await options.write(take)
      for (const { done } of batch ?? []) done()
    } catch (error) {
      take()
      const failed = batch ?? []
      if (error instanceof StoreUnavailable) return keep(failed, error)
      if (failed.length === 1) return failed[0]?.failed(error)
      for (const one of failed) await writeBatch([one])
    }
  }

  return {
    add: (item) =>
      new Promise((done, failed) => {
        waiting.push({ item, done, failed })
        void writing.run()
      }),
    kept: () => kept.length,
    async stop() {
      await writing.stop()
      if (kept.length > 0) await writeBatch()
    },
  }
}
