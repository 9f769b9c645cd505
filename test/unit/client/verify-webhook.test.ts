import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { signedHeaders } from '#engine/deliveries/sign.ts'
import { verifyWebhook, WebhookError } from '../../../src/client/client.ts'

const nowMs = 1_790_000_000_000
const timestampSeconds = nowMs / 1000
const body = JSON.stringify({
  type: 'workflow.run.completed',
  data: { runId: 'r', outputs: { é: 1 } },
})
const id = 'msg_1'
const bytes = randomBytes(32)
const secret = `whsec_${bytes.toString('base64')}`
const other = `whsec_${randomBytes(32).toString('base64')}`
const signed = signedHeaders({ id, timestampSeconds, body }, [bytes])

const reasonOf = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    (error) => (error instanceof WebhookError ? error.reason : error),
  )

test('what the server signs is accepted, as text or bytes, from any form of headers', async () => {
  const event = JSON.parse(body)
  const upper = Object.fromEntries(
    Object.entries(signed).map(([name, value]) => [name.toUpperCase(), [value]]),
  )
  for (const raw of [body, new TextEncoder().encode(body), Buffer.from(body)]) {
    for (const headers of [signed, new Headers(signed), upper]) {
      assert.deepEqual(await verifyWebhook(raw, headers, secret, { nowMs }), { id, event })
    }
  }
})

test('what the standardwebhooks package signs is accepted, and it accepts the same headers', async () => {
  const webhook = new Webhook(secret)
  const now = new Date()
  const signature = webhook.sign(id, now, body)
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': signature,
  }
  assert.deepEqual(
    (await verifyWebhook(body, headers, secret)).event,
    webhook.verify(body, headers),
  )
})

test('one of several signatures and one of several secrets is enough', async () => {
  const previous = randomBytes(32)
  const both = signedHeaders({ id, timestampSeconds, body }, [bytes, previous])
  const old = `whsec_${previous.toString('base64')}`
  for (const secrets of [secret, old, [other, old], [other, secret]]) {
    assert.equal((await verifyWebhook(body, both, secrets, { nowMs })).id, id)
  }
  assert.equal(await reasonOf(verifyWebhook(body, both, [other], { nowMs })), 'SIGNATURE')
})

test('a changed body, id, timestamp or signature is refused', async () => {
  const mac = signed['webhook-signature'] ?? ''
  const forged: [string, Record<string, string>][] = [
    [`${body} `, signed],
    [body, { ...signed, 'webhook-id': 'msg_2' }],
    [body, { ...signed, 'webhook-timestamp': String(timestampSeconds + 1) }],
    [body, { ...signed, 'webhook-signature': mac.replace('v1,', 'v2,') }],
    [body, { ...signed, 'webhook-signature': mac.slice(0, -8) }],
    [body, { ...signed, 'webhook-signature': 'v1,' }],
    [body, { ...signed, 'webhook-signature': 'v1,%%%' }],
    [body, { ...signed, 'webhook-signature': ', ,' }],
  ]
  for (const [raw, headers] of forged) {
    assert.equal(await reasonOf(verifyWebhook(raw, headers, secret, { nowMs })), 'SIGNATURE')
  }
})

test('a delivery outside the tolerance is refused, old or new', async () => {
  const at = (ms: number, toleranceSeconds?: number) =>
    reasonOf(
      verifyWebhook(body, signed, secret, {
        nowMs: ms,
        ...(toleranceSeconds === undefined ? {} : { toleranceSeconds }),
      }),
    )
  assert.equal(await at(nowMs + 300_000), 'accepted')
  assert.equal(await at(nowMs + 301_000), 'TIMESTAMP')
  assert.equal(await at(nowMs - 301_000), 'TIMESTAMP')
  assert.equal(await at(nowMs + 20_000, 10), 'TIMESTAMP')
  for (const bad of ['', '1e9', 'NaN', '-1']) {
    const headers = { ...signed, 'webhook-timestamp': bad }
    const reason = await reasonOf(verifyWebhook(body, headers, secret, { nowMs }))
    assert.equal(reason, bad === '' ? 'HEADERS' : 'TIMESTAMP')
  }
})

test('a missing or repeated header is refused', async () => {
  for (const name of Object.keys(signed)) {
    for (const value of [undefined, ['a', 'b']]) {
      const headers = { ...signed, [name]: value }
      assert.equal(await reasonOf(verifyWebhook(body, headers, secret, { nowMs })), 'HEADERS')
    }
  }
})

test('a secret that is none is refused without being shown, also an empty one', async () => {
  for (const bad of ['', 'whsec_', 'whsec_%secret%']) {
    await assert.rejects(
      verifyWebhook(body, signed, bad, { nowMs }),
      (error) => error instanceof TypeError && !error.message.includes('%secret%'),
    )
  }
})
