import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { consolePath, type Person, signUp } from '../../support/console.ts'
import { type Body, P, startServer, type TestServer } from '../../support/server.ts'
import { addWorkflow, type Caller, ended, graph } from '../runs/setting.ts'

let server: TestServer
let person: Person
let api: Caller
let workflowId: number
const secret = 'a-secret-that-only-the-sender-has'

before(async () => {
  server = await startServer({ SIGN_UP: 'open', RATE_LIMIT_HOOK: '0' })
  person = await signUp(server)
  const key = await person.newKey()
  api = {
    call: (call) => server.call(typeof call === 'string' ? { path: call, key } : { key, ...call }),
  }
  workflowId = await addWorkflow(api, echo)
  const json = { name: 'sender', kind: 'webhook', secret }
  const stored = await person.call({ method: 'POST', path: `${consolePath}/credentials`, json })
  assert.equal(stored.status, 200, stored.text)
})
after(() => server.stop())

const echo = graph(
  [
    { id: 'title', type: 'input.text', data: { required: true } },
    { id: 'out', type: 'output' },
  ],
  ['title -> out'],
)
const at = (id = workflowId) => `${P}/workflows/${id}/triggers`

async function hook(settings: object = {}, id = workflowId): Promise<Body> {
  const json = { name: 'hook', kind: 'WEBHOOK', ...settings }
  const { status, body, text } = await api.call({ method: 'POST', path: at(id), json })
  assert.equal(status, 200, text)
  return { ...body.data, path: new URL(body.data.url).pathname }
}

const send = (path: string, json: unknown, headers: Record<string, string> = {}) =>
  server.call({
    ...{ method: 'POST', path, key: null },
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof json === 'string' ? json : JSON.stringify(json),
  })

const firings = async (triggerId: string): Promise<Body[]> =>
  (await api.call(`${at()}/${triggerId}/firings`)).body.data.items

const signed = (body: string, with_ = secret) => ({
  'x-hub-signature-256': `sha256=${createHmac('sha256', with_).update(body).digest('hex')}`,
  'x-github-delivery': randomUUID(),
})

