import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, test } from 'node:test'
import { type VerifyConfig, verifyProblems } from '#core/verify-config.ts'
import { type SignedRequest, verifySignature } from '#core/verify-signature.ts'

type Example = {
  /** Where the sender publishes it. */
  from: string
  config: VerifyConfig
  secret: string
  body: string
  headers: Record<string, string>
  atSeconds?: number
  /** The header whose value is the signature. */
  signedIn: string
}

const slackBody =
  'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c'

const github: Example = {
  from: "GitHub's page on validating deliveries",
  config: { method: 'github', credentials: ['hook'] },
  secret: "It's a Secret to Everybody",
  body: 'Hello, World!',
  headers: {
    'x-hub-signature-256':
      'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
  },
  signedIn: 'x-hub-signature-256',
}
const slack: Example = {
  from: "Slack's page on verifying requests",
  config: { method: 'slack', credentials: ['hook'] },
  secret: '8f742231b10e8888abcd99yyyzzz85a5',
  body: slackBody,
  headers: {
    'x-slack-request-timestamp': '1531420618',
    'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
  },
  atSeconds: 1531420618,
  signedIn: 'x-slack-signature',
}
const standard: Example = {
  from: 'the reference vector of Standard Webhooks',
  config: { method: 'standard-webhooks', credentials: ['hook'] },
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  body: '{"test": 2432232314}',
  headers: {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  atSeconds: 1614265330,
  signedIn: 'webhook-signature',
}
const stripe: Example = {
  from: 'generateTestHeaderString of the Stripe SDK 23.1.0, which publishes no secret with its example',
  config: { method: 'stripe', credentials: ['hook'] },
  secret: 'whsec_test_secret',
  body: '{\n  "id": "evt_test_webhook",\n  "object": "event"\n}',
  headers: {
    'stripe-signature':
      't=1492774577,v1=c2f890decbc5ede7c5060bb9a6d31e0626a4342bacb9aeae2adb1bcea72f9812',
  },
  atSeconds: 1492774577,
  signedIn: 'stripe-signature',
}
const bearer: Example = {
  from: 'RFC 6750',
  config: { method: 'bearer', credentials: ['hook'] },
  secret: 'mF_9.B5f-4.1JqM',
  body: '{}',
  headers: { authorization: 'Bearer mF_9.B5f-4.1JqM' },
  signedIn: 'authorization',
}
/** RFC 4231, test case 2; base64 of the same digest with a prefix. */
const rfc4231: Example = {
  from: 'RFC 4231, test case 2',
  config: {
    method: 'hmac',
    credentials: ['hook'],
    header: 'X-Signature',
    algorithm: 'sha512',
    encoding: 'base64',
    prefix: 'v=',
  },
  secret: 'Jefe',
  body: 'what do ya want for nothing?',
  headers: {
    'x-signature': `v=${Buffer.from('164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737', 'hex').toString('base64')}`,
  },
  signedIn: 'x-signature',
}
const examples = [github, slack, standard, stripe, bearer, rfc4231]

const requestOf = (
  { body, headers, secret, atSeconds = 1 }: Example,
  change: Partial<SignedRequest> = {},
): SignedRequest => ({
  body: Buffer.from(body),
  headers,
  secrets: [secret],
  nowMs: atSeconds * 1000,
  ...change,
})

const isAccepted = (example: Example, change?: Partial<SignedRequest>): boolean =>
  verifySignature(example.config, requestOf(example, change)).ok

describe('signatures that senders publish as examples', () => {
  for (const example of examples) {
    test(`${example.config.method} verifies, as in ${example.from}`, () => {
      assert.deepEqual(verifySignature(example.config, requestOf(example)), { ok: true })
    })
  }
})

describe('what a signature does not cover', () => {
  for (const example of examples) {
    const { method } = example.config
    test(`${method} refuses another body, another secret and no secret`, () => {
      if (method !== 'bearer') assert.ok(!isAccepted(example, { body: Buffer.from('{"a":1}') }))
      assert.ok(!isAccepted(example, { secrets: [`x${example.secret}`] }))
      assert.ok(!isAccepted(example, { secrets: [] }))
      assert.ok(!isAccepted(example, { secrets: [''] }))
      assert.ok(!isAccepted(example, { secrets: ['whsec_'] }))
    })
    test(`${method} refuses a header that is missing, doubled, cut or of the wrong form`, () => {
      const name = example.signedIn
      const value = example.headers[name] ?? ''
      const wrong = [undefined, '', [value, value], value.slice(0, -4), 'nonsense', `x${value}`]
      for (const given of wrong) {
        const headers = { ...example.headers, [name]: given }
        assert.ok(!isAccepted(example, { headers }), `${name}: ${String(given)}`)
      }
    })
    test(`${method} accepts the new secret and the old one while both are stored`, () => {
      assert.ok(isAccepted(example, { secrets: ['d2hhdGV2ZXI=', example.secret] }))
      assert.ok(isAccepted(example, { secrets: [example.secret, 'd2hhdGV2ZXI='] }))
    })
  }

  for (const example of [slack, standard, stripe]) {
    test(`${example.config.method} refuses a time more than 300 s away, in either direction`, () => {
      const at = (example.atSeconds ?? 0) * 1000
      for (const away of [-300_000, 300_000]) assert.ok(isAccepted(example, { nowMs: at + away }))
      for (const away of [-300_001, 300_001]) assert.ok(!isAccepted(example, { nowMs: at + away }))
    })
  }

  test('one of several signatures in a header is enough, as while a sender rotates', () => {
    const bad = 'v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='
    const value = `${bad} v1a,xyz ${standard.headers['webhook-signature']}`
    assert.ok(
      isAccepted(standard, { headers: { ...standard.headers, 'webhook-signature': value } }),
    )
    const [time = '', signature = ''] = (stripe.headers['stripe-signature'] ?? '').split(',')
    const rotated = `${time},v1=${'0'.repeat(64)},${signature},v0=${'1'.repeat(64)}`
    assert.ok(isAccepted(stripe, { headers: { 'stripe-signature': rotated } }))
  })

  test('a signature of an older scheme alone is refused', () => {
    const v0 = (stripe.headers['stripe-signature'] ?? '').replace('v1=', 'v0=')
    assert.ok(!isAccepted(stripe, { headers: { 'stripe-signature': v0 } }))
  })

  test('the signed time is part of a signature: a fresh time on an old body is refused', () => {
    const headers = { ...slack.headers, 'x-slack-request-timestamp': '1531420700' }
    assert.ok(!isAccepted(slack, { headers, nowMs: 1531420700_000 }))
    for (const seconds of ['', 'NaN', '1e9', '-1', '99999999999999999999']) {
      const odd = { ...slack.headers, 'x-slack-request-timestamp': seconds }
      assert.ok(!isAccepted(slack, { headers: odd }), seconds)
    }
  })
})

test('hmac with a time header signs the time, a dot and the body', () => {
  const config: VerifyConfig = {
    method: 'hmac',
    credentials: ['hook'],
    header: 'X-Sig',
    timestampHeader: 'X-Time',
    toleranceSeconds: 10,
  }
  const signature = createHmac('sha256', 'secret').update('1700000000.{"a":1}').digest('hex')
  const request: SignedRequest = {
    body: Buffer.from('{"a":1}'),
    headers: { 'x-sig': signature, 'x-time': '1700000000' },
    secrets: ['secret'],
    nowMs: 1_700_000_010_000,
  }
  assert.ok(verifySignature(config, request).ok)
  assert.ok(!verifySignature(config, { ...request, nowMs: 1_700_000_011_000 }).ok)
  assert.ok(!verifySignature(config, { ...request, headers: { 'x-sig': signature } }).ok)
})

test('bytes that are no text are signed as they are', () => {
  const body = Buffer.from([0xff, 0xfe, 0x00, 0x80])
  const signature = createHmac('sha256', 'secret').update(body).digest('hex')
  const headers = { 'x-hub-signature-256': `sha256=${signature}` }
  assert.ok(isAccepted(github, { body, headers, secrets: ['secret'] }))
})

test('none accepts everything and needs no secret', () => {
  const request = { body: Buffer.from('x'), headers: {}, secrets: [], nowMs: 0 }
  assert.deepEqual(verifySignature({ method: 'none' }, request), { ok: true })
})

test('a reason names no secret and no signature', () => {
  const verdict = verifySignature(github.config, requestOf(github, { secrets: ['other-secret'] }))
  assert.deepEqual(verdict, { ok: false, reason: 'The signature does not fit the body.' })
})

describe('settings that could verify nothing', () => {
  const pathsOf = (config: VerifyConfig) => verifyProblems(config).map(({ path }) => path)
  test('a method with a secret names a credential, none does not', () => {
    assert.deepEqual(pathsOf({ method: 'github' }), ['/credentials'])
    assert.deepEqual(pathsOf({ method: 'none', credentials: ['a'] }), ['/credentials'])
    assert.deepEqual(pathsOf({ method: 'none' }), [])
  })
  test('hmac names a real header, and only hmac takes its fields', () => {
    assert.deepEqual(pathsOf({ method: 'hmac', credentials: ['a'] }), ['/header'])
    assert.deepEqual(pathsOf({ method: 'hmac', credentials: ['a'], header: 'a b' }), ['/header'])
    assert.deepEqual(pathsOf({ method: 'slack', credentials: ['a'], prefix: 'v0=' }), ['/prefix'])
    assert.deepEqual(pathsOf(rfc4231.config), [])
  })
})
