import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { consolePath } from '../../support/console.ts'
import { type Body, P } from '../../support/server.ts'
import { addWorkflow, ended, graph } from '../runs/setting.ts'
import { echo, type Hooks, onEachDatabase, secret } from './hook-setting.ts'

const signed = (body: string, with_ = secret) => ({
  'x-hub-signature-256': `sha256=${createHmac('sha256', with_).update(body).digest('hex')}`,
  'x-github-delivery': randomUUID(),
})

onEachDatabase('webhooks', {}, (on) => {
  describe('a webhook', () => sending(on))
  describe('before a trigger is made', () => trying(on))
})

function sending(on: Hooks) {
  test('starts a run with what its body has for the inputs, and shows its address once', async () => {
    const { path, triggerId } = await on.hook()
    const { status, body } = await on.send(path, { title: 'hello', other: 1 })
    assert.equal(status, 202)
    const run = await ended(on.api, body.data.runId)
    assert.deepEqual(run.outputs, { out: 'hello' })
    const [firing] = await on.firings(triggerId)
    assert.deepEqual([firing.firingId, firing.runId], [body.data.firingId, body.data.runId])
    assert.equal((await on.api.call(`${on.at()}/${triggerId}`)).body.data.url, null)
  })

  test('maps body, headers and query, and answers with the result', async () => {
    const { path } = await on.hook({
      mapping: '{ "title": body.issue.title & " " & headers."x-kind" & " " & query.from }',
      respond: 'result',
    })
    const { status, body } = await on.send(
      `${path}?from=me`,
      { issue: { title: 'A' } },
      { 'x-kind': 'k' },
    )
    assert.equal(status, 200)
    assert.deepEqual([body.data.status, body.data.outputs], ['COMPLETED', { out: 'A k me' }])
  })

  test('reads a form, with every value of a field that is repeated', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const mapping = '{ "title": $string(body) }'
    const { path } = await on.hook({ mapping, respond: 'result' })
    const { body } = await on.send(path, 'text=a+b&to=x&to=y&to=z&empty=&__proto__=p', form)
    assert.deepEqual(JSON.parse(body.data.outputs.out), {
      ...{ text: 'a b', to: ['x', 'y', 'z'], empty: '' },
      ['__proto__']: 'p',
    })
  })

  test('answers 200 for a run that failed, and the same to a repeat', async () => {
    const failing = graph(
      [
        { id: 'get', type: 'http.request', data: { url: 'http://127.0.0.1:9/' } },
        { id: 'out', type: 'output' },
      ],
      ['get -> out'],
    )
    const id = await addWorkflow(on.api, failing)
    const { path } = await on.hook({ respond: 'result' }, id)
    const first = await on.send(path, {}, { 'webhook-id': 'one' })
    assert.deepEqual([first.status, first.body.data.status], [200, 'FAILED'])
    assert.equal(first.body.data.nodeErrors[0].code, 'ADDRESS_BLOCKED')
    assert.deepEqual((await on.send(path, {}, { 'webhook-id': 'one' })).body, first.body)
  })

  test('a hundred repeats at once make one run, and equal bodies without an id make two', async () => {
    const { path, triggerId } = await on.hook()
    const repeats = await Promise.all(
      Array.from({ length: 100 }, () => on.send(path, { title: 'x' }, { 'webhook-id': 'same' })),
    )
    assert.deepEqual([...new Set(repeats.map(({ status }) => status))], [202])
    const [runId, ...others] = new Set(repeats.map(({ body }) => body.data.runId))
    assert.ok(runId)
    assert.deepEqual(others, [])
    await on.send(path, { title: 'x' })
    await on.send(path, { title: 'x' })
    assert.equal((await on.firings(triggerId)).length, 3)
  })

  test('is refused before it is read unless the sender signed it', async () => {
    const { path, triggerId } = await on.hook({
      verify: { method: 'github', credentials: ['sender'] },
    })
    const text = '{"title":"signed"}'
    for (const headers of [{}, signed(text, 'another'), signed('{"title":"other"}')]) {
      const { status, body } = await on.send(path, text, headers)
      assert.deepEqual([status, body.error.code], [401, 'SIGNATURE_INVALID'])
    }
    const broken = '{"title":'
    assert.equal((await on.send(path, broken)).status, 401)
    assert.deepEqual(await on.firings(triggerId), [])
    assert.equal((await on.send(path, broken, signed(broken))).status, 400)
    const [unread, ...others] = await on.firings(triggerId)
    assert.deepEqual([unread.reason, unread.runId, others], ['INVALID_INPUT', null, []])
    const headers = signed(text)
    const { status, body } = await on.send(path, text, headers)
    assert.equal(status, 202)
    assert.equal((await on.send(path, text, headers)).body.data.runId, body.data.runId)
  })

  test('answers the challenge of Slack, if Slack signed it', async () => {
    const { path, triggerId } = await on.hook({
      verify: { method: 'slack', credentials: ['sender'] },
    })
    const text = JSON.stringify({ type: 'url_verification', challenge: 'abc' })
    const seconds = String(Math.floor(Date.now() / 1000))
    const v0 = createHmac('sha256', secret).update(`v0:${seconds}:${text}`).digest('hex')
    const headers = { 'x-slack-request-timestamp': seconds, 'x-slack-signature': `v0=${v0}` }
    assert.equal((await on.send(path, text)).status, 401)
    const { status, body } = await on.send(path, text, headers)
    assert.deepEqual([status, body], [200, { challenge: 'abc' }])
    assert.deepEqual(await on.firings(triggerId), [])
  })

  test('a repeat after a mended mapping runs', async () => {
    const { path, triggerId } = await on.hook({ mapping: '{ "titel": body.title }' })
    const first = await on.send(path, { title: 'x' }, { 'webhook-id': 'one' })
    assert.deepEqual([first.status, first.body.error.code], [422, 'INPUT_INVALID'])
    const notMapped = await on.hook({ mapping: '[1]' })
    assert.equal((await on.send(notMapped.path, {})).status, 422)
    assert.equal((await on.firings(notMapped.triggerId))[0].reason, 'INVALID_INPUT')
    const json = { mapping: '{ "title": body.title }' }
    await on.api.call({ method: 'PUT', path: `${on.at()}/${triggerId}`, json })
    const again = await on.send(path, { title: 'x' }, { 'webhook-id': 'one' })
    assert.equal(again.status, 202)
    assert.equal((await on.firings(triggerId)).length, 1)
    assert.deepEqual((await ended(on.api, again.body.data.runId)).outputs, { out: 'x' })
  })

  test('takes no more than 1 MiB, and no other method', async () => {
    const { path } = await on.hook()
    const { status } = await on.send(path, { title: 'x'.repeat(1024 * 1024) })
    assert.equal(status, 413)
    assert.equal((await on.server.call({ path, key: null })).status, 405)
  })

  test('answers 503 while it is off, in one row that counts, and 410 once it is deleted', async () => {
    const id = await addWorkflow(on.api, echo)
    const { path, triggerId } = await on.hook({ enabled: false }, id)
    for (let i = 0; i < 3; i++) {
      const { status, body } = await on.send(path, { title: 'x' })
      assert.deepEqual([status, body.error.code], [503, 'TRIGGER_PAUSED'])
    }
    const { body } = await on.api.call(`${on.at(id)}/${triggerId}/firings`)
    assert.deepEqual(
      body.data.items.map((one: Body) => [one.reason, one.count]),
      [['PAUSED', 3]],
    )
    await on.api.call({ method: 'DELETE', path: `${P}/workflows/${id}` })
    const gone = await on.send(path, { title: 'x' })
    assert.deepEqual([gone.status, gone.body.error.code], [410, 'TRIGGER_GONE'])
    assert.equal((await on.send('/hooks/no-such-token', {})).status, 404)
  })

  test('has a new address when its owner asks for one', async () => {
    const { path, triggerId } = await on.hook()
    const { body } = await on.api.call({
      method: 'PUT',
      path: `${on.at()}/${triggerId}`,
      json: { newUrl: true },
    })
    assert.equal((await on.send(path, { title: 'x' })).status, 404)
    assert.equal((await on.send(new URL(body.data.url).pathname, { title: 'x' })).status, 202)
  })

  test('pauses when the key that made it is revoked', async () => {
    const made = await on.person.call({
      method: 'POST',
      path: `${consolePath}/api-keys`,
      json: { name: 'brief' },
    })
    const { id: keyId, key } = made.body.data
    const json = { name: 'hook', kind: 'WEBHOOK' }
    const { body } = await on.server.call({ method: 'POST', path: on.at(), json, key })
    const { url, triggerId } = body.data
    await on.person.call({ method: 'DELETE', path: `${consolePath}/api-keys/${keyId}` })
    const { status } = await on.send(new URL(url).pathname, { title: 'x' })
    assert.equal(status, 503)
    const read = await on.api.call(`${on.at()}/${triggerId}`)
    assert.equal(read.body.data.paused.reason, 'KEY_REVOKED')
  })

  test('shows the next request to whoever listens, also one that was refused', async () => {
    const verify = { method: 'github', credentials: ['sender'] }
    const { path, triggerId, updatedAt } = await on.hook({ verify, enabled: false })
    const listen = `${consolePath}/workflows/${on.workflowId}/triggers/${triggerId}/listen`
    const heard = async () => (await on.person.call({ path: listen })).body.data
    assert.deepEqual([(await heard()).listeningUntil, (await heard()).at], [null, null])
    const text = '{"title":"sample"}'
    await on.send(path, text, signed(text))
    assert.equal((await heard()).at, null, 'nothing is kept while nobody listens')
    const started = await on.person.call({ method: 'POST', path: listen, json: {} })
    assert.ok(Date.parse(started.body.data.listeningUntil) > Date.now())
    await on.send(path, text)
    assert.match((await heard()).refused, /x-hub-signature-256/)
    assert.equal((await heard()).body, null)
    await on.send(`${path}?from=me`, text, { ...signed(text), authorization: 'Bearer abc' })
    await on.send(path, '{"title":"later"}', signed('{"title":"later"}'))
    const { refused, body, headers, query } = await heard()
    assert.deepEqual([refused, body, query], [null, { title: 'sample' }, { from: 'me' }])
    assert.ok(headers['x-github-delivery'])
    assert.equal(headers.authorization, undefined)
    const read = (await on.api.call(`${on.at()}/${triggerId}`)).body.data
    assert.deepEqual([read.enabled, read.updatedAt], [false, updatedAt])
    const schedule = { name: 's', kind: 'SCHEDULE', everySeconds: 60, inputs: { title: 'x' } }
    const made = await on.api.call({ method: 'POST', path: on.at(), json: schedule })
    const other = listen.replace(triggerId, made.body.data.triggerId)
    assert.equal((await on.person.call({ method: 'POST', path: other, json: {} })).status, 400)
  })
}

