// Writes the items of one event-loop tick together; those that arrive meanwhile come next, in
// order. Promises that items which must not be lost are retried for as long as the process lives
// if the database is unavailable; each caller chooses whether to wait for that. A bad item harms
// only itself.
import { systemClock, type Timers } from '#core/clock.ts'
import { coalesce } from '#core/coalesce.ts'
import { StoreUnavailable } from '../db.ts'

/** Long enough not to burden a database that is starting, short enough that nobody waits long. */
const retryMs = 1_000

export type KeptWrites<Item> = {
  /**
   * Resolves once the item is written or kept, and rejects if it is neither. With `isWaiting`, it
   * resolves only once the item is written, however long that takes.
   */
  add(item: Item, options?: { isWaiting: boolean }): Promise<void>
  /** Items that wait for the database to come back. */
  kept(): number
  /** Tries the kept items once more. Nothing is retried automatically after this. */
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
  /** All or none. Call `take` when the transaction begins, so that late items are included. */
  write(take: () => Item[]): Promise<void>
  /** What to write instead once the database is back; undefined if nothing. */
  keep(item: Item, error: StoreUnavailable): { item: Item; isCallerDone: boolean } | undefined
  timers?: Pick<Timers, 'after'>
}): KeptWrites<Item> {
  let waiting: Waiting<Item>[] = []
  let kept: Waiting<Item>[] = []
  const { timers = systemClock } = options
  const writing = coalesce(() => writeBatch(), { afterMs: retryMs, timers })

  /** Items that could not be written go back to the front: later ones may build on them. */
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
