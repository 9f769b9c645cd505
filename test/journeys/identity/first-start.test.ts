import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { consolePath, type Person, personOf } from '../../support/console.ts'
import { P, startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
let owner: Person
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const known = { email: 'owner@example.com', password: 'a long enough password' }
const setUp = (token: string, origin = server.url) =>
  server.call({
    method: 'POST',
    path: `${consolePath}/set-up`,
    key: null,
    headers: { origin },
    json: { token, ...known },
  })

test('the key file is readable by its owner alone, and the key works', async () => {
  const path = join(server.dataDir, 'owner.key')
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.match(await readFile(path, 'utf8'), /^sk_[A-Za-z0-9]{38}\n$/)
  assert.equal((await server.call(`${P}/models`)).status, 200)
})

test('the link leads to a page, and its token is not sent with the request', async () => {
  const link = new URL(server.running.setupLink ?? '')
  assert.equal(link.pathname, '/setup')
  assert.match(link.hash, /^#token=/)
  const page = await server.call({ path: '/setup', key: null })
  assert.equal(page.status, 200)
  assert.match(String(page.headers['content-security-policy']), /default-src 'none'/)
})

test('the link sets the password once, for our own page only', async () => {
  const token = new URL(server.running.setupLink ?? '').hash.slice('#token='.length)
  assert.equal((await setUp(token, 'https://evil.example')).body.error.code, 'ORIGIN_NOT_ALLOWED')
  const done = await setUp(token)
  assert.equal(done.status, 200)
  assert.match(String(done.headers['set-cookie']), /^session=.*HttpOnly.*SameSite=Lax/i)
  owner = personOf(server, done, known)
  assert.equal((await setUp(token)).status, 401)
})

test('a key made in the console API is shown once, works, and ends when revoked', async () => {
  const made = await owner.call({
    method: 'POST',
    path: `${consolePath}/api-keys`,
    json: { name: 'ci', scopes: ['models:read'] },
  })
  const { key, id } = made.body.data
  assert.equal((await server.call({ path: `${P}/models`, key })).status, 200)
  const refused = await server.call({ path: `${P}/tasks`, key })
  assert.equal(refused.body.error.code, 'INSUFFICIENT_SCOPE')
  assert.match(
    String(refused.headers['www-authenticate']),
    /error="insufficient_scope", scope="tasks:read"/,
  )
  const listed = await owner.call({ path: `${consolePath}/api-keys` })
  assert.ok(!listed.text.includes(key))
  assert.equal(
    (await owner.call({ method: 'DELETE', path: `${consolePath}/api-keys/${id}` })).status,
    200,
  )
  assert.equal(
    (await server.call({ path: `${P}/models`, key })).body.error.code,
    'INVALID_CREDENTIAL',
  )
})

test('a minted token works as a credential; a tampered or doubled one does not', async () => {
  const { body } = await owner.call({ method: 'POST', path: `${consolePath}/tokens`, json: {} })
  const token = body.data.accessToken
  assert.equal((await server.call({ path: `${P}/models`, key: token })).status, 200)
  const [head, claims, signature] = token.split('.')
  const forged = Buffer.from(
    JSON.stringify({ ...JSON.parse(Buffer.from(claims, 'base64url').toString()), acct: 'other' }),
  ).toString('base64url')
  for (const bad of [
    `${head}.${forged}.${signature}`,
    `${head}.${claims}.`,
    `${Buffer.from('{"alg":"none"}').toString('base64url')}.${claims}.`,
  ]) {
    assert.equal(
      (await server.call({ path: `${P}/models`, key: bad })).body.error.code,
      'INVALID_CREDENTIAL',
    )
  }
  const twice = await server.call({
    path: `${P}/models`,
    key: null,
    headers: { authorization: [`Bearer ${token}`, `Bearer ${token}`] },
  })
  assert.equal(twice.status, 401)
})

test('the session cookie is not valid for the API, nor a key without its scope in the console API', async () => {
  assert.equal((await owner.call({ path: `${P}/models` })).status, 401)
  const { status, body } = await server.call(`${consolePath}/api-keys`)
  assert.deepEqual([status, body.error.code], [403, 'INSUFFICIENT_SCOPE'])
})

test('spend is shown by day, model and key', async () => {
  const chat = { model: 'demo-text', messages: [{ role: 'user', content: 'What is 2 + 2?' }] }
  await server.call({ method: 'POST', path: `${P}/chat/completions`, json: chat })
  const { body } = await owner.call({ path: `${consolePath}/spend` })
  assert.equal(body.data.items[0].model, 'demo-text')
  assert.equal(body.data.items[0].calls, 1)
})

test('ready-made workflows are listed, and each can be stored unchanged', async () => {
  const { body } = await owner.call({ path: `${consolePath}/templates` })
  assert.ok(body.data.total >= 8)
  for (const { name, description, data } of body.data.items) {
    assert.ok(description.length > 20, name)
    const stored = await server.call({
      method: 'POST',
      path: `${P}/workflows`,
      json: { name, data },
    })
    assert.equal(stored.status, 200, stored.text)
  }
})
