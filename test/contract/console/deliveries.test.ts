import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { Failure } from '#core/errors.ts'
import { sendWebhook } from '#engine/deliveries/send-webhook.ts'
import { createGateway } from '#outbound/gateway.ts'
import { deliveriesIn } from '#store/engine/deliveries.ts'
import { deleteOldDeliveries } from '#store/tables/deliveries.ts'
import { databases } from '../../support/databases.ts'
import { box as consoleBox } from '../auth/setting.ts'
import { startReceiver } from '../deliveries/receiver.ts'
import { afterAttempts, endRun, handClock, startWorker, until } from '../deliveries/setting.ts'
import { type List, openPeople, refusedAt, type Someone, tampered } from './people.ts'

type Try = {
  at: string
  statusCode: number | null
  ms: number
  error: string | null
  body: string | null
}
type Delivery = { id: string; runId: string; status: string; attempts: number }
type Detail = Delivery & { url: string; payload: { type: string; data: object }; tries: Try[] }
type Tested = { webhookId: string; status: string; url: string; payload: object; tries: Try[] }

const list = (someone: Someone, query: Record<string, string> = {}) =>
  someone.data<List<Delivery>>('listDeliveries', { query })
const detail = (someone: Someone, deliveryId: string) =>
  someone.data<Detail>('getDelivery', { params: { deliveryId } })

