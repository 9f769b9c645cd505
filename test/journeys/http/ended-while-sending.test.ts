// Who calls is established before the body is read, and a body may take half a minute. A right that
// ends in between does not hold for what the body asks for.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { consolePath, type Person, personOf, signUp } from '../../support/console.ts'
import { authorizeAddress, newVerifier, openConsent, registerApp } from '../../support/oauth.ts'
import { png } from '../../support/samples.ts'
import { P, startServer, type TestServer } from '../../support/server.ts'
import { addWorkflow, type Caller } from '../runs/setting.ts'
import { callerOf, echo } from '../triggers/hook-setting.ts'

let server: TestServer
/** Keeps all rights: an address may sign up ten people. */
let trusted: Person
before(async () => {
  server = await startServer({ SIGN_UP: 'open' })
  trusted = await signUp(server)
})
after(() => server.stop())

type Slow = {
  method: string
  path: string
  headers: Record<string, string>
  body: string | Buffer
}
type Answered = { status: number; headers: IncomingHttpHeaders; text: string }

/** Sends all but the last byte. The returned function sends that, too, and reads the answer. */
async function begin({ method, path, headers, body }: Slow): Promise<() => Promise<Answered>> {
  const length = { 'content-length': String(Buffer.byteLength(body)) }
  const request = httpRequest(server.url + path, { method, headers: { ...headers, ...length } })
  const answered = new Promise<Answered>((resolve, reject) => {
    request.once('error', reject)
    request.once('response', async (response) => {
      const chunks = await response.toArray()
      const text = Buffer.concat(chunks).toString()
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
    })
  })
  await new Promise((resolve) => request.write(body.slice(0, -1), resolve))
  // Longer than any body takes that is sent without a pause.
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  return () => {
    request.end(body.slice(-1))
    return answered
  }
}

/** A second session, as of somebody who knows the password. */
async function otherSession(person: Person): Promise<Record<string, string>> {
  const { email, password } = person
  const answer = await server.call({
    method: 'POST',
    path: `${consolePath}/sign-in`,
    key: null,
    headers: { origin: server.url },
    json: { email, password },
  })
  assert.equal(answer.status, 200, answer.text)
  return {
    cookie: String(answer.headers['set-cookie']).split(';')[0] ?? '',
    origin: server.url,
    'content-type': 'application/json',
  }
}

/** Ends all other sessions, and revokes the keys. */
async function changePassword(person: Person): Promise<void> {
  const answer = await person.call({
    method: 'POST',
    path: `${consolePath}/password`,
    json: { currentPassword: person.password, newPassword: 'another password', revokeKeys: true },
  })
  assert.equal(answer.status, 200, answer.text)
}

describe('a session that ends while a request is being sent', () => {
  test('makes no key', async () => {
    const person = await signUp(server)
    const headers = await otherSession(person)
    const body = JSON.stringify({ name: 'kept' })
    const finish = await begin({ method: 'POST', path: `${consolePath}/api-keys`, headers, body })
    await changePassword(person)
    const { status, text } = await finish()
    assert.equal(status, 401, text)
    const { body: listed } = await person.call({ path: `${consolePath}/api-keys` })
    assert.deepEqual(listed.data.items, [])
  })

  test('makes no access token', async () => {
    const person = await signUp(server)
    const headers = await otherSession(person)
    const finish = await begin({
      method: 'POST',
      path: `${consolePath}/tokens`,
      headers,
      body: '{}',
    })
    await changePassword(person)
    const { status, text } = await finish()
    assert.equal(status, 401, text)
  })

  test('stores no file', async () => {
    const person = await signUp(server)
    const finish = await begin(await sentFile(person))
    await changePassword(person)
    const { status, text } = await finish()
    assert.equal(status, 401, text)
    assert.deepEqual(await uploadsOf(person), [])
  })

  test('connects no app', async () => {
    const person = await signUp(server)
    const { 'content-type': _, ...headers } = await otherSession(person)
    const clientId = await registerApp(server)
    const address = authorizeAddress(server, { clientId, verifier: newVerifier() })
    const seen = { ...person, call: (call: object) => person.call({ ...call, headers } as never) }
    const { sealed, scopes } = await openConsent(seen, address)
    const fields = [
      ['request', sealed],
      ['scope', scopes[0] ?? ''],
      ['decision', 'allow'],
    ]
    const finish = await begin({
      method: 'POST',
      path: '/oauth/authorize',
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    })
    await changePassword(person)
    const { status, headers: answered } = await finish()
    assert.equal(answered.location, undefined)
    assert.equal(status, 400)
  })
})

