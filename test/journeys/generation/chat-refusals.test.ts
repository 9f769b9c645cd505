import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Behaviour } from '../../support/provider-doubles/behaviour.ts'
import { closedAddress } from './host.ts'
import {
  assertFailure,
  attempts,
  type Bench,
  chat,
  newCustomer,
  openBench,
  says,
  submitted,
  testModels,
} from './setting.ts'

const openai = { doubles: ['openai'], models: testModels } as const
const hello = { model: 'test/text', messages: [says('Hello')] }

describe('a chat is refused before any provider is called', () => {
  test('for a model that is unknown, disabled, without a key or of another kind', async (t) => {
    const models = { models: [...testModels.models, { id: 'demo-code', enabled: false }] }
    const bench = await openBench(t, { ...openai, models })
    for (const model of ['nothing', 'demo-code', 'anthropic/claude-haiku-5-5', '__proto__', '']) {
      const error = assertFailure(await chat(bench, { ...hello, model }), 400, 'MODEL_NOT_FOUND')
      assert.equal(error.retryable, false)
    }
    for (const model of ['demo-image', 'demo-video', 'openai/gpt-image-2']) {
      assertFailure(await chat(bench, { ...hello, model }), 400, 'MODEL_KIND_MISMATCH')
    }
    assert.equal(bench.doubles.openai.requests.length, 0)
  })

  test('for parameters outside what the model declares, naming each', async (t) => {
    const bench = await openBench(t, openai)
    const answer = await chat(bench, { ...hello, temperature: 2.5, maxTokens: 1001 })
    const { details } = assertFailure(answer, 400, 'UNSUPPORTED_PARAMETER')
    const paths = details.issues.map((issue: { path: string }) => issue.path)
    assert.deepEqual(paths, ['/temperature', '/maxTokens'])
    const edges = await chat(bench, { ...hello, temperature: 2, maxTokens: 1000 })
    assert.equal(edges.status, 200, edges.text)
  })

  test('for a picture where the model reads only text', async (t) => {
    const models = { models: [{ id: 'blind', provider: 'local', kind: 'TEXT' }] }
    const bench = await openBench(t, { doubles: ['openai'], models })
    const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
    const answer = await chat(bench, { model: 'blind', messages: [says([picture])] })
    assertFailure(answer, 400, 'UNSUPPORTED_PARAMETER')
    assert.equal(bench.doubles.openai.requests.length, 0)
  })

  test('for a body that breaks the schema: nothing is coerced, dropped or added', async (t) => {
    const bench = await openBench(t, openai)
    const broken = [
      {},
      { ...hello, messages: [] },
      { ...hello, messages: 'Hello' },
      { ...hello, messages: [{ role: 'user' }] },
      { ...hello, messages: [{ role: 'tool', content: 'x' }] },
      { ...hello, messages: [{ role: 'user', content: 'x', name: 'extra' }] },
      { ...hello, temperature: '0.5' },
      { ...hello, temperature: null },
      { ...hello, maxTokens: 0 },
      { ...hello, maxTokens: 1.5 },
      { ...hello, systemPrompt: null },
      { ...hello, stream: true },
      { ...hello, model: 7 },
      null,
      [],
    ]
    for (const body of broken) {
      const answer = await bench.call({
        method: 'POST',
        path: '/api/ai-tools/v1/chat/completions',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      assertFailure(answer, 400, 'INVALID_REQUEST')
    }
    assert.equal(bench.doubles.openai.requests.length, 0)
  })

  test('for a key without the scope, naming the missing one', async (t) => {
    const bench = await openBench(t, openai)
    const { key } = await newCustomer(bench, { scopes: ['models:read', 'tasks:read'] })
    const answer = await chat(bench, hello, { key })
    assertFailure(answer, 403, 'INSUFFICIENT_SCOPE')
    assert.match(String(answer.headers['www-authenticate']), /scope="chat:write"/)
    const image = await bench.call({
      method: 'POST',
      path: '/api/ai-tools/v1/images/generations',
      json: { model: 'demo-image', messages: [says('A door')] },
      key,
    })
    assertFailure(image, 403, 'INSUFFICIENT_SCOPE')
    assert.equal((await bench.call({ path: '/api/ai-tools/v1/tasks', key })).status, 200)
  })

  test('beyond the limits per minute, which every answer shows', async (t) => {
    const env = { RATE_LIMIT_CHAT: '2', RATE_LIMIT_GENERATION: '1' }
    const bench = await openBench(t, { ...openai, env })
    const first = await chat(bench, hello)
    assert.equal(first.headers['ratelimit-policy'], '"chat";q=2;w=60')
    assert.match(String(first.headers.ratelimit), /^"chat";r=1;t=\d+$/)
    await chat(bench, hello)
    const third = await chat(bench, hello)
    assert.equal(assertFailure(third, 429, 'RATE_LIMITED').retryable, true)
    assert.ok(Number(third.headers['retry-after']) >= 1)
    assert.equal(bench.doubles.openai.counts.chat, 2)
    await submitted(bench, 'image', { model: 'demo-image' })
    const image = await bench.call({
      method: 'POST',
      path: '/api/ai-tools/v1/images/generations',
      json: { model: 'demo-image', messages: [says('A door')] },
    })
    assertFailure(image, 429, 'RATE_LIMITED')
    bench.clock.advance(Number(third.headers['retry-after']) * 1000)
    assert.equal((await chat(bench, hello)).status, 200)
  })
})

const contentRefusal: Behaviour = {
  do: 'say',
  status: 400,
  body: { error: { message: 'flagged', type: 'invalid_request_error', code: 'content_filter' } },
}

type Case = {
  when: string
  behaviour: Behaviour
  status: number
  code: string
  retryable: boolean
  outcome: 'REJECTED' | 'FAILED' | 'UNKNOWN'
}

const cases: Case[] = [
  {
    when: 'the provider refuses the content',
    behaviour: contentRefusal,
    ...{ status: 400, code: 'CONTENT_REJECTED', retryable: false, outcome: 'REJECTED' },
  },
  {
    when: 'the provider calls the request wrong',
    behaviour: { do: 'refuse', status: 422, message: 'too many messages' },
    ...{ status: 400, code: 'INVALID_REQUEST', retryable: false, outcome: 'REJECTED' },
  },
  {
    when: 'our key is wrong there',
    behaviour: { do: 'refuse', status: 401 },
    ...{ status: 502, code: 'PROVIDER_ERROR', retryable: false, outcome: 'REJECTED' },
  },
  {
    when: 'the provider is busy',
    behaviour: { do: 'refuse', status: 429, headers: { 'retry-after': '7' } },
    ...{ status: 503, code: 'PROVIDER_UNAVAILABLE', retryable: true, outcome: 'REJECTED' },
  },
  {
    when: 'the provider breaks',
    behaviour: { do: 'refuse', status: 500 },
    ...{ status: 502, code: 'PROVIDER_ERROR', retryable: true, outcome: 'FAILED' },
  },
  {
    when: 'the answer is junk',
    behaviour: { do: 'babble', as: 'html' },
    ...{ status: 502, code: 'PROVIDER_ERROR', retryable: true, outcome: 'UNKNOWN' },
  },
  {
    when: 'the connection is cut after the request was taken',
    behaviour: { do: 'cut', when: 'after-accepting' },
    ...{ status: 502, code: 'PROVIDER_ERROR', retryable: true, outcome: 'UNKNOWN' },
  },
  {
    when: 'the answer breaks off',
    behaviour: { do: 'cut', when: 'mid-answer' },
    ...{ status: 502, code: 'PROVIDER_ERROR', retryable: true, outcome: 'UNKNOWN' },
  },
]

async function assertOneAttempt(bench: Bench, outcome: string, costMicros: number) {
  const rows = await attempts(bench)
  assert.deepEqual(
    rows.map((row) => [row.outcome, row.cost_micros]),
    [[outcome, costMicros]],
  )
}

describe('a chat that the provider does not complete', () => {
  for (const { when, behaviour, status, code, retryable, outcome } of cases) {
    test(`is a ${status} ${code} when ${when}, after exactly one call`, async (t) => {
      const bench = await openBench(t, openai)
      bench.doubles.openai.script('chat', behaviour)
      const answer = await chat(bench, hello)
      const error = assertFailure(answer, status, code)
      assert.equal(error.retryable, retryable)
      if (status === 503) assert.equal(answer.headers['retry-after'], '7')
      assert.doesNotMatch(answer.text, new RegExp(bench.doubles.openai.key))
      assert.equal(bench.doubles.openai.counts.chat, 1)
      // A call that may have been billed counts as billed.
      const expected = outcome !== 'UNKNOWN' ? 0 : Math.ceil(5 / 4) * 2 + 1024 * 8
      await assertOneAttempt(bench, outcome, expected)
    })
  }

  test('is a 503 when the provider cannot be reached, and may be repeated', async (t) => {
    const env = { OPENAI_API_KEY: 'key-of-nobody', OPENAI_BASE_URL: await closedAddress() }
    const bench = await openBench(t, { models: testModels, env })
    const answer = await chat(bench, hello)
    assert.equal(assertFailure(answer, 503, 'PROVIDER_UNAVAILABLE').retryable, true)
    assert.ok(Number(answer.headers['retry-after']) >= 1)
    await assertOneAttempt(bench, 'REJECTED', 0)
  })

  test('is a 504 when it takes too long', async (t) => {
    const bench = await openBench(t, { ...openai, env: { CHAT_TIMEOUT_SECONDS: '1' } })
    bench.doubles.openai.script('chat', { do: 'hold' })
    const answer = await chat(bench, hello)
    assert.equal(assertFailure(answer, 504, 'PROVIDER_TIMEOUT').retryable, true)
    assert.equal(bench.doubles.openai.counts.chat, 1)
    await assertOneAttempt(bench, 'UNKNOWN', Math.ceil(5 / 4) * 2 + 1024 * 8)
  })
})
