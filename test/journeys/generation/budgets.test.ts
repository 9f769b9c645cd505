// Tags and budgets: what a call is counted under, and what lets it start.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { P } from '../../support/server.ts'
import { addWorkflow, ended, graph, started, submit } from '../runs/setting.ts'
import {
  assertFailure,
  type Bench,
  type Customer,
  chat,
  eventually,
  generate,
  newCustomer,
  openBench,
  says,
  testModels,
} from './setting.ts'

const options = {
  doubles: ['openai', 'anthropic', 'fal'],
  models: testModels,
  env: { OUTBOUND_ALLOW: '127.0.0.1/32' },
} as const
const hello = { model: 'test/text', messages: [says('Hello')], maxTokens: 10 }
const tag = (name: string) => ({ headers: { 'x-atelier-tag': name } })
const writer = graph(
  [
    {
      id: 'ask',
      type: 'text.generate',
      data: { model: 'test/text', prompt: 'Hello', maxTokens: 10 },
    },
    { id: 'out', type: 'output' },
  ],
  ['ask -> out'],
)

const as = (bench: Bench, { key }: Customer) => ({
  call: (call: Parameters<Bench['call']>[0]) =>
    bench.call(typeof call === 'string' ? { path: call, key } : { key, ...call }),
})

const tagsOf = async (bench: Bench, { accountId }: Customer) =>
  (
    await bench.db.query<{ tag: string | null }>(
      'select tag from ledger where account_id = $1 order by created_at, attempt',
      [accountId],
    )
  ).map((row) => row.tag)

