// Routes: one name for several models. What each answer, the ledger and the doubles' own counts say
// must agree: a call moves only if it was surely not accepted, or if the route says it may pay twice.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { seededRandom } from '../../simulation/random.ts'
import type { Behaviour } from '../../support/provider-doubles/behaviour.ts'
import { type Call, P } from '../../support/server.ts'
import { addWorkflow, graph, ended as runEnded, started, submit } from '../runs/setting.ts'
import { callFaulty, faultyOptions } from './faulty-routes.ts'
import {
  assertFailure,
  attempts,
  type Bench,
  chat,
  ended,
  newCustomer,
  openBench,
  says,
  submitted,
  testModels,
} from './setting.ts'

const claude = 'anthropic/claude-haiku-5-5'
const two = { candidates: [{ model: 'test/text' }, { model: claude }] }
const hello = { model: 'route:writer', messages: [says('Hello')] }
const options = { doubles: ['openai', 'anthropic', 'fal'], models: testModels } as const

const outcomes = async (bench: Bench, accountId: string) =>
  (await attempts(bench))
    .filter((row) => row.account_id === accountId)
    .map(({ model, outcome }) => [model, outcome])

/** A customer with a route of this form. */
async function withRoute(bench: Bench, route: object, customer: object = {}) {
  const made = await newCustomer(bench, customer)
  await made.ask('PUT', '/routes/writer', route)
  return made
}

