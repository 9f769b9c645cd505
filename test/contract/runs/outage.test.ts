import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { keepLease } from '#engine/work/lease-keeper.ts'
import { type Db, StoreUnavailable } from '#store/db.ts'
import { leasesIn } from '#store/engine/leases.ts'
import { eventually } from '../../journeys/generation/setting.ts'
import { databases } from '../../support/databases.ts'
import { migrations } from './setting.ts'

/** One process's way to the database, which can be cut. */
function wayTo(db: Db) {
  const way = { isCut: false }
  const through = async <T>(work: () => Promise<T>): Promise<T> => {
    if (way.isCut) throw new StoreUnavailable('it is away')
    return work()
  }
  const cuttable: Db = {
    ...db,
    write: (sql, params) => through(() => db.write(sql, params)),
    transaction: (work, options) => through(() => db.transaction(work, options)),
  }
  return { way, db: cuttable }
}

const leaseMs = 3_000

describe('a database that was away longer than a lease', () => {
  test('costs no worker its work: who is back first gives the others time', async (t) => {
    const opened = await databases.find(({ name }) => name === 'postgres')?.open({ migrations })
    assert.ok(opened)
    t.after(opened.close)
    const options = { clock: systemClock, leaseMs, onError: () => {} }
    const [first, second] = [wayTo(opened.db), wayTo(opened.db)]
    const keepers = [
      await keepLease(leasesIn(first.db), options),
      await keepLease(leasesIn(second.db), options),
    ]
    const leases = keepers.map((keeper) => keeper.current())
    first.way.isCut = true
    second.way.isCut = true
    const running = () =>
      opened.db.query<{ id: string }>(
        `select id from workers
         where lease_until > (extract(epoch from clock_timestamp()) * 1000)::bigint`,
      )
    await eventually(running, (alive) => alive.length === 0)
    first.way.isCut = false
    await eventually(running, (alive) => alive.length === 1)
    // Its next transaction is the one that would take the others for dead.
    await first.db.transaction((tx) => tx.query('select 1 as one'))
    second.way.isCut = false
    const alive = await eventually(running, (workers) => workers.length === 2)
    assert.deepEqual(alive.map(({ id }) => id).sort(), leases.map((one) => one.workerId).sort())
    assert.deepEqual(
      leases.map(({ lost }) => lost.aborted),
      [false, false],
    )
    for (const keeper of keepers) await keeper.release()
  })
})