for (const { name, open } of databases) {
  describe(`deliveries in the console on ${name}`, () => {
    test('every attempt is shown, with the beginning of its answer', async () => {
      await using people = await openPeople(open)
      await using receiver = await startReceiver()
      const { db, me } = people
      const clock = handClock()
      await using worker = await startWorker(db, { clock })
      const long = `${'x'.repeat(1022)}äöü`
      receiver.script(
        { status: 500, body: 'out of order \u0000 today: GET /?token=secret' },
        { status: 503, body: long },
        { status: 502, body: Buffer.from([0xff, 0xfe, 0x41]) },
        'hang-up',
        { status: 204 },
      )
      const callbackUrl = `${receiver.url}?token=secret`
      const run = await endRun(db, { accountId: me.accountId, callbackUrl })
      for (let attempt = 1; attempt < 5; attempt++) {
        await afterAttempts(db, me.accountId, attempt)
        clock.at += 26 * 3_600_000
        worker.wake()
      }
      const delivered = await until(async () => {
        const { items } = await list(me, { status: 'DELIVERED' })
        return items[0]
      })
      const shown = await detail(me, delivered.id.toUpperCase())
      assert.equal(shown.attempts, 5)
      assert.deepEqual(
        shown.tries.map(({ statusCode, body }) => [statusCode, body]),
        [
          [500, 'out of order   today: GET /?token=•••'],
          [503, `${'x'.repeat(1022)}ä`],
          [502, '\ufffd\ufffdA'],
          [null, null],
          [204, null],
        ],
      )
      assert.deepEqual(
        shown.tries.map(({ error }) => error === null),
        [false, false, false, false, true],
      )
      assert.deepEqual(
        shown.tries.map(({ at }) => at),
        shown.tries.map(({ at }) => at).toSorted(),
      )
      assert.equal(shown.payload.type, 'workflow.run.completed')
      assert.deepEqual(shown.payload, JSON.parse(receiver.received[0]?.body ?? ''))
      assert.equal(shown.runId, run.runId)
      assert.equal(shown.url, receiver.url)
      assert.doesNotMatch(JSON.stringify(shown), /token=secret/)
    })

    test('an endless answer is kept in its beginning and delays nothing', async () => {
      await using people = await openPeople(open)
      await using receiver = await startReceiver()
      const { db, me } = people
      await using _worker = await startWorker(db, { clock: handClock() })
      receiver.script({ status: 410, body: Buffer.alloc(2_000_000, 'a') })
      await endRun(db, { accountId: me.accountId, callbackUrl: receiver.url })
      await afterAttempts(db, me.accountId, 1)
      const [one] = (await list(me)).items
      const { tries } = await detail(me, one?.id ?? '')
      assert.equal(tries[0]?.body, 'a'.repeat(1024))
    })

    test('lists by state and run, by cursors that new rows do not disturb', async () => {
      await using people = await openPeople(open)
      const { db, me } = people
      const runs: string[] = []
      for (let i = 0; i < 6; i++) {
        runs.push((await endRun(db, { accountId: me.accountId })).runId)
      }
      await db.write(
        `update deliveries set status = 'FAILED', completed_at = 1 where seq in (2, 5)`,
      )
      const runsOf = (items: readonly Delivery[]) => items.map(({ runId }) => runId)
      const failed = await me.all<Delivery>('listDeliveries', { status: 'FAILED', size: '1' })
      assert.deepEqual(runsOf(failed), [runs[4], runs[1]])
      const first = await list(me, { size: '3' })
      await endRun(db, { accountId: me.accountId })
      const second = await list(me, { size: '3', cursor: first.next ?? '' })
      assert.deepEqual(runsOf([...first.items, ...second.items]), runs.toReversed())
      const runId = runs[1] ?? ''
      const [old] = (await list(me, { runId })).items
      await me.data('redeliverWebhook', { params: { deliveryId: old?.id ?? '' } })
      const both = await me.all<Delivery>('listDeliveries', { runId, size: '1' })
      assert.deepEqual(
        both.map(({ status }) => status),
        ['PENDING', 'FAILED'],
      )
      assert.deepEqual((await list(me, { runId, status: 'FAILED' })).items, [old])
    })

    test('a stranger finds none, and what is no filter is a bad request', async () => {
      await using people = await openPeople(open)
      const { db, me, stranger, nobody } = people
      const { runId } = await endRun(db, { accountId: me.accountId })
      await endRun(db, { accountId: me.accountId })
      const { items, next } = await list(me, { size: '1' })
      const deliveryId = items[0]?.id ?? ''
      assert.ok(next)
      for (const query of [{}, { runId }] as Record<string, string>[]) {
        assert.deepEqual(await list(stranger, query), { items: [], next: null })
      }
      for (const id of [deliveryId, crypto.randomUUID()]) {
        const refusal = await stranger.refusal('getDelivery', { params: { deliveryId: id } })
        assert.deepEqual([refusal.status, refusal.message], [404, 'There is no such delivery.'])
      }
      const params = { deliveryId }
      assert.equal((await nobody.refusal('getDelivery', { params })).code, 'AUTH_REQUIRED')
      const bad = (field: string) => [400, 'INVALID_REQUEST', `/query/${field}`]
      const cursors = [tampered(next), 'x', '']
      for (const cursor of cursors) {
        const refused = await refusedAt(me, 'listDeliveries', { query: { cursor } })
        assert.deepEqual(refused, bad('cursor'))
      }
      const stolen = { query: { cursor: next } }
      assert.deepEqual(await refusedAt(stranger, 'listDeliveries', stolen), bad('cursor'))
      for (const [field, value] of [
        ['status', 'SENT'],
        ['runId', 'x'],
        ['size', '0'],
      ] as const) {
        const refused = await refusedAt(me, 'listDeliveries', { query: { [field]: value } })
        assert.deepEqual(refused, bad(field))
      }
    })

    test('attempts go with their delivery when its time is over', async () => {
      await using people = await openPeople(open)
      await using receiver = await startReceiver()
      const { db, me } = people
      await using _worker = await startWorker(db, { clock: handClock() })
      await endRun(db, { accountId: me.accountId, callbackUrl: receiver.url })
      await afterAttempts(db, me.accountId, 1)
      const count = () => db.query('select 1 as one from delivery_tries')
      assert.equal((await count()).length, 1)
      assert.equal(await deleteOldDeliveries(db, Number.MAX_SAFE_INTEGER, 500), 1)
      assert.deepEqual(await count(), [])
    })

    test('a test is signed like every delivery, made once, and shows the answer', async () => {
      await using receiver = await startReceiver()
      const gateway = createGateway({ allow: ['127.0.0.1/32'] })
      const parts = { gateway, makeSecret: () => assert.fail('there is one') }
      await using people = await openPeople(open, {
        checkCallbackUrl: gateway.check,
        sendWebhook(message) {
          const deliveries = deliveriesIn(people.db, consoleBox)
          return sendWebhook({ ...parts, deliveries, clock: people.clock }, message, unending)
        },
      })
      const { me } = people
      people.clock.at = Date.now()
      const { secret } = await me.data<{ secret: string }>('getWebhookSecret')
      receiver.script({ status: 418, body: 'short and stout' })
      const body = { url: `${receiver.url}?token=secret` }
      const tested = await me.data<Tested>('testWebhook', { body })
      assert.deepEqual(
        [tested.status, tested.tries[0]?.statusCode, tested.tries[0]?.body, tested.url],
        ['FAILED', 418, 'short and stout', receiver.url],
      )
      const [received] = receiver.received
      assert.ok(received)
      assert.equal(received.path, '/hook?token=secret')
      const headers = received.headers as Record<string, string>
      assert.deepEqual(new Webhook(secret).verify(received.body, headers), tested.payload)
      assert.equal(headers['webhook-id'], tested.webhookId)
      assert.equal((await me.data<Tested>('testWebhook', { body })).status, 'DELIVERED')
      assert.equal(receiver.received.length, 2)
      assert.deepEqual((await list(me)).items, [])
      await gateway.close()
    })

    test('a test goes to no private address, and not often', async () => {
      const sent: string[] = []
      await using people = await openPeople(open, {
        checkCallbackUrl: async (url) => {
          if (url.includes('10.0.0.1')) throw new Failure('CALLBACK_URL_REJECTED')
        },
        sendWebhook: async ({ url }) => {
          sent.push(url)
          const outcome = { statusCode: null, error: 'No answer.', body: null }
          return { outcome, startedAtMs: 1, endedAtMs: 2 }
        },
      })
      const { me, stranger, nobody, clock } = people
      const inside = { body: { url: 'http://10.0.0.1/' } }
      assert.equal((await me.refusal('testWebhook', inside)).code, 'CALLBACK_URL_REJECTED')
      const outside = { body: { url: 'https://hook.example.com/' } }
      assert.equal((await nobody.refusal('testWebhook', outside)).code, 'AUTH_REQUIRED')
      const forged = await me.refusal('testWebhook', { ...outside, origin: 'other' })
      assert.equal(forged.code, 'ORIGIN_NOT_ALLOWED')
      for (const body of [{}, { url: 7 }, { url: 'x'.repeat(2_049) }]) {
        assert.equal((await me.refusal('testWebhook', { body })).code, 'INVALID_REQUEST')
      }
      for (let i = 0; i < 9; i++) await me.data('testWebhook', outside)
      const refusal = await me.refusal('testWebhook', outside)
      assert.deepEqual([refusal.code, refusal.retryAfterSeconds], ['RATE_LIMITED', 60])
      await stranger.data('testWebhook', outside)
      clock.at += 60_000
      await me.data('testWebhook', outside)
      assert.equal(sent.length, 11)
    })
  })
}

const unending = new AbortController().signal
