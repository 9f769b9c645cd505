import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consoleOperations } from '#api/console/registry.ts'
import { keyScopes, scopes } from '#core/scopes.ts'
import { consolePath } from '../../support/console.ts'
import { type Call, P } from '../../support/server.ts'
import { at, type Console, dataOf, onBothDatabases, refusedAs } from './setting.ts'

onBothDatabases('keys in the console API', suite)

function suite(on: Console) {
  const by = (key: string, path: string, call: Omit<Call, 'path'> = {}) =>
    on.server.call({ ...call, path: consolePath + path, key })
  const newKey = (settings: object) => on.owner.newKey({ name: 'k', ...settings })
  const make = (key: string, json: object) =>
    by(key, '/api-keys', { method: 'POST', json: { name: 'made', ...json } })

  test('a key has the scope only if it was asked for', async () => {
    const { scopes: given } = await dataOf(on.owner, '/api-keys', {
      method: 'POST',
      json: { name: 'usual' },
    })
    assert.deepEqual(given, scopes)
    const usual = await newKey({})
    const refused = await by(usual, '/credentials')
    refusedAs(refused, 403, 'INSUFFICIENT_SCOPE')
    assert.match(String(refused.headers['www-authenticate']), /scope="developer"/)
    assert.equal((await by(await newKey({ scopes: ['developer'] }), '/credentials')).status, 200)
  })

  test('a key or token answers what runs wait for only if it was asked for', async () => {
    const none = '00000000-0000-7000-8000-000000000000'
    const path = `${P}/workflow-runs/${none}/waits/${none}`
    const answer = (key: string) =>
      on.server.call({ method: 'POST', path, json: { decision: 'approve' }, key })
    const mint = async (json: object) =>
      (await dataOf(on.owner, '/tokens', { method: 'POST', json })).accessToken
    for (const usual of [await newKey({}), await mint({}), on.server.ownerKey]) {
      refusedAs(await answer(usual), 403, 'INSUFFICIENT_SCOPE')
    }
    const named = { scopes: ['waits:answer', 'runs:read'] }
    for (const given of [await newKey(named), await mint(named)]) {
      refusedAs(await answer(given), 404, 'WAIT_NOT_FOUND')
    }
    const developer = await newKey({ scopes: ['developer', 'waits:answer', 'runs:read'] })
    assert.deepEqual((await make(developer, {})).body.data.scopes, ['runs:read'])
  })

  test('each operation takes keys or refuses them, as it declares', async () => {
    const key = await newKey({ scopes: ['developer'] })
    const id = '00000000-0000-7000-8000-000000000000'
    for (const operation of consoleOperations) {
      if (operation.access === 'public') continue
      const path = operation.path.replace(/\{\w+\}/g, id)
      const call = { method: operation.method, path: consolePath + path }
      const { status, body } = await on.server.call({ ...call, key })
      if (operation.takesKeys) {
        assert.ok(![401, 403].includes(status), `${operation.id}: ${body?.error?.code}`)
      } else {
        const anonymous = await on.server.call({ ...call, key: null })
        assert.ok(status >= 400, operation.id)
        assert.deepEqual([status, body.error], [anonymous.status, anonymous.body.error])
      }
    }
  })

  test('a key that lists models sees how the server does, and nothing else of the console', async () => {
    const key = await newKey({ scopes: ['models:read'] })
    assert.equal((await by(key, '/server')).status, 200)
    refusedAs(await by(key, '/credentials'), 403, 'INSUFFICIENT_SCOPE')
    refusedAs(
      await by(await newKey({ scopes: ['chat:write'] }), '/server'),
      403,
      'INSUFFICIENT_SCOPE',
    )
    const { accessToken } = await dataOf(on.owner, '/tokens', { method: 'POST', json: {} })
    refusedAs(await by(accessToken, '/server'), 403, 'INSUFFICIENT_SCOPE')
  })

  test('signing in, members, sessions, the account and workflows are for people', () => {
    const taken = consoleOperations.filter(({ takesKeys }) => takesKeys).map(({ path }) => path)
    const allowed =
      /^\/(server$|api-keys|credentials|key-models|webhook-secret|deliveries|templates|spend|spend-limits|usage|calls|audit|stand-in-prices|routes|budgets|default-tags|webhook)(\/|\.|$)/
    for (const path of taken) assert.match(path, allowed)
  })

  test('what a key may do there it does without an origin, and in its own account only', async () => {
    const key = await newKey({ scopes: ['developer'] })
    const json = { name: 'by-key', kind: 'bearer', secret: 'abcdefgh', hosts: ['api.example.com'] }
    assert.equal((await by(key, '/credentials', { method: 'POST', json })).status, 200)
    const { items } = await dataOf(on.owner, '/credentials')
    assert.equal(items[0].name, 'by-key')
    assert.deepEqual((await dataOf(on.stranger, '/credentials')).items, [])
    const secret = await by(key, '/webhook-secret')
    assert.match(secret.body.data.secret, /^whsec_/)
    const theirs = await on.stranger.newKey({ name: 'k', scopes: ['developer'] })
    refusedAs(
      await by(theirs, '/credentials/by-key', { method: 'DELETE' }),
      404,
      'RECORD_NOT_FOUND',
    )
  })

  test('a token, a wrong key and no key at all are refused as themselves', async () => {
    const { accessToken } = await dataOf(on.owner, '/tokens', { method: 'POST', json: {} })
    refusedAs(await by(accessToken, '/credentials'), 403, 'INSUFFICIENT_SCOPE')
    refusedAs(await by('sk_wrong', '/credentials'), 401, 'INVALID_CREDENTIAL')
    const none = await on.server.call({ path: `${consolePath}/credentials`, key: null })
    refusedAs(none, 401, 'AUTH_REQUIRED')
  })

  test('a key makes no key with more than its own scopes, limits and time', async () => {
    const expiresAt = '2090-01-01T00:00:00.000Z'
    const limits = { requestsPerMinute: 1000, spendPerMonth: 5 }
    const key = await newKey({ scopes: ['developer', 'models:read'], limits, expiresAt })
    const made = await make(key, {})
    assert.deepEqual(
      [made.body.data.scopes, made.body.data.limits, made.body.data.expiresAt],
      [['models:read'], limits, expiresAt],
    )
    assert.equal(
      (await on.server.call({ path: `${P}/models`, key: made.body.data.key })).status,
      200,
    )
    refusedAs(await make(key, { scopes: ['chat:write'] }), 403, 'INSUFFICIENT_SCOPE')
    const beyond = [
      { limits: { ...limits, spendPerMonth: 6 } },
      { limits: { spendPerMonth: 1 } },
      { limits: {} },
      { expiresAt: null },
      { expiresAt: '2091-01-01T00:00:00.000Z' },
    ]
    for (const json of beyond) refusedAs(await make(key, json), 400, 'INVALID_REQUEST')
    const narrower = { limits: { requestsPerMinute: 10, spendPerMonth: 0 } }
    assert.equal((await make(key, { scopes: ['developer'], ...narrower })).status, 200)
  })

  test('nor does it change one, itself included, to more than it has', async () => {
    const limits = { runPerMinute: 10 }
    const key = await newKey({ name: 'bounded', scopes: ['developer'], limits })
    const { items } = await dataOf(on.owner, '/api-keys')
    const { id } = items.find((item: { name: string }) => item.name === 'bounded')
    const settings = { name: 'bounded', scopes: ['developer'], limits, expiresAt: null }
    const change = (json: object) =>
      by(key, `/api-keys/${id}`, { method: 'PUT', json: { ...settings, ...json } })
    refusedAs(await change({ scopes: [...keyScopes] }), 403, 'INSUFFICIENT_SCOPE')
    refusedAs(await change({ limits: { runPerMinute: 11 } }), 400, 'INVALID_REQUEST')
    assert.equal((await change({ limits: { runPerMinute: 1 } })).status, 200)
    assert.equal((await by(key, `/api-keys/${id}`, { method: 'DELETE' })).status, 200)
    refusedAs(await by(key, '/api-keys'), 401, 'INVALID_CREDENTIAL')
  })

  test('its description says which operations take a key', async () => {
    const { body } = await on.server.call({ path: `${consolePath}/openapi.json`, key: null })
    assert.deepEqual(body.paths[`${consolePath}/credentials`].get.security, [
      { session: [] },
      { bearer: [] },
    ])
    assert.equal(body.paths[`${consolePath}/account`].put.security, undefined)
    assert.equal(body.components.securitySchemes.bearer.scheme, 'bearer')
    assert.equal((await at(on.owner, '/account')).status, 200)
  })
}
