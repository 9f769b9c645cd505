import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Db } from '#store/db.ts'
import { deleteOldDeliveries, listDeliveries, redeliver } from '#store/tables/deliveries.ts'
import { lockList } from '#store/tables/sequences.ts'
import { databases } from '../../support/databases.ts'
import { openConsole } from '../auth/console.ts'
import { startReceiver } from './receiver.ts'
import {
  callbackOf,
  endRun,
  migrations,
  newestDelivery,
  newId,
  openSetting,
  until,
} from './setting.ts'

type Delivery = {
  id: string
  webhookId: string
  runId: string
  url: string
  status: string
  attempts: number
  lastStatusCode: number | null
  lastError: string | null
  nextAttemptAt: string | null
  completedAt: string | null
}
type Page = { items: Delivery[]; next: string | null }

/** Two signed-in people with accounts of their own. */
async function openPeople(setting: Awaited<ReturnType<typeof openSetting>>) {
  const { browser } = await openConsole(setting.db, setting.clock)
  const person = async () => {
    const own = browser()
    const email = `${randomBytes(8).toString('hex')}@example.com`
    const signedIn = await own.data<{ account: { id: string } }>('signUp', {
      body: { email, password: 'correct horse battery' },
    })
    const list = (query: Record<string, string> = {}) => own.data<Page>('listDeliveries', { query })
    const again = (deliveryId: string) =>
      own.data<Delivery>('redeliverWebhook', { params: { deliveryId } })
    const ended = () =>
      until(async () => {
        const { items } = await list()
        return items.every(({ status }) => status !== 'PENDING') && items
      })
    return { ...own, accountId: signedIn.account.id, list, again, ended }
  }
  return { nobody: browser(), me: await person(), stranger: await person() }
}