describe('a tag', () => {
  test('that a caller sends counts on every surface, and is shown in usage', async (t) => {
    const bench = await openBench(t, options)
    const customer = await newCustomer(bench)
    const { key, ask } = customer
    const plain = { model: 'test/text', messages: [says('Hello')] }
    const surfaces: [path: string, json: object][] = [
      [`${P}/chat/completions`, hello],
      ['/v1/chat/completions', { ...plain, stream: true }],
      ['/v1/responses', { model: 'test/text', input: 'Hello' }],
      ['/v1/messages', { ...plain, max_tokens: 10 }],
      [
        '/v1beta/models/test%2Ftext:generateContent',
        { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
      ],
    ]
    for (const [path, json] of surfaces) {
      const { status, text } = await bench.call({ method: 'POST', key, path, json, ...tag('a:1') })
      assert.equal(status, 200, `${path}: ${text}`)
    }
    assertFailure(await chat(bench, hello, { key, ...tag('no spaces') }), 422, 'TAG_INVALID')
    await chat(bench, hello, { key })
    assert.deepEqual(await tagsOf(bench, customer), [...surfaces.map(() => 'a:1'), null])
    const { body } = await ask('GET', '/usage?split=tag&tz=UTC')
    const calls = body.data.series.map((one: { key: string; calls: number }) => [
      one.key,
      one.calls,
    ])
    assert.deepEqual(calls, [
      ['a:1', surfaces.length],
      ['none', 1],
    ])
    assert.equal(body.data.total.calls, surfaces.length + 1)
    const filtered = await ask('GET', '/usage?split=model&tag=a:1&tz=UTC')
    assert.equal(filtered.body.data.total.calls, surfaces.length)
    const listed = await ask('GET', '/calls?from=2020-01-01T00:00:00Z&tag=none')
    assert.deepEqual(
      listed.body.data.items.map((call: { tag: string | null }) => call.tag),
      [null],
    )
  })

  test('of a run is its own, else that of the workflow, else of the key', async (t) => {
    const bench = await openBench(t, options)
    const customer = await newCustomer(bench)
    const { keyId, ask } = customer
    const on = as(bench, customer)
    const workflowId = await addWorkflow(on, writer)
    const tagged = async (json: object, headers: Record<string, string> = {}) => {
      const key = randomUUID()
      const answer = await submit(on, workflowId, json, {
        headers: { 'idempotency-key': key, ...headers },
      })
      assert.equal(answer.status, 202, answer.text)
      await ended(on, answer.body.data.runId)
      return (await tagsOf(bench, customer)).at(-1)
    }
    assert.equal(await tagged({}), null)
    await ask('PUT', '/default-tags', { scope: 'key', target: keyId, tag: 'of-key' })
    assert.equal(await tagged({}), 'of-key')
    const ofWorkflow = { scope: 'workflow', target: String(workflowId), tag: 'of-workflow' }
    await ask('PUT', '/default-tags', ofWorkflow)
    assert.equal(await tagged({}), 'of-workflow')
    assert.equal(await tagged({}, { 'x-atelier-tag': 'of-header' }), 'of-header')
    assert.equal(await tagged({ tag: 'of-run' }), 'of-run')
    const both = { headers: { 'idempotency-key': 'both', 'x-atelier-tag': 'one' } }
    assertFailure(await submit(on, workflowId, { tag: 'other' }, both), 422, 'INPUT_INVALID')
    assertFailure(await submit(on, workflowId, { tag: '' }), 422, 'INPUT_INVALID')
    const keyed = { headers: { 'idempotency-key': 'same' } }
    assert.equal((await submit(on, workflowId, { tag: 'x' }, keyed)).status, 202)
    assert.equal((await submit(on, workflowId, { tag: 'x' }, keyed)).status, 200)
    assertFailure(await submit(on, workflowId, {}, keyed), 409, 'IDEMPOTENCY_KEY_REUSED')
    const trigger = { name: 't', kind: 'ONCE', at: '2999-01-01T00:00:00Z', tag: 'of-trigger' }
    const path = `${P}/workflows/${workflowId}/triggers`
    const made = await on.call({ method: 'POST', path, json: trigger })
    assert.equal(made.status, 200, made.text)
    const fire = { method: 'POST', path: `${path}/${made.body.data.triggerId}/fire` }
    assert.ok((await on.call(fire)).status < 300)
    await eventually(
      () => tagsOf(bench, customer),
      (tags) => tags.includes('of-trigger'),
    )
  })
})

describe('a budget', () => {
  test('holds for chats, tasks, compatible calls, runs and triggers, and says which it is', async (t) => {
    const bench = await openBench(t, options)
    const customer = await newCustomer(bench)
    const { key, ask } = customer
    const on = as(bench, customer)
    const workflowId = await addWorkflow(on, writer)
    await ask('PUT', '/budgets', { scope: 'tag', target: 'a', period: 'day', limit: 0.000001 })
    const refused = assertFailure(
      await chat(bench, hello, { key, ...tag('a') }),
      403,
      'SPEND_LIMIT_REACHED',
    )
    const { scope, target, period } = refused.details
    assert.deepEqual({ scope, target, period }, { scope: 'tag', target: 'a', period: 'day' })
    const image = { model: 'fal/flux-schnell', messages: [says('A door')] }
    const task = await generate(bench, 'image', image, { key, ...tag('a') })
    assertFailure(task, 403, 'SPEND_LIMIT_REACHED')
    const compat = {
      method: 'POST',
      path: '/v1/chat/completions',
      key,
      json: { ...hello, maxTokens: undefined },
    }
    assert.equal((await bench.call({ ...compat, ...tag('a') })).status, 403)
    assert.equal((await bench.call(compat)).status, 200)
    assert.equal((await chat(bench, hello, { key, ...tag('b') })).status, 200)
    await ask('PUT', '/budgets', {
      ...{ scope: 'workflow', target: String(workflowId), period: 'month', limit: 0.000001 },
    })
    const run = await ended(on, await started(on, workflowId))
    assert.equal(run.status, 'FAILED')
    assert.equal(run.nodeErrors[0].code, 'SPEND_LIMIT_REACHED')
    await ask('PUT', '/budgets', {
      ...{ scope: 'workflow', target: String(workflowId), period: 'month', limit: 0 },
    })
    assertFailure(await submit(on, workflowId, {}), 403, 'SPEND_LIMIT_REACHED')
    const path = `${P}/workflows/${workflowId}/triggers`
    const trigger = { name: 't', kind: 'ONCE', at: '2999-01-01T00:00:00Z' }
    const made = await on.call({ method: 'POST', path, json: trigger })
    await on.call({ method: 'POST', path: `${path}/${made.body.data.triggerId}/fire` })
    const firings = await eventually(
      () => on.call(`${path}/${made.body.data.triggerId}/firings`),
      ({ body }) => body.data?.items?.[0]?.status === 'SKIPPED',
    )
    assert.equal(firings.body.data.items[0].reason, 'BUDGET')
  })

  test('shows what is used, tells the receiver and the bell once, and is raised for a time', async (t) => {
    const bench = await openBench(t, options)
    const customer = await newCustomer(bench)
    const { key, keyId, ask } = customer
    await ask('PUT', '/webhook', { url: `${bench.doubles.openai.url}/alerts` })
    const day = { scope: 'tag', target: 'a', period: 'day' }
    // One call costs less than its most, which is what it needs.
    await chat(bench, hello, { key })
    const [call] = await bench.db.query<{ cost_micros: number }>('select cost_micros from ledger')
    const cost = Number(call?.cost_micros)
    const most = 10 * 8 + 1_000
    await ask('PUT', '/budgets', { ...day, limit: most / 1e6 })
    for (let i = 0; i * cost < most * 0.5; i++) await chat(bench, hello, { key, ...tag('a') })
    const told = await eventually(
      () => ask('GET', '/deliveries'),
      ({ body }) => body.data.items.length > 0,
    )
    assert.deepEqual(
      told.body.data.items.map((one: { type: string; runId: null }) => [one.type, one.runId]),
      [['budget.alert', null]],
    )
    const notices = await ask('GET', '/notices')
    const [notice] = notices.body.data.items.filter(
      (one: { kind: string }) => one.kind === 'budget',
    )
    assert.deepEqual([notice.percent, notice.scope, notice.subject], [50, 'tag', 'a'])
    const until = new Date(bench.clock.nowMs() + 60_000).toISOString()
    const raised = await ask('PUT', '/budgets/raise', { ...day, amount: 1, until })
    const [shown] = raised.body.data.items
    assert.equal(shown.raise.amount.amount, 1)
    assert.ok(shown.spent.amount > 0 && shown.left.amount > 0.9)
    bench.clock.advance(61_000)
    const over = await ask('GET', '/budgets')
    assert.equal(over.body.data.items[0].raise, null)
    // The older limits are budgets, too.
    await ask('PUT', '/budgets', { scope: 'account', period: 'month', limit: 5 })
    await ask('PUT', '/budgets', { scope: 'key', target: keyId, period: 'month', limit: 2 })
    const limits = await ask('GET', '/spend-limits')
    assert.equal(limits.body.data.account.ownLimit.amount, 5)
    assert.equal(limits.body.data.keys[0].limit.amount, 2)
    const audit = await ask('GET', '/audit')
    const actions = audit.body.data.items.map((one: { action: string }) => one.action)
    for (const action of ['budget.changed', 'budget.raised', 'webhook.changed'])
      assert.ok(actions.includes(action), action)
  })

  test('is removed after its workflow or key, and a raise is shown beside the limit', async (t) => {
    const bench = await openBench(t, { ...options, env: { ...options.env, SPEND_LIMIT: '10' } })
    const customer = await newCustomer(bench)
    const { keyId, ask } = customer
    const workflowId = await addWorkflow(as(bench, customer), writer)
    const gone = [
      { scope: 'workflow', target: String(workflowId), period: 'day' },
      { scope: 'key', target: keyId, period: 'day' },
    ]
    for (const name of gone) await ask('PUT', '/budgets', { ...name, limit: 5 })
    await ask('PUT', '/default-tags', { scope: 'key', target: keyId, tag: 'of-key' })
    const path = `${P}/workflows/${workflowId}`
    assert.equal((await as(bench, customer).call({ method: 'DELETE', path })).status, 200)
    await ask('DELETE', `/api-keys/${keyId}`)
    for (const name of gone) await ask('PUT', '/budgets', { ...name, limit: null })
    await ask('PUT', '/default-tags', { scope: 'key', target: keyId, tag: null })
    const account = { scope: 'account', period: 'month' }
    await ask('PUT', '/budgets', { ...account, limit: 5 })
    const until = new Date(bench.clock.nowMs() + 60_000).toISOString()
    const { body } = await ask('PUT', '/budgets/raise', { ...account, amount: 50, until })
    const [shown, ...others] = body.data.items
    assert.deepEqual([others, body.data.tags], [[], []])
    assert.deepEqual([shown.limit.amount, shown.left.amount], [5, 10])
  })

  test('is nothing that another account sees, sets or counts on', async (t) => {
    const bench = await openBench(t, options)
    const [mine, other] = [await newCustomer(bench), await newCustomer(bench)]
    const workflowId = await addWorkflow(as(bench, mine), writer)
    await mine.ask('PUT', '/budgets', { scope: 'tag', target: 'a', period: 'day', limit: 0 })
    await mine.ask('PUT', '/default-tags', { scope: 'key', target: mine.keyId, tag: 'a' })
    assertFailure(await chat(bench, hello, { key: mine.key }), 403, 'SPEND_LIMIT_REACHED')
    assert.equal((await chat(bench, hello, { key: other.key, ...tag('a') })).status, 200)
    const listed = await other.ask('GET', '/budgets')
    assert.deepEqual(listed.body.data, { items: [], tags: [] })
    const foreign = [
      { scope: 'key', target: mine.keyId, code: /404/ },
      { scope: 'workflow', target: String(workflowId), code: /404/ },
    ]
    for (const { scope, target } of foreign) {
      const set = { scope, target, period: 'day', limit: 1 }
      await assert.rejects(other.ask('PUT', '/budgets', set), /NOT_FOUND/)
      await assert.rejects(
        other.ask('PUT', '/default-tags', { scope, target, tag: 'x' }),
        /NOT_FOUND/,
      )
    }
  })
})