describe('a call over a route', () => {
  test('is answered by the first model that accepts it, on every surface, and says whom it asked', async (t) => {
    const bench = await openBench(t, options)
    const { key, accountId } = await withRoute(bench, two)
    const surfaces: [path: string, json: object][] = [
      [`${P}/chat/completions`, hello],
      ['/v1/chat/completions', hello],
      ['/v1/chat/completions', { ...hello, stream: true }],
      ['/v1/responses', { model: 'route:writer', input: 'Hello' }],
      ['/v1/messages', { ...hello, max_tokens: 10 }],
      ['/v1/messages', { ...hello, max_tokens: 10, stream: true }],
      [
        '/v1beta/models/route:writer:generateContent',
        { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
      ],
    ]
    for (const [index, [path, json]] of surfaces.entries()) {
      bench.doubles.openai.always('chat', { do: 'refuse', status: 429 })
      const { status, headers, text } = await bench.call({ method: 'POST', key, path, json })
      assert.equal(status, 200, `${path}: ${text}`)
      const said = String(headers['x-atelier-attempts'])
      // It stays with the model that answered this conversation.
      const first = index === 0 ? 'test/text;rate_limit, ' : ''
      assert.ok(said.endsWith(`${claude};answered`), `${path}: ${said}`)
      if (index === 0) assert.equal(said, `${first}${claude};answered`)
    }
    const rows = await outcomes(bench, accountId)
    assert.equal(rows.filter(([, outcome]) => outcome === 'SUCCEEDED').length, surfaces.length)
    assert.equal(bench.doubles.anthropic.counts.accepted, surfaces.length)
    assert.equal(bench.doubles.openai.counts.accepted, 0)
  })

  test('names the models in the native answer, and in the error if none accepts', async (t) => {
    const bench = await openBench(t, options)
    const { key } = await withRoute(bench, two)
    const answer = await chat(bench, hello, { key })
    assert.equal(answer.body.data.model, 'test/text')
    assert.deepEqual(answer.body.data.attempts, [{ model: 'test/text', outcome: 'answered' }])
    bench.doubles.openai.always('chat', { do: 'refuse', status: 429 })
    bench.doubles.anthropic.always('chat', { do: 'refuse', status: 529 })
    const other = { ...hello, messages: [says('Another conversation')] }
    const { details } = assertFailure(
      await chat(bench, other, { key }),
      503,
      'PROVIDER_UNAVAILABLE',
    )
    assert.deepEqual(details.attempts, [
      { model: 'test/text', outcome: 'rate_limit' },
      { model: claude, outcome: 'rate_limit' },
    ])
  })

  const reasons: [what: string, on: string[], Behaviour, moves: boolean][] = [
    ['a context overflow, if asked to', ['context'], overflow(), true],
    ['a context overflow, unless asked to', ['rate_limit'], overflow(), false],
    ['refused content, if asked to', ['content'], refusedContent(), true],
    ['a limit of requests, unless asked to', ['connect'], { do: 'refuse', status: 429 }, false],
    ['an error after which nobody knows', ['unavailable'], { do: 'refuse', status: 500 }, false],
    ['a cut after acceptance', ['connect', 'unavailable', 'timeout'], cut(), false],
  ]
  for (const [what, on, behaviour, moves] of reasons) {
    test(`${moves ? 'moves' : 'does not move'} after ${what}`, async (t) => {
      const bench = await openBench(t, options)
      const { key } = await withRoute(bench, { ...two, on })
      bench.doubles.openai.script('chat', behaviour)
      const { status } = await chat(bench, hello, { key })
      assert.equal(status === 200, moves)
      assert.equal(bench.doubles.anthropic.counts.accepted, moves ? 1 : 0)
    })
  }

  test('that is not accepted in time moves only if the route may pay twice, and both are in the ledger', async (t) => {
    const bench = await openBench(t, options)
    const slow = { ...two, on: ['timeout'], attemptTimeoutSeconds: 1 }
    bench.doubles.openai.always('chat', { do: 'hold' })
    const careful = await withRoute(bench, slow)
    assertFailure(await chat(bench, hello, { key: careful.key }), 504, 'PROVIDER_TIMEOUT')
    assert.equal(bench.doubles.anthropic.counts.chat, 0)
    const hasty = await withRoute(bench, { ...slow, mayPayTwice: true })
    const answer = await chat(bench, hello, { key: hasty.key })
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(await outcomes(bench, hasty.accountId), [
      ['test/text', 'UNKNOWN'],
      [claude, 'SUCCEEDED'],
    ])
  })

  test('reserves what the dearest candidate costs, and passes over one without a price', async (t) => {
    const bare = { id: 'test/bare', provider: 'local', kind: 'TEXT' }
    const cheap = {
      ...bare,
      id: 'test/cheap',
      pricing: { inputPerMillionTokens: 0, outputPerMillionTokens: 0.001 },
    }
    const models = { models: [...testModels.models, bare, cheap] }
    const bench = await openBench(t, { ...options, models })
    const candidates = [{ model: 'test/bare' }, { model: 'test/cheap' }, { model: 'test/text' }]
    const { key, accountId } = await withRoute(bench, { candidates }, { spendLimit: 0.02 })
    const answer = await chat(bench, { ...hello, maxTokens: 100 }, { key })
    assert.equal(answer.body.data.model, 'test/cheap', answer.text)
    const [row] = (await attempts(bench)).filter((one) => one.account_id === accountId)
    assert.ok((row?.reserved_micros ?? 0) >= 800, 'a hundred tokens of test/text at 8 each')
    // The cheap model alone would have room for this.
    const refused = await chat(
      bench,
      { ...hello, maxTokens: 1000, messages: [says('x'.repeat(8000))] },
      { key },
    )
    assertFailure(refused, 403, 'SPEND_LIMIT_REACHED')
  })

  test('places conversations by weight, and keeps each where it is', async (t) => {
    const bench = await openBench(t, options)
    const candidates = [
      { model: 'test/text', weight: 3 },
      { model: claude, weight: 1 },
    ]
    const { key } = await withRoute(bench, { candidates })
    const served = async (topic: number) =>
      (await chat(bench, { ...hello, messages: [says(`Topic ${topic}`)] }, { key })).body.data.model
    const first = await Promise.all(Array.from({ length: 40 }, (_, topic) => served(topic)))
    assert.deepEqual(await Promise.all(first.map((_, topic) => served(topic))), first)
    const share = first.filter((model) => model === 'test/text').length
    assert.ok(share > 20 && share < 40, `${share} of 40`)
  })
})

describe('a route', () => {
  test("is an account's own, listed with what every candidate can do, and gone once deleted", async (t) => {
    const bench = await openBench(t, options)
    const { key, ask } = await withRoute(bench, two)
    const listed = async (given: string) =>
      (await bench.call({ path: `${P}/models`, key: given })).body.data.items.find(
        ({ id }: { id: string }) => id === 'route:writer',
      )
    const route = await listed(key)
    assert.equal(route.route, true)
    assert.equal(route.capabilities.maxOutputTokens, 1000)
    assert.deepEqual(route.capabilities.inputModalities, ['text', 'image'])
    const stranger = await newCustomer(bench)
    assert.equal(await listed(stranger.key), undefined)
    assertFailure(await chat(bench, hello, { key: stranger.key }), 400, 'MODEL_NOT_FOUND')
    await ask('DELETE', '/routes/writer')
    const { items } = (await ask('GET', '/audit')).body.data
    const entries = items.map(({ action, target }: Record<string, string>) => [action, target])
    assert.deepEqual(entries.slice(0, 2), [
      ['route.deleted', 'writer'],
      ['route.changed', `writer: test/text, ${claude}`],
    ])
    assertFailure(await chat(bench, hello, { key }), 400, 'MODEL_NOT_FOUND')
  })

  test('that makes no sense is refused, with the place', async (t) => {
    const bench = await openBench(t, options)
    const { key } = await newCustomer(bench, { scopes: ['developer'] })
    const put = (json: object, name = 'writer') =>
      bench.call({ method: 'PUT', path: `/api/console/v1/routes/${name}`, key, json })
    const wrong: [json: object, path: string][] = [
      [{ candidates: [{ model: 'nobody' }] }, '/candidates/0/model'],
      [{ candidates: [{ model: 'demo-text' }, { model: 'demo-image' }] }, '/candidates/1/model'],
      [{ candidates: [{ model: 'demo-text' }, { model: 'demo-text' }] }, '/candidates/1/model'],
      [{ candidates: [{ model: 'route:writer' }] }, '/candidates/0/model'],
      [{ candidates: [{ model: 'demo-text', weight: 2 }], sort: 'price' }, '/candidates/0/weight'],
      [{ candidates: [{ model: 'demo-text' }], mayPayTwice: true }, '/mayPayTwice'],
      [{ candidates: [] }, '/candidates'],
      [{ candidates: [{ model: 'demo-text' }], fallback: 'x' }, '/fallback'],
    ]
    for (const [json, path] of wrong) {
      const answer = await put(json)
      assert.equal(answer.status, 400, `${path}: ${answer.text}`)
      assert.equal(answer.body.error.details.issues[0].path, path, answer.text)
    }
    assert.equal((await put(two, 'constructor')).status, 200)
  })

  test("of MODELS_FILE is everybody's, and an account's own of that name hides it", async (t) => {
    const routes = [{ name: 'writer', candidates: [{ model: 'demo-text' }] }]
    const bench = await openBench(t, { ...options, models: { ...testModels, routes } })
    assert.equal((await chat(bench, hello)).body.data.model, 'demo-text')
    const { key, ask } = await withRoute(bench, two)
    assert.equal((await chat(bench, hello, { key })).body.data.model, 'test/text')
    const { items } = (await ask('GET', '/routes')).body.data
    assert.deepEqual(
      items.map(({ id, isOperators }: Record<string, unknown>) => [id, isOperators]),
      [['route:writer', false]],
    )
  })

  test('serves nodes and tasks: a run keeps the route it was accepted with, and costs what answered', async (t) => {
    const bench = await openBench(t, options)
    const { key, ask, accountId } = await withRoute(bench, two)
    const on = { call: (call: Call | string) => bench.call(asCustomer(call, key)) }
    const nodes = [
      { id: 'prompt', type: 'input.text', data: {} },
      { id: 'answer', type: 'text.generate', data: { model: 'route:writer' } },
    ]
    const id = await addWorkflow(on, graph(nodes, ['prompt -> answer.prompt']))
    const json = { inputs: { prompt: 'Hello' } }
    const path = `${P}/workflows/${id}/estimate`
    const estimate = await on.call({ method: 'POST', path, json })
    assert.equal(estimate.body.data.exact, false)
    assert.match(estimate.text, /may be answered by test\/text, anthropic/)
    bench.doubles.openai.script('chat', { do: 'refuse', status: 429 })
    const run = await started(on, id, json)
    await ask('DELETE', '/routes/writer')
    const done = await runEnded(on, run)
    assert.equal(done.status, 'COMPLETED', JSON.stringify(done))
    assert.deepEqual(await outcomes(bench, accountId), [
      ['test/text', 'REJECTED'],
      [claude, 'SUCCEEDED'],
    ])
    const refused = await submit(on, id, json)
    assert.ok(refused.status >= 400 && refused.status < 500, refused.text)
  })

  test('of pictures hands a task to the next model, unless the first may have accepted it', async (t) => {
    const flux = {
      id: 'test/flux',
      provider: 'fal',
      kind: 'IMAGE',
      providerModel: 'fal-ai/flux/schnell',
      pricing: { perImage: 0.01 },
    }
    const bench = await openBench(t, {
      ...options,
      models: { models: [...testModels.models, flux] },
    })
    const candidates = [{ model: 'test/flux' }, { model: 'demo-image' }]
    const { key } = await withRoute(bench, { candidates })
    bench.doubles.fal.script('submit', { do: 'refuse', status: 429 })
    const task = await ended(
      bench,
      await submitted(bench, 'image', { model: 'route:writer' }, { key }),
      { key },
    )
    assert.equal(task.status, 'COMPLETED', JSON.stringify(task))
    assert.deepEqual([bench.doubles.fal.counts.submit, bench.doubles.fal.counts.accepted], [1, 0])
  })
})

const asCustomer = (call: Call | string, key: string): Call => ({
  ...(typeof call === 'string' ? { path: call } : call),
  key,
})

function overflow(): Behaviour {
  const message = "This model's maximum context length is 8192 tokens."
  return { do: 'refuse', status: 400, message }
}

function refusedContent(): Behaviour {
  const error = { message: 'no', type: 'invalid_request_error', code: 'content_policy_violation' }
  return { do: 'say', status: 400, body: { error } }
}

function cut(): Behaviour {
  return { do: 'cut', when: 'after-accepting' }
}

test('whatever providers do, no call over a route is paid twice, and the ledger has all of them', async (t) => {
  const bench = await openBench(t, faultyOptions)
  const seed = Date.now() % 2 ** 31
  t.diagnostic(`seed ${seed}`)
  const { moved } = await callFaulty(bench, 120, seededRandom(seed))
  assert.ok(moved > 10, `only ${moved} calls moved`)
})