/** Connections to this database that wait for another's lock. */
async function countWaiting(db: Db): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    `select count(*) as n from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return row?.n ?? 0
}

for (const { name, open } of databases) {
  describe(`the delivery log on ${name}`, () => {
    test('lists every delivery once, newest first, without the query of its address', async () => {
      await using setting = await openSetting(open)
      await using receiver = await startReceiver()
      const { me } = await openPeople(setting)
      receiver.always({ status: 410 })
      const runIds = []
      for (let i = 0; i < 7; i++) {
        const callbackUrl = `${receiver.url}?token=secret`
        runIds.push((await endRun(setting.db, { accountId: me.accountId, callbackUrl })).runId)
      }
      await me.ended()
      const pages: Page[] = []
      do {
        const cursor = pages.at(-1)?.next
        pages.push(await me.list({ size: '3', ...(cursor ? { cursor } : {}) }))
      } while (pages.at(-1)?.next)
      assert.deepEqual(
        pages.map(({ items }) => items.map(({ runId }) => runId)),
        [runIds.slice(4), runIds.slice(1, 4), runIds.slice(0, 1)].map((ids) => ids.toReversed()),
      )
      const [newest] = pages[0]?.items ?? []
      assert.deepEqual(
        [newest?.url, newest?.status, newest?.lastStatusCode, newest?.lastError],
        [receiver.url, 'DISABLED', 410, 'The receiver answered 410: it wants no more deliveries.'],
      )
      assert.doesNotMatch(JSON.stringify(pages), /secret/)
    })

    test('a redelivery is a new delivery of the same message', async () => {
      await using setting = await openSetting(open)
      await using receiver = await startReceiver()
      const { me } = await openPeople(setting)
      receiver.script({ status: 410 })
      const run = await endRun(setting.db, { accountId: me.accountId, callbackUrl: receiver.url })
      const [first] = await me.ended()
      assert.ok(first)
      const second = await me.again(first.id.toUpperCase())
      assert.notEqual(second.id, first.id)
      assert.deepEqual([second.status, second.attempts], ['PENDING', 0])
      const after = await me.ended()
      assert.deepEqual(
        after.map(({ id, status }) => [id, status]),
        [
          [second.id, 'DELIVERED'],
          [first.id, 'DISABLED'],
        ],
      )
      assert.equal((await callbackOf(setting.db, run.runId))?.status, 'DELIVERED')
      const [one, two] = receiver.received
      assert.ok(one && two)
      assert.equal(two.body, one.body)
      assert.equal(two.headers['webhook-id'], one.headers['webhook-id'])
      assert.equal(two.headers['webhook-id'], second.webhookId)
    })

    test('a delivery that waits is tried now instead of doubled', async () => {
      await using setting = await openSetting(open)
      await using receiver = await startReceiver()
      const { me } = await openPeople(setting)
      receiver.script({ status: 500 })
      await endRun(setting.db, { accountId: me.accountId, callbackUrl: receiver.url })
      const waiting = await until(async () => {
        const [item] = (await me.list()).items
        return item?.nextAttemptAt ? item : false
      })
      const again = await me.again(waiting.id)
      assert.deepEqual([again.id, again.nextAttemptAt], [waiting.id, null])
      const [ended, ...others] = await me.ended()
      assert.deepEqual([ended?.id, ended?.status, ended?.attempts], [waiting.id, 'DELIVERED', 2])
      assert.deepEqual(others, [])
    })

    test('many who ask at once for a redelivery start one', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const accountId = newId()
      await endRun(db, { accountId })
      const { id } = await newestDelivery(db, accountId)
      await db.write(`update deliveries set status = 'FAILED', completed_at = 1`)
      const gate = Promise.withResolvers<void>()
      const held = Promise.withResolvers<void>()
      const holding = db.transaction(async (tx) => {
        await lockList(tx, accountId, 'deliveries')
        held.resolve()
        await gate.promise
      })
      await held.promise
      const asking = [1, 2, 3].map((nowMs) => redeliver(db, accountId, id, nowMs))
      // All are on their way before the first may go on; SQLite lets none begin earlier.
      if (name === 'postgres') await until(async () => (await countWaiting(db)) === asking.length)
      gate.resolve()
      const answers = await Promise.all([holding, ...asking])
      assert.equal(new Set(answers.slice(1).map((row) => row?.id)).size, 1)
      const { rows } = await listDeliveries(db, accountId, {}, { before: null, limit: 9 })
      assert.equal(rows.length, 2)
    })

    test('a stranger neither sees a delivery nor sends it again', async () => {
      await using setting = await openSetting(open)
      await using receiver = await startReceiver()
      const { me, stranger, nobody } = await openPeople(setting)
      await endRun(setting.db, { accountId: me.accountId, callbackUrl: receiver.url })
      const [mine] = await me.ended()
      assert.ok(mine)
      assert.deepEqual(await stranger.list(), { items: [], next: null })
      for (const deliveryId of [mine.id, newId()]) {
        const refusal = await stranger.refusal('redeliverWebhook', { params: { deliveryId } })
        assert.deepEqual([refusal.status, refusal.message], [404, 'There is no such delivery.'])
      }
      const params = { deliveryId: mine.id }
      assert.equal((await nobody.refusal('listDeliveries')).code, 'AUTH_REQUIRED')
      assert.equal((await nobody.refusal('redeliverWebhook', { params })).code, 'AUTH_REQUIRED')
      const forged = await me.refusal('redeliverWebhook', { params, origin: 'other' })
      assert.equal(forged.code, 'ORIGIN_NOT_ALLOWED')
      assert.equal((await me.list()).items.length, 1)
    })

    test('retention deletes from the old end and keeps open deliveries', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const accountId = newId()
      for (let i = 1; i <= 10; i++) await endRun(db, { accountId, completedAtMs: i })
      await db.write(
        `update deliveries set completed_at = created_at, status = 'FAILED' where seq not in (5, 9)`,
      )
      while ((await deleteOldDeliveries(db, 8, 3)) > 0);
      const { rows } = await listDeliveries(db, accountId, {}, { before: null, limit: 20 })
      assert.deepEqual(
        rows.map(({ seq }) => seq),
        [10, 9, 8, 7, 6, 5],
      )
    })

    test('an open delivery of one account does not keep those of others', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const [held, other] = [newId(), newId()]
      for (let i = 1; i <= 6; i++) await endRun(db, { accountId: held, completedAtMs: i })
      for (let i = 7; i <= 9; i++) await endRun(db, { accountId: other, completedAtMs: i })
      await db.write(
        `update deliveries set completed_at = created_at, status = 'FAILED'
         where account_id = $1 or seq > 1`,
        [other],
      )
      while ((await deleteOldDeliveries(db, 20, 3)) > 0);
      const kept = async (accountId: string) =>
        (await listDeliveries(db, accountId, {}, { before: null, limit: 20 })).rows.length
      assert.deepEqual([await kept(held), await kept(other)], [6, 0])
    })
  })
}
