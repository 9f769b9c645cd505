import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FetchJson } from '#auth/fetch-json.ts'
import { createDiscovery } from '#auth/oidc-provider.ts'

const issuer = 'https://id.example'
const hourMs = 3_600_000
const body = {
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
}

/** A provider that can be away, and a clock that the test sets. */
function setting() {
  const provider = { reads: 0, isDown: false }
  const clock = { at: Date.UTC(2030, 0, 1), nowMs: () => clock.at }
  const fetchJson: FetchJson = async () => {
    provider.reads++
    if (provider.isDown) throw new Error('unreachable')
    return { status: 200, body }
  }
  return { provider, clock, discover: createDiscovery({ issuer, fetchJson, clock }) }
}

test('a provider is read once an hour, and after a failure again in five seconds', async () => {
  const { provider, clock, discover } = setting()
  provider.isDown = true
  await assert.rejects(discover())
  provider.isDown = false
  await assert.rejects(discover())
  clock.at += 5_000
  assert.equal((await discover()).issuer, issuer)
  clock.at += hourMs - 1
  await discover()
  assert.equal(provider.reads, 2)
  clock.at += 1
  await discover()
  assert.equal(provider.reads, 3)
})

test('a failure is not kept for longer by a clock that was set back', async () => {
  const { provider, clock, discover } = setting()
  provider.isDown = true
  await assert.rejects(discover())
  provider.isDown = false
  clock.at -= 2 * hourMs
  assert.equal((await discover()).issuer, issuer)
})
