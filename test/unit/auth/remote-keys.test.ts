import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import type { FetchJson } from '#auth/fetch-json.ts'
import { createRemoteKeys } from '#auth/remote-keys.ts'

const secondMs = 1_000
const minuteMs = 60 * secondMs

async function publicJwk(kid: string): Promise<JWK> {
  const { publicKey } = await generateKeyPair('ES256', { extractable: true })
  return { ...(await exportJWK(publicKey)), kid }
}

/** An issuer with scripted answers, and a clock that the test advances. */
function setting(keys: JWK[]) {
  const issuer = { keys, fetches: 0, isDown: false }
  const clock = { at: Date.UTC(2030, 0, 1), nowMs: () => clock.at }
  const fetchJson: FetchJson = async () => {
    issuer.fetches++
    if (issuer.isDown) throw new Error('unreachable')
    return { status: 200, body: { keys: issuer.keys } }
  }
  const find = createRemoteKeys({ url: () => 'https://issuer.example/jwks', fetchJson, clock })
  const ask = async (kid: string) => {
    const header = { alg: 'ES256', kid }
    return find(header, { payload: '', signature: '' })
  }
  return { issuer, clock, ask }
}

test('keys are fetched once for many tokens, also for those that come together', async () => {
  const { issuer, ask } = setting([await publicJwk('1')])
  await Promise.all([ask('1'), ask('1'), ask('1')])
  await ask('1')
  assert.equal(issuer.fetches, 1)
})

test('a new key of the issuer is found, but made-up ones cause no more than a fetch per 30 s', async () => {
  const { issuer, clock, ask } = setting([await publicJwk('1')])
  await ask('1')
  issuer.keys = [await publicJwk('1'), await publicJwk('2')]
  clock.at += 29 * secondMs
  await assert.rejects(ask('2'), { code: 'ERR_JWKS_NO_MATCHING_KEY' })
  assert.equal(issuer.fetches, 1)
  clock.at += 1 * secondMs
  await ask('2')
  assert.equal(issuer.fetches, 2)
  for (let i = 0; i < 50; i++) await assert.rejects(ask(`made-up-${i}`))
  assert.equal(issuer.fetches, 2)
})

test('a key the issuer took back is not trusted for long', async () => {
  const { issuer, clock, ask } = setting([await publicJwk('1')])
  await ask('1')
  issuer.keys = [await publicJwk('2')]
  clock.at += 10 * minuteMs
  // This one may still be served from the cache; it starts the refresh.
  await ask('1').catch(() => undefined)
  await new Promise((resolve) => setImmediate(resolve))
  await assert.rejects(ask('1'), { code: 'ERR_JWKS_NO_MATCHING_KEY' })
})

test('an issuer that is down is asked again after 5 s, and known keys hold for an hour', async () => {
  const { issuer, clock, ask } = setting([await publicJwk('1')])
  issuer.isDown = true
  await assert.rejects(ask('1'), { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 5 })
  await assert.rejects(ask('1'), { code: 'SERVICE_UNAVAILABLE' })
  assert.equal(issuer.fetches, 1)
  clock.at += 5 * secondMs
  issuer.isDown = false
  await ask('1')
  issuer.isDown = true
  clock.at += 59 * minuteMs
  await ask('1')
  clock.at += 2 * minuteMs
  await assert.rejects(ask('1'), { code: 'SERVICE_UNAVAILABLE' })
})

test('a clock that was set back keeps no issuer away, and trusts no key for longer', async () => {
  const { issuer, clock, ask } = setting([await publicJwk('1')])
  issuer.isDown = true
  // As when a machine starts: the network is not up yet, and neither is its clock set.
  await assert.rejects(ask('1'), { code: 'SERVICE_UNAVAILABLE' })
  clock.at -= 120 * minuteMs
  issuer.isDown = false
  await ask('1').catch(() => undefined)
  clock.at += 30 * secondMs
  await ask('1')
  clock.at -= 120 * minuteMs
  await ask('1')
  issuer.keys = [await publicJwk('2')]
  clock.at += 30 * secondMs
  await ask('2')
  issuer.isDown = true
  clock.at -= 120 * minuteMs
  await ask('2')
  clock.at += 61 * minuteMs
  await assert.rejects(ask('2'), { code: 'SERVICE_UNAVAILABLE' })
})

test('an answer that is not a key set is ignored', async () => {
  const clock = { nowMs: () => 1 }
  const answers = [
    { status: 500, body: { keys: [] } },
    { status: 200, body: { hello: 'world' } },
    { status: 200, body: null },
  ]
  for (const answer of answers) {
    const find = createRemoteKeys({ url: () => 'https://x', fetchJson: async () => answer, clock })
    const asked = Promise.resolve(find({ alg: 'ES256', kid: '1' }, { payload: '', signature: '' }))
    await assert.rejects(asked, { code: 'SERVICE_UNAVAILABLE' })
  }
})
