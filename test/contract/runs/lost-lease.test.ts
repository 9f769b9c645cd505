import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { LeaseLost } from '#core/interruptions.ts'
import { startTaskWorker } from '#engine/tasks/task-worker.ts'
import { keepLease } from '#engine/work/lease-keeper.ts'
import type { Provider } from '#providers/provider.ts'
import type { Db } from '#store/db.ts'
import { leasesIn } from '#store/engine/leases.ts'
import { releaseOrphans } from '#store/tables/claims.ts'
import { databases } from '../../support/databases.ts'
import { addAccount, endRun, handClock, startWorker } from '../deliveries/setting.ts'
import { addTask } from '../tasks/setting.ts'
import { taskWorkerOf } from '../tasks/task-worker.ts'
import {
  addRun,
  addWorkflow,
  chain,
  countingProvider,
  migrations,
  newAccount,
  rowOf,
  startProcess,
  until,
} from './setting.ts'

const silent = { onError: () => {} }

/** As another worker does that finds the lease of this one run out. */
const takeLeases = (db: Db) =>
  db.transaction(async (tx) => {
    await tx.write('delete from workers')
    await releaseOrphans(tx)
  })

for (const { name, open } of databases) {
  describe(`on ${name}, a worker whose lease was taken`, () => {
    test('is told so, and goes on under another name', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const keeper = await keepLease(leasesIn(db), { clock: systemClock, leaseMs: 60, ...silent })
      const { workerId, lost } = keeper.current()
      const told = new Promise((resolve) => lost.addEventListener('abort', resolve))
      await takeLeases(db)
      await told
      assert.ok(lost.reason instanceof LeaseLost)
      await until(() => keeper.current().workerId !== workerId)
      assert.equal(keeper.current().lost.aborted, false)
      await keeper.release()
      assert.deepEqual(await db.query('select id from workers'), [])
    })

    test('leaves its runs, so that they can go on, also in the same process', async (t) => {
      await using opened = await open({ migrations })
      const { db } = opened
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(1))
      const provider = countingProvider()
      provider.held.add('x')
      // Ticks would find out too, as soon as they have progress to store.
      t.mock.timers.enable({ apis: ['setInterval'] })
      const process = await startProcess(db, provider, { activePerAccount: 1 })
      const id = await addRun(db, accountId, workflow, { inputs: '{"in":"x"}' })
      await until(() => provider.asked.has('x'))
      await takeLeases(db)
      await process.renew()
      // Its call is still out: a run that held on to its slot would never be claimed again.
      await until(async () => {
        process.worker.wake()
        return (await rowOf(db, id)).completed_at !== null
      })
      assert.equal((await rowOf(db, id)).epoch, 2)
      provider.open('x')
      await process.bury()
    })

    test('cuts the calls of its tasks', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const keeper = await keepLease(leasesIn(db), { clock: systemClock, leaseMs: 60, ...silent })
      const called = Promise.withResolvers<void>()
      const cut = Promise.withResolvers<unknown>()
      const provider: Provider = {
        name: 'slow',
        submit: (_request, { signal }) =>
          new Promise((_resolve, reject) => {
            called.resolve()
            signal.addEventListener('abort', () => {
              cut.resolve(signal.reason)
              reject(signal.reason)
            })
          }),
      }
      const worker = await startTaskWorker({
        ...taskWorkerOf(db, provider),
        keeper,
      })
      await addTask(db, newAccount(), { model: 'm', nowMs: Date.now() })
      worker.wake()
      await called.promise
      await takeLeases(db)
      assert.ok((await cut.promise) instanceof LeaseLost)
      await worker.stop()
      await keeper.release()
    })

    test('cuts the deliveries it makes', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const keeper = await keepLease(leasesIn(db), { clock: systemClock, leaseMs: 60, ...silent })
      const called = Promise.withResolvers<void>()
      const cut = Promise.withResolvers<unknown>()
      await using _worker = await startWorker(db, {
        clock: handClock(),
        keeper,
        gateway: {
          request: (_url, { signal }) =>
            new Promise((_resolve, reject) => {
              const stop = () => {
                cut.resolve(signal?.reason)
                reject(signal?.reason)
              }
              called.resolve()
              if (signal?.aborted) stop()
              signal?.addEventListener('abort', stop)
            }),
        },
      })
      await endRun(db, { accountId: await addAccount(db) })
      await called.promise
      await takeLeases(db)
      assert.ok((await cut.promise) instanceof LeaseLost)
      await keeper.release()
    })

    test('but that was only held up after it renewed its lease keeps what it has', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      let looks = 0
      const slow: Db = {
        ...db,
        async transaction(work) {
          // So long passed since the lease was renewed.
          await db.write('update workers set lease_until = 1')
          looks++
          return db.transaction(work)
        },
      }
      const keeper = await keepLease(leasesIn(slow), { clock: systemClock, leaseMs: 60, ...silent })
      const lease = keeper.current()
      await until(() => looks >= 3)
      assert.equal(keeper.current(), lease)
      assert.equal(lease.lost.aborted, false)
      await keeper.release()
    })
  })
}
