// A call over a route that was paid at one model and then fails at the next is not made again by
// itself: not by its run, and not under the same Idempotency-Key.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { databases } from '../../support/databases.ts'
import type { Behaviour } from '../../support/provider-doubles/behaviour.ts'
import type { Answer, Call } from '../../support/server.ts'
import { P } from '../../support/server.ts'
import { addWorkflow, graph, ended as runEnded, started } from '../runs/setting.ts'
import {
  assertFailure,
  attempts,
  type BenchOptions,
  newCustomer,
  openBench,
  says,
  testModels,
} from './setting.ts'

const second = 'test/second'
/** At another vendor, for the same price. */
const models = {
  models: [...testModels.models, { ...testModels.models[0], id: second, provider: 'anthropic' }],
}
const hello = { model: 'route:writer', messages: [says('Hello')] }

/** The vendor wrote an answer, blocked it and bills it. */
const blocked: Behaviour = {
  do: 'say',
  status: 200,
  body: {
    id: 'c',
    choices: [{ index: 0, finish_reason: 'content_filter', message: { content: '' } }],
    usage: { prompt_tokens: 5, completion_tokens: 100 },
  },
}
const busy = (headers: Record<string, string> = {}): Behaviour => ({
  ...{ do: 'refuse', status: 429, headers },
})

type Customer = Parameters<typeof newCustomer>[1]

async function open(
  t: TestContext,
  route: object,
  { customer, ...options }: BenchOptions & { customer?: Customer } = {},
) {
  const bench = await openBench(t, {
    ...{ doubles: ['openai', 'anthropic'], models },
    ...options,
  })
  const { key, ask, accountId } = await newCustomer(bench, customer)
  const candidates = [{ model: 'test/text' }, { model: second }]
  await ask('PUT', '/routes/writer', { candidates, ...route })
  const { openai, anthropic } = bench.doubles
  return {
    ...{ ask, openai, anthropic },
    asked: () => [openai.counts.chat, anthropic.counts.chat],
    call: (path: string, json: object, idempotencyKey?: string): Promise<Answer> =>
      bench.call({
        ...{ method: 'POST', path, key, json },
        headers: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
      }),
    outcomes: async () =>
      (await attempts(bench))
        .filter((row) => row.account_id === accountId)
        .map(({ model, outcome }) => [model, outcome]),
    async run() {
      const on = {
        call: (call: Call | string) =>
          bench.call({ ...(typeof call === 'string' ? { path: call } : call), key }),
      }
      const data = { model: 'route:writer', prompt: 'Hello' }
      const flow = await addWorkflow(on, graph([{ id: 'a', type: 'text.generate', data }]))
      return runEnded(on, await started(on, flow))
    },
  }
}

const onContent = { on: ['content', 'rate_limit'] }
const hasty = { on: ['timeout'], attemptTimeoutSeconds: 1, mayPayTwice: true }

test('a chat whose first answer was blocked is answered by the second, and says so', async (t) => {
  const { openai, anthropic, asked, call, outcomes } = await open(t, onContent)
  openai.always('chat', blocked)
  const answer = await call(`${P}/chat/completions`, hello)
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.body.data.model, second)
  assert.deepEqual(answer.body.data.attempts, [
    { model: 'test/text', outcome: 'content' },
    { model: second, outcome: 'answered' },
  ])
  const said = `test/text;content, ${second};answered`
  assert.equal(answer.headers['x-atelier-attempts'], said)
  assert.deepEqual(await outcomes(), [
    ['test/text', 'FAILED'],
    [second, 'SUCCEEDED'],
  ])
  assert.deepEqual([asked(), anthropic.counts.accepted], [[1, 1], 1])
  // Without `content` it stays where it was.
  const careful = await open(t, { on: ['rate_limit'] })
  careful.openai.always('chat', blocked)
  assertFailure(await careful.call(`${P}/chat/completions`, hello), 400, 'CONTENT_REJECTED')
  assert.deepEqual(careful.asked(), [1, 0])
})

