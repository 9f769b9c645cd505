import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { callbacksOf } from '#store/tables/deliveries.ts'
import { rotateWebhookSecret } from '#store/tables/webhook-secrets.ts'
import { databases } from '../../support/databases.ts'
import { type Received, startReceiver } from './receiver.ts'
import {
  afterAttempts,
  box,
  callbackOf,
  endedRun,
  endRun,
  newId,
  openSetting,
  recordRunEnd,
  runUrl,
  secretOf,
  until,
} from './setting.ts'

const hourMs = 3_600_000

/** What the independent library says; throws where it refuses. */
const verify = (key: Uint8Array, { body, headers }: Received) =>
  new Webhook(`whsec_${Buffer.from(key).toString('base64')}`).verify(
    body,
    headers as Record<string, string>,
  )

for (const { name, open } of databases) {
  describe(`webhooks on ${name}`, () => {
    test('an ended run reaches its callback once, signed, and its record says so', async () => {
      await using setting = await openSetting(open)
      await using receiver = await startReceiver()
      const { db, accountId } = setting
      const url = `${receiver.url}?token=secret#part`
      const run = await endRun(db, { accountId, callbackUrl: url })
      const row = await afterAttempts(db, accountId, 1)
      const [received] = receiver.received
      assert.ok(received)
      const { current } = await secretOf(db, accountId)
      assert.deepEqual(verify(current, received), {
        type: 'workflow.run.completed',
        timestamp: '1970-01-01T00:00:02.000Z',
        data: {
          runId: run.runId,
          workflowId: 7,
          status: 'COMPLETED',
          outputs: { answer: 'Grüße' },
          nodeErrors: [],
          metadata: { order: 'A-1' },
          cost: { amount: 0.25, currency: 'USD' },
          createdAt: '1970-01-01T00:00:01.000Z',
          completedAt: '1970-01-01T00:00:02.000Z',
          inFlightTaskMayComplete: false,
          runUrl: runUrl(run.runId),
        },
      })
      assert.equal(received.path, '/hook?token=secret')
      assert.equal(received.headers['content-type'], 'application/json')
      assert.match(String(received.headers['webhook-id']), /^msg_[0-9a-f]{32}$/)
      assert.equal(row.webhook_id, received.headers['webhook-id'])
      assert.deepEqual(await callbackOf(db, run.runId), {
        url: receiver.url,
        status: 'DELIVERED',
        attempts: 1,
        lastStatusCode: 204,
      })
      assert.equal(receiver.received.length, 1)
      assert.deepEqual(setting.worker.errors, [])
    })

    test('a run without a callback tells nobody', async () => {
      await using setting = await openSetting(open)
      const { db, accountId } = setting
      const run = await endRun(db, { accountId, callbackUrl: null })
      assert.equal(await callbackOf(db, run.runId), undefined)
      assert.equal((await callbacksOf(db, [])).size, 0)
    })

    test('a run whose end was rolled back tells nobody', async () => {
      await using setting = await openSetting(open)
      await using receiver = await startReceiver()
      const { db, accountId } = setting
      const undone = endedRun({ accountId, callbackUrl: receiver.url })
      await assert.rejects(
        db.transaction(async (tx) => {
          await recordRunEnd(tx, undone)
          throw new Error('the end did not hold')
        }),
      )
      const run = await endRun(db, { accountId, callbackUrl: receiver.url })
      await afterAttempts(db, accountId, 1)
      const told = receiver.received.map(({ body }) => JSON.parse(body).data.runId)
      assert.deepEqual(told, [run.runId])
    })

    test('a changed body, a changed identifier and another key are refused', async () => {
      await using setting = await openSetting(open)
      await using receiver = await startReceiver()
      const { db, accountId } = setting
      await endRun(db, { accountId, callbackUrl: receiver.url })
      await afterAttempts(db, accountId, 1)
      const [received] = receiver.received
      assert.ok(received)
      const { current } = await secretOf(db, accountId)
      assert.ok(verify(current, received))
      const body = received.body.replace('COMPLETED', 'FAILED   ')
      const headers = { ...received.headers, 'webhook-id': 'msg_other' }
      for (const attack of [
        () => verify(current, { ...received, body }),
        () => verify(current, { ...received, headers }),
        () => verify(randomBytes(32), received),
      ])
        assert.throws(attack, WebhookVerificationError)
    })

    test('for 24 hours after a rotation both secrets verify, then only the new one', async () => {
      await using setting = await openSetting(open)
      await using receiver = await startReceiver()
      const { db, accountId, clock } = setting
      const { current: old } = await secretOf(db, accountId)
      const fresh = randomBytes(32)
      await rotateWebhookSecret(db, box, accountId, {
        secret: fresh,
        previousUntilMs: clock.at + 24 * hourMs,
        nowMs: clock.at,
      })
      await endRun(db, { accountId, callbackUrl: receiver.url })
      await receiver.arrived(1)
      const [during] = receiver.received
      assert.ok(during && verify(old, during) && verify(fresh, during))
      assert.equal(String(during.headers['webhook-signature']).split(' ').length, 2)
      setting.pass(24 * hourMs)
      await endRun(db, { accountId, callbackUrl: receiver.url })
      await receiver.arrived(2)
      const [, after] = receiver.received
      assert.ok(after)
      assert.match(String(after.headers['webhook-signature']), /^v1,[A-Za-z0-9+/]{43}=$/)
      const expected = new Webhook(fresh.toString('base64')).sign(
        String(after.headers['webhook-id']),
        new Date(Number(after.headers['webhook-timestamp']) * 1_000),
        after.body,
      )
      assert.equal(after.headers['webhook-signature'], expected)
    })

    test('an account that never asked for its secret gets signed deliveries', async () => {
      await using setting = await openSetting(open)
      await using receiver = await startReceiver()
      const { db, accountId } = setting
      for (let i = 0; i < 5; i++) await endRun(db, { accountId, callbackUrl: receiver.url })
      await receiver.arrived(5)
      const { current } = await secretOf(db, accountId)
      for (const received of receiver.received) assert.ok(verify(current, received))
    })

    test('of many runs each has its own callback state', async () => {
      await using setting = await openSetting(open)
      await using good = await startReceiver()
      await using gone = await startReceiver()
      gone.always({ status: 410 })
      const { db, accountId } = setting
      const first = await endRun(db, { accountId, callbackUrl: good.url })
      const second = await endRun(db, { accountId, callbackUrl: gone.url })
      const quiet = await endRun(db, { accountId, callbackUrl: null })
      const callbacks = await until(async () => {
        const found = await callbacksOf(db, [first.runId, second.runId, quiet.runId, newId()])
        return [...found.values()].every(({ attempts }) => attempts === 1) && found
      })
      const states = [first, second, quiet].map(({ runId }) => callbacks.get(runId)?.status)
      assert.deepEqual(states, ['DELIVERED', 'DISABLED', undefined])
      assert.equal(callbacks.size, 2)
    })
  })
}
