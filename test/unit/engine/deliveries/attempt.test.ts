import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { attemptDelivery } from '#engine/deliveries/attempt-delivery.ts'
import type { Gateway, GatewayRequest, GatewayResponse } from '#outbound/gateway.ts'
import { OutboundFailed, OutboundRefused } from '#outbound/outbound-errors.ts'

const message = { url: 'https://hook.example.com/', headers: { a: 'b' }, body: '{}', nowMs: 0 }
const { signal: never } = new AbortController()

const attempt = (request: Gateway['request'], signal = never) =>
  attemptDelivery({ request }, message, signal)
const answering = (response: Partial<GatewayResponse>) => async () => ({
  status: 200,
  headers: {},
  body: Readable.from([]),
  ...response,
})

test('a receiver has fifteen seconds, and gets the headers and the very text that was signed', async () => {
  let asked: GatewayRequest | undefined
  await attempt(async (url, request) => {
    asked = request
    assert.equal(url, message.url)
    return answering({})()
  })
  assert.equal(asked?.timeoutMs, 15_000)
  assert.deepEqual([asked?.method, asked?.body, asked?.headers?.a], ['POST', '{}', 'b'])
})

test('no answer in time, no connection and a refused address are outcomes, not errors', async () => {
  const failures = [
    new OutboundFailed('timeout', { sent: true, message: 'No complete answer within 15000 ms.' }),
    new OutboundFailed('connect', { sent: false, message: 'No connection could be made.' }),
    new OutboundRefused('ADDRESS'),
  ]
  for (const failure of failures) {
    const outcome = await attempt(() => Promise.reject(failure))
    assert.deepEqual(outcome, {
      statusCode: null,
      error: failure.message,
      body: null,
      retryAfterMs: 0,
    })
  }
})

test('an error of our own is not blamed on the receiver', async () => {
  await assert.rejects(
    attempt(() => Promise.reject(new TypeError('ours'))),
    TypeError,
  )
})

test('an aborted attempt has no outcome', async () => {
  const abort = new AbortController()
  const failure = new OutboundFailed('aborted', { sent: true, message: 'aborted' })
  const ended = attempt(async () => {
    abort.abort(new Error('the lease is lost'))
    throw failure
  }, abort.signal)
  await assert.rejects(ended, /the lease is lost/)
})

test('of an endless answer only the beginning is read', async () => {
  let chunks = 0
  const body = new Readable({
    read() {
      chunks++
      this.push(Buffer.alloc(4_096))
    },
  })
  const outcome = await attempt(answering({ body }))
  assert.equal(outcome.statusCode, 200)
  assert.ok(body.destroyed && chunks < 100)
})

test('a success whose answer breaks off is a success', async () => {
  const body = new Readable({
    read() {
      this.destroy(new OutboundFailed('reset', { sent: true, message: 'cut' }))
    },
  })
  const outcome = await attempt(answering({ status: 202, body }))
  assert.deepEqual(outcome, { statusCode: 202, error: null, body: null, retryAfterMs: 0 })
})

test('only 429 and 503 may ask for time, in seconds or by a date', async () => {
  const asks = async (status: number, retryAfter: string) =>
    (await attempt(answering({ status, headers: { 'retry-after': retryAfter } }))).retryAfterMs
  assert.equal(await asks(429, '7'), 7_000)
  assert.equal(await asks(503, 'Thu, 01 Jan 1970 00:01:00 GMT'), 60_000)
  assert.equal(await asks(503, 'Wed, 31 Dec 1969 23:59:00 GMT'), 0)
  assert.equal(await asks(429, '-5'), 0)
  assert.equal(await asks(429, ''), 0)
  assert.equal(await asks(500, '7'), 0)
})