/** The files that the audit log says were stored. */
async function uploadsOf(person: Person): Promise<string[]> {
  const { body } = await person.call({ path: `${consolePath}/audit` })
  const entries: { action: string; target: string }[] = body.data.items
  return entries.flatMap(({ action, target }) => (action === 'media.uploaded' ? [target] : []))
}

/** An editor of the owner's account, who can be made a viewer. */
async function newEditor(owner: Person) {
  const [email, password] = [`${randomUUID()}@example.com`, 'correct horse battery']
  const post = (path: string, json: object) =>
    owner.call({ method: 'POST', path: consolePath + path, json })
  const { body } = await post('/invitations', { email, role: 'editor' })
  const token = new URLSearchParams(new URL(body.data.link).hash.slice(1)).get('token')
  const joined = await post('/invitations/accept', { token, password })
  const path = `${consolePath}/members/${joined.body.data.user.id}`
  const demote = () => owner.call({ method: 'PUT', path, json: { role: 'viewer' } })
  return { person: personOf(server, joined, { email, password }), demote }
}

const sentFile = async (person: Person) => ({
  method: 'POST',
  path: `${consolePath}/uploads`,
  headers: { ...(await otherSession(person)), 'content-type': 'image/png' },
  body: png({ width: 3, height: 2 }),
})

test('whoever is made a viewer while they send a file stores none', async () => {
  const owner = await signUp(server)
  const { person, demote } = await newEditor(owner)
  const finish = await begin(await sentFile(person))
  assert.equal((await demote()).status, 200)
  const { status, text } = await finish()
  assert.equal(status, 403, text)
  assert.deepEqual(await uploadsOf(owner), [])
})

test('whoever may still store a file stores it, however long they take', async () => {
  const finish = await begin(await sentFile(trusted))
  const { status, text } = await finish()
  assert.equal(status, 200, text)
  assert.equal((await uploadsOf(trusted)).length, 1)
})

describe('a key that is revoked while a request is being sent does nothing', () => {
  const workflow = { name: 'Late', data: { nodes: [], connections: [] } }
  const chat = { model: 'demo/text', messages: [{ role: 'user', content: 'Hello' }] }
  for (const [path, json] of [
    [`${P}/workflows`, workflow],
    ['/v1/chat/completions', chat],
  ] as const) {
    test(path, async () => {
      const person = await signUp(server)
      const key = await person.newKey()
      const { body: listed } = await person.call({ path: `${consolePath}/api-keys` })
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const finish = await begin({ method: 'POST', path, headers, body: JSON.stringify(json) })
      const own = `${consolePath}/api-keys/${listed.data.items[0].id}`
      assert.equal((await person.call({ method: 'DELETE', path: own })).status, 200)
      const { status, text } = await finish()
      assert.equal(status, 401, text)
    })
  }
})

describe('the address of a webhook that ends while a request is being sent starts nothing', () => {
  const ends: [string, number, (by: Caller, path: string) => Promise<unknown>][] = [
    ['replaced', 404, (by, path) => by.call({ method: 'PUT', path, json: { newUrl: true } })],
    ['deleted', 410, (by, path) => by.call({ method: 'DELETE', path })],
  ]
  for (const [how, expected, end] of ends) {
    test(how, async () => {
      const by = callerOf(server, await trusted.newKey())
      const path = `${P}/workflows/${await addWorkflow(by, echo)}/triggers`
      const json = { name: 'hook', kind: 'WEBHOOK' }
      const made = (await by.call({ method: 'POST', path, json })).body.data
      const finish = await begin({
        method: 'POST',
        path: new URL(made.url).pathname,
        headers: { 'content-type': 'application/json' },
        body: '{"title":"late"}',
      })
      await end(by, `${path}/${made.triggerId}`)
      const { status, text } = await finish()
      assert.equal(status, expected, text)
    })
  }
})

test('whoever may still do it is answered, however long they take', async () => {
  const headers = await otherSession(trusted)
  const body = JSON.stringify({ name: 'slow' })
  const finish = await begin({ method: 'POST', path: `${consolePath}/api-keys`, headers, body })
  const { status, text } = await finish()
  assert.equal(status, 200, text)
})
