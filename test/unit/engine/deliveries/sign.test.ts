import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { signedHeaders } from '#engine/deliveries/sign.ts'

test('the example of the Standard Webhooks specification has its signature', () => {
  // https://github.com/standard-webhooks/standard-webhooks, section "Signature scheme"
  const headers = signedHeaders(
    {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestampSeconds: 1_614_265_330,
      body: '{"test": 2432232314}',
    },
    [Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')],
  )
  assert.deepEqual(headers, {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

test('whatever the text, the independent library signs it alike, once per secret', () => {
  const secret = fc.uint8Array({ minLength: 24, maxLength: 64 })
  fc.assert(
    fc.property(
      fc.array(secret, { minLength: 1, maxLength: 3 }),
      fc.json(),
      fc.nat(4_000_000_000),
      (secrets, body, timestampSeconds) => {
        const message = { id: 'msg_1', timestampSeconds, body }
        const expected = secrets.map((key) =>
          new Webhook(Buffer.from(key).toString('base64')).sign(
            'msg_1',
            new Date(timestampSeconds * 1_000),
            body,
          ),
        )
        assert.equal(signedHeaders(message, secrets)['webhook-signature'], expected.join(' '))
      },
    ),
  )
})