describe('a chat whose first model was paid and whose second fails', () => {
  const paths: [path: string, json: object][] = [
    [`${P}/chat/completions`, hello],
    ['/v1/chat/completions', hello],
  ]
  for (const [path, json] of paths) {
    test(`names both, and its Idempotency-Key gives the same failure again: ${path}`, async (t) => {
      const { openai, anthropic, asked, call, outcomes } = await open(t, onContent)
      openai.always('chat', blocked)
      anthropic.always('chat', busy())
      const failed = await call(path, json, 'one')
      assert.equal(failed.status, 502, failed.text)
      const both = `test/text;content, ${second};rate_limit`
      assert.equal(failed.headers['x-atelier-attempts'], both)
      anthropic.always('chat', { do: 'answer' })
      const again = await call(path, json, 'one')
      assert.deepEqual([again.status, again.text], [failed.status, failed.text])
      assert.deepEqual(asked(), [1, 1])
      assert.deepEqual(await outcomes(), [
        ['test/text', 'FAILED'],
        [second, 'REJECTED'],
      ])
    })
  }

  test('has no error that our client repeats by itself', async (t) => {
    const { openai, anthropic, call } = await open(t, onContent)
    openai.always('chat', blocked)
    anthropic.always('chat', busy())
    const error = assertFailure(await call(paths[0]?.[0] ?? '', hello), 502, 'PROVIDER_ERROR')
    assert.equal(error.retryable, false)
    assert.deepEqual(error.details.attempts, [
      { model: 'test/text', outcome: 'content' },
      { model: second, outcome: 'rate_limit' },
    ])
  })

  test('keeps its key also if the second had no room under a limit', async (t) => {
    // Each may cost some 900 millionths. The first costs 810.
    const customer = { spendLimit: 0.0015 }
    const { ask, openai, asked, call } = await open(t, onContent, { customer })
    openai.always('chat', blocked)
    const json = { ...hello, maxTokens: 100 }
    const failed = await call(`${P}/chat/completions`, json, 'one')
    assertFailure(failed, 403, 'SPEND_LIMIT_REACHED')
    await ask('PUT', '/account', { name: 'customer', spendLimit: 1 })
    assert.equal((await call(`${P}/chat/completions`, json, 'one')).text, failed.text)
    assert.deepEqual(asked(), [1, 0])
  })

  test('that timed out before, whole or streamed, keeps its key too', async (t) => {
    const { openai, anthropic, asked, call } = await open(t, hasty)
    openai.always('chat', { do: 'hold' })
    anthropic.always('chat', busy())
    const path = '/v1/chat/completions'
    for (const [index, json] of [hello, { ...hello, stream: true }].entries()) {
      const failed = await call(path, json, `key ${index}`)
      assert.equal(failed.status, 502, failed.text)
      assert.equal((await call(path, json, `key ${index}`)).text, failed.text)
      assert.deepEqual(asked(), [index + 1, index + 1])
    }
  })

  test('releases its key if the first only refused', async (t) => {
    const { openai, anthropic, asked, call } = await open(t, onContent)
    const error = { message: 'no', type: 'invalid_request_error', code: 'content_policy_violation' }
    openai.always('chat', { do: 'say', status: 400, body: { error } })
    anthropic.script('chat', busy())
    const path = `${P}/chat/completions`
    assertFailure(await call(path, hello, 'one'), 503, 'PROVIDER_UNAVAILABLE')
    const again = await call(path, hello, 'one')
    assert.equal(again.status, 200, again.text)
    assert.deepEqual(asked(), [2, 2])
  })
})

for (const { name: database } of databases) {
  describe(`a node whose first model was paid on ${database}`, () => {
    const env = { PROVIDER_WAIT_SECONDS: '10' }
    const seconds: [what: string, Behaviour][] = [
      ['is busy for minutes', busy({ 'retry-after': '120' })],
      ['is down', { do: 'refuse', status: 503 }],
    ]
    for (const [what, behaviour] of seconds) {
      test(`fails if the second ${what}, and the first is not asked again`, async (t) => {
        const { openai, anthropic, asked, run } = await open(t, onContent, { database, env })
        openai.always('chat', blocked)
        anthropic.always('chat', behaviour)
        const { status, nodeErrors } = await run()
        assert.equal(status, 'FAILED')
        assert.match(nodeErrors[0].message, /may have billed it/)
        assert.deepEqual(asked(), [1, 1])
      })
    }

    test('waits for the second, and has its answer', async (t) => {
      const { openai, anthropic, asked, run, outcomes } = await open(t, onContent, {
        database,
        env,
      })
      openai.always('chat', blocked)
      anthropic.script('chat', busy({ 'retry-after-ms': '40' }))
      const { status, nodeErrors } = await run()
      assert.equal(status, 'COMPLETED', JSON.stringify(nodeErrors))
      assert.deepEqual(asked(), [1, 2])
      assert.deepEqual(await outcomes(), [
        ['test/text', 'FAILED'],
        [second, 'REJECTED'],
        [second, 'SUCCEEDED'],
      ])
    })
  })
}