describe('a webhook', () => {
  test('starts a run with what its body has for the inputs, and shows its address once', async () => {
    const { path, triggerId } = await hook()
    const { status, body } = await send(path, { title: 'hello', other: 1 })
    assert.equal(status, 202)
    const run = await ended(api, body.data.runId)
    assert.deepEqual(run.outputs, { out: 'hello' })
    const [firing] = await firings(triggerId)
    assert.deepEqual([firing.firingId, firing.runId], [body.data.firingId, body.data.runId])
    assert.equal((await api.call(`${at()}/${triggerId}`)).body.data.url, null)
  })

  test('maps body, headers and query, and answers with the result', async () => {
    const { path } = await hook({
      mapping: '{ "title": body.issue.title & " " & headers."x-kind" & " " & query.from }',
      respond: 'result',
    })
    const { status, body } = await send(
      `${path}?from=me`,
      { issue: { title: 'A' } },
      { 'x-kind': 'k' },
    )
    assert.equal(status, 200)
    assert.deepEqual([body.data.status, body.data.outputs], ['COMPLETED', { out: 'A k me' }])
  })

  test('answers 200 for a run that failed, and the same to a repeat', async () => {
    const failing = graph(
      [
        { id: 'get', type: 'http.request', data: { url: 'http://127.0.0.1:9/' } },
        { id: 'out', type: 'output' },
      ],
      ['get -> out'],
    )
    const id = await addWorkflow(api, failing)
    const { path } = await hook({ respond: 'result' }, id)
    const first = await send(path, {}, { 'webhook-id': 'one' })
    assert.deepEqual([first.status, first.body.data.status], [200, 'FAILED'])
    assert.equal(first.body.data.nodeErrors[0].code, 'ADDRESS_BLOCKED')
    assert.deepEqual((await send(path, {}, { 'webhook-id': 'one' })).body, first.body)
  })

  test('a hundred repeats at once make one run, and equal bodies without an id make two', async () => {
    const { path, triggerId } = await hook()
    const repeats = await Promise.all(
      Array.from({ length: 100 }, () => send(path, { title: 'x' }, { 'webhook-id': 'same' })),
    )
    assert.deepEqual([...new Set(repeats.map(({ status }) => status))], [202])
    const runs = new Set(repeats.map(({ body }) => body.data.runId))
    assert.equal(runs.size, 1)
    assert.ok(repeats[0]?.body.data.runId)
    await send(path, { title: 'x' })
    await send(path, { title: 'x' })
    assert.equal((await firings(triggerId)).length, 3)
  })

  test('is refused before it is read unless the sender signed it', async () => {
    const { path, triggerId } = await hook({
      verify: { method: 'github', credentials: ['sender'] },
    })
    const text = '{"title":"signed"}'
    for (const headers of [{}, signed(text, 'another'), signed('{"title":"other"}')]) {
      const { status, body } = await send(path, text, headers)
      assert.deepEqual([status, body.error.code], [401, 'SIGNATURE_INVALID'])
    }
    const broken = '{"title":'
    assert.equal((await send(path, broken)).status, 401)
    assert.equal((await send(path, broken, signed(broken))).status, 400)
    assert.deepEqual(await firings(triggerId), [])
    const headers = signed(text)
    const { status, body } = await send(path, text, headers)
    assert.equal(status, 202)
    assert.equal((await send(path, text, headers)).body.data.runId, body.data.runId)
  })

  test('answers the challenge of Slack, if Slack signed it', async () => {
    const { path, triggerId } = await hook({ verify: { method: 'slack', credentials: ['sender'] } })
    const text = JSON.stringify({ type: 'url_verification', challenge: 'abc' })
    const seconds = String(Math.floor(Date.now() / 1000))
    const v0 = createHmac('sha256', secret).update(`v0:${seconds}:${text}`).digest('hex')
    const headers = { 'x-slack-request-timestamp': seconds, 'x-slack-signature': `v0=${v0}` }
    assert.equal((await send(path, text)).status, 401)
    const { status, body } = await send(path, text, headers)
    assert.deepEqual([status, body], [200, { challenge: 'abc' }])
    assert.deepEqual(await firings(triggerId), [])
  })

  test('a repeat after a mended mapping runs', async () => {
    const { path, triggerId } = await hook({ mapping: '{ "titel": body.title }' })
    const first = await send(path, { title: 'x' }, { 'webhook-id': 'one' })
    assert.deepEqual([first.status, first.body.error.code], [422, 'INPUT_INVALID'])
    const notMapped = await hook({ mapping: '[1]' })
    assert.equal((await send(notMapped.path, {})).status, 422)
    assert.equal((await firings(notMapped.triggerId))[0].reason, 'INVALID_INPUT')
    const json = { mapping: '{ "title": body.title }' }
    await api.call({ method: 'PUT', path: `${at()}/${triggerId}`, json })
    const again = await send(path, { title: 'x' }, { 'webhook-id': 'one' })
    assert.equal(again.status, 202)
    assert.equal((await firings(triggerId)).length, 1)
    assert.deepEqual((await ended(api, again.body.data.runId)).outputs, { out: 'x' })
  })

  test('takes no more than 1 MiB, and no other method', async () => {
    const { path } = await hook()
    const { status } = await send(path, { title: 'x'.repeat(1024 * 1024) })
    assert.equal(status, 413)
    assert.equal((await server.call({ path, key: null })).status, 405)
  })

  test('answers 503 while it is off, in one row that counts, and 410 once it is deleted', async () => {
    const id = await addWorkflow(api, echo)
    const { path, triggerId } = await hook({ enabled: false }, id)
    for (let i = 0; i < 3; i++) {
      const { status, body } = await send(path, { title: 'x' })
      assert.deepEqual([status, body.error.code], [503, 'TRIGGER_PAUSED'])
    }
    const { body } = await api.call(`${at(id)}/${triggerId}/firings`)
    assert.deepEqual(
      body.data.items.map((one: Body) => [one.reason, one.count]),
      [['PAUSED', 3]],
    )
    await api.call({ method: 'DELETE', path: `${P}/workflows/${id}` })
    const gone = await send(path, { title: 'x' })
    assert.deepEqual([gone.status, gone.body.error.code], [410, 'TRIGGER_GONE'])
    assert.equal((await send('/hooks/no-such-token', {})).status, 404)
  })

  test('has a new address when its owner asks for one', async () => {
    const { path, triggerId } = await hook()
    const { body } = await api.call({
      method: 'PUT',
      path: `${at()}/${triggerId}`,
      json: { newUrl: true },
    })
    assert.equal((await send(path, { title: 'x' })).status, 404)
    assert.equal((await send(new URL(body.data.url).pathname, { title: 'x' })).status, 202)
  })

  test('pauses when the key that made it is revoked', async () => {
    const made = await person.call({
      method: 'POST',
      path: `${consolePath}/api-keys`,
      json: { name: 'brief' },
    })
    const { id: keyId, key } = made.body.data
    const json = { name: 'hook', kind: 'WEBHOOK' }
    const { body } = await server.call({ method: 'POST', path: at(), json, key })
    const { url, triggerId } = body.data
    await person.call({ method: 'DELETE', path: `${consolePath}/api-keys/${keyId}` })
    const { status } = await send(new URL(url).pathname, { title: 'x' })
    assert.equal(status, 503)
    const read = await api.call(`${at()}/${triggerId}`)
    assert.equal(read.body.data.paused.reason, 'KEY_REVOKED')
  })
})

describe('before a trigger is made', () => {
  const ask = async (path: string, json: object) =>
    (await person.call({ method: 'POST', path: consolePath + path, json })).body.data

  test('a schedule shows when it would fire, or what is wrong with it', async () => {
    const good = await ask('/triggers/preview', { cron: '30 2 * * *', timeZone: 'Europe/Berlin' })
    assert.equal(good.words, 'At 02:30 every day, Europe/Berlin')
    assert.deepEqual([good.nextFirings.length, good.problems], [5, []])
    assert.match(good.notes.join(), /does not exist, fires 03:00/)
    const bad = await ask('/triggers/preview', { cron: '0 9 * *', timeZone: 'Nowhere' })
    assert.deepEqual(
      bad.problems.map(({ path }: Body) => path),
      ['/cron', '/timeZone'],
    )
    const never = await ask('/triggers/preview', { cron: '0 0 31 2 *' })
    assert.match(never.problems[0].message, /five years/)
  })

  test('a sample is mapped to inputs and never starts a run', async () => {
    const path = `/workflows/${workflowId}/triggers/try`
    const before = (await api.call(`${P}/workflows/${workflowId}/runs`)).body.data.total
    const sample = { body: { a: { b: 'x' } }, headers: { 'X-Kind': 'k' } }
    const mapping = '{ "title": body.a.b & headers."x-kind" }'
    assert.deepEqual(await ask(path, { mapping, sample }), {
      inputs: { title: 'xk' },
      problem: null,
    })
    const unfit = await ask(path, { sample })
    assert.deepEqual([unfit.inputs, typeof unfit.problem], [{}, 'string'])
    const broken = await ask(path, { mapping: '$error("no")', sample })
    assert.deepEqual([broken.inputs, /failed/.test(broken.problem)], [null, true])
    assert.equal((await api.call(`${P}/workflows/${workflowId}/runs`)).body.data.total, before)
  })
})
