// Writes what comes in one event-loop tick together, and what comes meanwhile next, in order.
// Promises that an item which must not be lost is written again, for as long as the process lives,
// where the database was away; whether its caller waits for that is up to the caller. One bad item
// harms only itself.
import { coalesce } from '#core/coalesce.ts'
import { StoreUnavailable } from '../db.ts'

/** Long enough to leave a database that starts alone, short beside the time until it is missed. */
const retryMs = 1_000

export type KeptWrites<Item> = {
  /**
   * Done once it is written, or kept; rejects where it is neither. `isWaiting`: done once it is
   * written, however long that takes.
   */
  add(item: Item, options?: { isWaiting: boolean }): Promise<void>
  /** Items that wait for the database to come back. */
  kept(): number
  /** Tries once more what is kept; nothing is tried by itself after this. */
  stop(): Promise<void>
}

type Waiting<Item> = {
  item: Item
  isWaiting: boolean
  done(): void
  failed(error: unknown): void
}

const nobody = { isWaiting: false, done() {}, failed() {} }

export function openKeptWrites<Item>(options: {
  /** All or none. `take` is called when the transaction begins, so that late ones are in it. */
  write(take: () => Item[]): Promise<void>
  /** What is to be written instead once the database is back; undefined where nothing is. */
  keep(item: Item, error: StoreUnavailable): { item: Item; isCallerDone: boolean } | undefined
}): KeptWrites<Item> {
  let waiting: Waiting<Item>[] = []
  let kept: Waiting<Item>[] = []
  const writing = coalesce(() => writeBatch(), { afterMs: retryMs })

  /** What could not be written goes to the front again: later items may build on it. */
  function keep(batch: readonly Waiting<Item>[], error: StoreUnavailable) {
    const again: Waiting<Item>[] = []
    for (const one of batch) {
      const how = options.keep(one.item, error)
      if (how?.isCallerDone && one.isWaiting) {
        again.push({ ...one, item: how.item })
        continue
      }
      if (how) again.push({ ...nobody, item: how.item })
      if (how?.isCallerDone) one.done()
      else one.failed(error)
    }
    kept = [...again, ...kept]
    if (kept.length > 0) writing.schedule()
  }

  async function writeBatch(taken?: Waiting<Item>[]): Promise<void> {
    let batch = taken
    const take = () => {
      if (!batch) {
        batch = [...kept, ...waiting]
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
    add: (item, { isWaiting } = nobody) =>
      new Promise((done, failed) => {
        waiting.push({ item, isWaiting, done, failed })
        void writing.run()
      }),
    kept: () => kept.length,
    async stop() {
      await writing.stop()
      if (kept.length > 0) await writeBatch()
    },
  }
}
