import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { listDeliveries } from '#store/tables/deliveries.ts'
import { registerWorker } from '#store/tables/workers.ts'
import { databases } from '../../support/databases.ts'
import { startReceiver } from './receiver.ts'
import {
  addAccount,
  endedRun,
  endRun,
  newId,
  openSetting,
  recordRunEnd,
  startWorker,
  until,
} from './setting.ts'

const limits = { all: 12, account: 8, host: 6, queue: 4 }

for (const { name, open } of databases) {
  describe(`slow receivers on ${name}`, () => {
    test("a receiver that does not answer delays neither the account's others nor other accounts", async () => {
      await using setting = await openSetting(open, { limits })
      await using slow = await startReceiver()
      await using quick = await startReceiver()
      slow.always('hold')
      const { db, accountId } = setting
      const other = await addAccount(db)
      for (let i = 0; i < 30; i++) await endRun(db, { accountId, callbackUrl: slow.url })
      await slow.arrived(limits.queue)
      for (let i = 0; i < 20; i++) {
        await endRun(db, { accountId, callbackUrl: quick.url })
        await endRun(db, { accountId: other, callbackUrl: quick.url })
      }
      await quick.arrived(40)
      assert.equal(slow.received.length, limits.queue)
      // Another account's runs still get through to the slow one, up to its share.
      await endRun(db, { accountId: other, callbackUrl: slow.url })
      await slow.arrived(limits.queue + 1)
      slow.release()
      await slow.arrived(31)
    })

    test('an account with many dead receivers leaves room for the others', async () => {
      await using setting = await openSetting(open, { limits })
      await using quick = await startReceiver()
      const dead = await Promise.all(Array.from({ length: 5 }, startReceiver))
      const { db, accountId } = setting
      for (const receiver of dead) {
        receiver.always('hold')
        for (let i = 0; i < 5; i++) await endRun(db, { accountId, callbackUrl: receiver.url })
      }
      const arrived = () => dead.reduce((sum, { received }) => sum + received.length, 0)
      await until(async () => arrived() === limits.account)
      const other = await addAccount(db)
      for (let i = 0; i < 20; i++) await endRun(db, { accountId: other, callbackUrl: quick.url })
      await quick.arrived(20)
      assert.equal(arrived(), limits.account)
      for (const receiver of dead) await receiver[Symbol.asyncDispose]()
    })

    test('a dead receiver many accounts use takes only its share', async () => {
      await using setting = await openSetting(open, { limits })
      await using popular = await startReceiver()
      await using quick = await startReceiver()
      popular.always('hold')
      const { db, accountId } = setting
      for (let i = 0; i < 10; i++) {
        const callbackUrl = popular.url
        await endRun(db, { accountId: await addAccount(db), callbackUrl })
      }
      await popular.arrived(limits.host)
      for (let i = 0; i < 20; i++) await endRun(db, { accountId, callbackUrl: quick.url })
      await quick.arrived(20)
      assert.equal(popular.received.length, limits.host)
    })

    test('thousands of deliveries that wait for their retry do not stand in the way', async () => {
      await using setting = await openSetting(open, { limits })
      await using quick = await startReceiver()
      const { db, clock } = setting
      const ended = Array.from({ length: 2_000 }, (_, i) =>
        endedRun({ accountId: newId(), callbackUrl: `https://dead-${i}.example.com/` }),
      )
      // In parts: a busy machine may take longer for all of them than a transaction may last.
      for (let i = 0; i < ended.length; i += 100) {
        await db.transaction(async (tx) => {
          await recordRunEnd(tx, ...ended.slice(i, i + 100))
          await tx.write(
            `update deliveries set retry_at = $1 where retry_at is null or retry_at <> $1`,
            [clock.at + 3_600_000],
          )
        })
      }
      // After all of them in the order of queues.
      const accountId = 'ffffffff-ffff-7fff-8fff-ffffffffffff'
      await db.write(`insert into accounts (id, name, created_at) values ($1, 'last', 1)`, [
        accountId,
      ])
      await endRun(db, { accountId, callbackUrl: quick.url })
      await quick.arrived(1)
      const [touched] = await db.query<{ n: number }>(
        `select count(*) as n from deliveries where epoch > 0 and account_id <> $1`,
        [accountId],
      )
      assert.equal(touched?.n, 0)
    })

    test('several workers share the work and deliver each event once', async () => {
      await using setting = await openSetting(open, { limits })
      const { db, clock, accountId } = setting
      await using first = await startReceiver()
      await using second = await startReceiver()
      // A lease of its own, without freeing what the first worker holds.
      await registerWorker(db, 'second', 60_000)
      const keeper = {
        current: () => ({
          workerId: 'second',
          lost: new AbortController().signal,
          isCertain: () => true,
        }),
        release: async () => undefined,
      }
      await using peer = await startWorker(db, { clock, keeper, limits })
      const runs = await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          endRun(db, { accountId, callbackUrl: i % 2 ? first.url : second.url }),
        ),
      )
      await until(async () => {
        const { rows } = await listDeliveries(db, accountId, {}, { before: null, limit: 200 })
        return rows.every(({ status }) => status === 'DELIVERED')
      })
      const told = [...first.received, ...second.received].map(
        ({ body }) => JSON.parse(body).data.runId as string,
      )
      assert.deepEqual(told.sort(), runs.map(({ runId }) => runId).sort())
      assert.deepEqual([...setting.worker.errors, ...peer.errors], [])
    })
  })
}