function trying(on: Hooks) {
  const ask = async (path: string, json: object) =>
    (await on.person.call({ method: 'POST', path: consolePath + path, json })).body.data

  test('a schedule shows when it would fire, or what is wrong with it', async () => {
    const good = await ask('/triggers/preview', { cron: '30 2 * * *', timeZone: 'Europe/Berlin' })
    assert.equal(good.words, 'Every day at 02:30, Europe/Berlin')
    assert.deepEqual([good.nextFirings.length, good.problems], [5, []])
    assert.match(good.notes.join(), /does not exist, fires 03:00/)
    const bad = await ask('/triggers/preview', { cron: '0 9 * *', timeZone: 'Nowhere' })
    assert.deepEqual(
      bad.problems.map(({ path }: Body) => path),
      ['/cron', '/timeZone'],
    )
    const never = await ask('/triggers/preview', { cron: '0 0 31 2 *' })
    assert.match(never.problems[0].message, /five years/)
    const interval = { everySeconds: 5400, startAt: '2030-01-01T00:00:00Z' }
    const later = await ask('/triggers/preview', interval)
    assert.deepEqual(
      [later.words, later.nextFirings[1]],
      ['Every 90 minutes', '2030-01-01T01:30:00.000Z'],
    )
    const over = await ask('/triggers/preview', { ...interval, endAt: '2026-01-01T00:00:00Z' })
    assert.deepEqual(over.problems, [{ path: '/endAt', message: 'leaves no occurrence' }])
  })

  test('a sample is mapped to inputs and never starts a run', async () => {
    const path = `/workflows/${on.workflowId}/triggers/try`
    const before = (await on.api.call(`${P}/workflows/${on.workflowId}/runs`)).body.data.total
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
    assert.equal(
      (await on.api.call(`${P}/workflows/${on.workflowId}/runs`)).body.data.total,
      before,
    )
  })
}
