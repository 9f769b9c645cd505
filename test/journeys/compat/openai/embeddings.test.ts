import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type OpenAI from 'openai'
import { databases } from '../../../support/databases.ts'
import { attempts, newCustomer } from '../../generation/setting.ts'
import { clientOf, failureOf, openGateway } from './setting.ts'

/** 2 millionths per token. */
const models = {
  models: (['openai', 'local', 'gemini'] as const).map((provider) => ({
    id: `test/${provider}`,
    provider,
    providerModel: `${provider}-vectors`,
    kind: 'EMBEDDING',
    capabilities: {
      inputModalities: ['text'],
      embeddingDimensions: { min: 2, max: 8, default: 3 },
    },
    pricing: { inputPerMillionTokens: 2 },
  })),
}

const rounded = ({ data }: OpenAI.CreateEmbeddingResponse) =>
  data.map(({ embedding }) => embedding.map((value) => Math.round(value * 100) / 100))

for (const { name: database } of databases) {
  describe(`embeddings on ${database}`, () => {
    for (const provider of ['openai', 'local', 'gemini'] as const) {
      test(`reach the official client from ${provider}, in order, and are paid`, async (t) => {
        const double = provider === 'gemini' ? 'gemini' : 'openai'
        const bench = await openGateway(t, { doubles: [double], models, database })
        const { key, accountId } = await newCustomer(bench)
        const { embeddings } = clientOf(bench, key)
        const order = { model: `test/${provider}`, input: ['four', 'sixsix'], dimensions: 3 }
        const expected = [
          [4, 0, 0.5],
          [6, 1, 0.5],
        ]
        // The client asks for base64 by itself, and decodes it.
        const coded = await embeddings.create(order)
        assert.deepEqual(rounded(coded), expected)
        assert.deepEqual(
          rounded(await embeddings.create({ ...order, encoding_format: 'float' })),
          expected,
        )
        assert.equal(coded.model, `test/${provider}`)
        assert.deepEqual(coded.usage, { prompt_tokens: 14, total_tokens: 14, cost: 28 / 1e6 })
        const own = (await attempts(bench)).filter((row) => row.account_id === accountId)
        assert.deepEqual(
          own.map(({ outcome, cost_micros, operation }) => [
            outcome,
            Number(cost_micros),
            operation,
          ]),
          [
            ['SUCCEEDED', 28, 'embedding'],
            ['SUCCEEDED', 28, 'embedding'],
          ],
        )
        assert.equal(bench.doubles[double].counts.call, 2)
      })
    }

    test('that would pass the spend limit are not begun', async (t) => {
      const bench = await openGateway(t, { doubles: ['openai'], models, database })
      const { key } = await newCustomer(bench, { spendLimit: 0.0001 })
      const { embeddings } = clientOf(bench, key)
      const order = { model: 'test/openai', input: 'x'.repeat(100) }
      const failed = await failureOf(embeddings.create(order))
      assert.deepEqual([failed.status, failed.code], [403, 'SPEND_LIMIT_REACHED'])
      assert.equal(bench.doubles.openai.counts.call, 0)
      await embeddings.create({ ...order, input: 'short' })
      assert.equal(bench.doubles.openai.counts.call, 1)
    })

    test('reserve what their server added to an earlier text', async (t) => {
      const bench = await openGateway(t, { doubles: ['openai'], models, database })
      const { key } = await newCustomer(bench, { spendLimit: 0.015 })
      const { embeddings } = clientOf(bench, key)
      const data = [{ object: 'embedding', index: 0, embedding: [1, 2, 3] }]
      const usage = { prompt_tokens: 5_000, total_tokens: 5_000 }
      const body = { object: 'list', data, usage }
      bench.doubles.openai.script('call', { do: 'say', status: 200, body })
      const order = { model: 'test/openai', input: 'short' }
      await embeddings.create(order)
      // 0.01 USD are spent, and the next would cost as much.
      const failed = await failureOf(embeddings.create(order))
      assert.deepEqual([failed.status, failed.code], [403, 'SPEND_LIMIT_REACHED'])
      assert.equal(bench.doubles.openai.counts.call, 1)
    })
  })
}

test('what is wrong with embeddings', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'], models })
  const { key, accountId } = await newCustomer(bench)
  const { embeddings } = clientOf(bench, key).withOptions({ maxRetries: 0 })
  const create = (extra: object) =>
    embeddings.create({ model: 'test/openai', input: 'Hi', encoding_format: 'float', ...extra })
  const { openai } = bench.doubles

  await t.test('in the request is named, and nothing is asked for', async () => {
    const bad: [object, number, string, string][] = [
      [{ model: 'nobody' }, 404, 'MODEL_NOT_FOUND', 'model'],
      [{ model: 'demo-text' }, 400, 'MODEL_KIND_MISMATCH', 'model'],
      [{ input: '' }, 400, 'INVALID_REQUEST', 'input'],
      [{ input: [] }, 400, 'INVALID_REQUEST', 'input'],
      [{ input: ['a', ''] }, 400, 'INVALID_REQUEST', 'input[1]'],
      [{ input: [['a']] }, 400, 'INVALID_REQUEST', 'input[0]'],
      [{ input: [1.5] }, 400, 'INVALID_REQUEST', 'input'],
      [{ input: Array(2049).fill('a') }, 400, 'INVALID_REQUEST', 'input'],
      [{ dimensions: 9 }, 400, 'UNSUPPORTED_PARAMETER', 'dimensions'],
      [{ dimensions: 0 }, 400, 'INVALID_REQUEST', 'dimensions'],
      [{ encoding_format: 'hex' }, 400, 'INVALID_REQUEST', 'encoding_format'],
    ]
    for (const [extra, status, code, param] of bad) {
      const failed = await failureOf(create(extra))
      assert.deepEqual([failed.status, failed.code, failed.param], [status, code, param])
    }
    assert.equal(openai.counts.call, 0)
  })

  await t.test('at the provider is told as it is of a chat, and recorded', async () => {
    openai.script('call', { do: 'refuse', status: 429 }, { do: 'babble', as: 'wrong-shape' })
    openai.script('call', { do: 'cut', when: 'after-accepting' }, { do: 'refuse', status: 400 })
    const seen = []
    for (let i = 0; i < 4; i++) seen.push(await failureOf(create({})))
    assert.deepEqual(
      seen.map(({ status, code }) => [status, code]),
      [
        [503, 'PROVIDER_UNAVAILABLE'],
        [502, 'PROVIDER_ERROR'],
        [502, 'PROVIDER_ERROR'],
        [400, 'INVALID_REQUEST'],
      ],
    )
    const own = (await attempts(bench)).filter((row) => row.account_id === accountId)
    assert.deepEqual(
      own.map(({ outcome }) => outcome),
      ['REJECTED', 'UNKNOWN', 'UNKNOWN', 'REJECTED'],
    )
  })

  await t.test('in the count of their tokens is believed up to the context window', async () => {
    const data = [{ object: 'embedding', index: 0, embedding: [1, 2, 3] }]
    for (const prompt_tokens of [5_000, 1e9]) {
      const usage = { prompt_tokens, total_tokens: prompt_tokens }
      openai.script('call', { do: 'say', status: 200, body: { object: 'list', data, usage } })
    }
    assert.equal((await create({})).usage.prompt_tokens, 5_000)
    assert.equal((await create({})).usage.prompt_tokens, 131_072)
    const own = (await attempts(bench)).filter((row) => row.account_id === accountId).slice(-2)
    assert.deepEqual(
      own.map(({ cost_micros, remark }) => [Number(cost_micros), remark]),
      [
        [10_000, null],
        [262_144, 'CLAMPED'],
      ],
    )
  })

  await t.test('tokens are passed on to the vendor whose tokens they are', async () => {
    await create({ input: [[1, 2, 3], [4]] })
    const sent = openai.requests.at(-1)?.body as { input: unknown }
    assert.deepEqual(sent.input, [[1, 2, 3], [4]])
    const failed = await failureOf(create({ model: 'demo-embedding', input: [1, 2] }))
    assert.deepEqual([failed.status, failed.code], [400, 'INVALID_REQUEST'])
  })
})

test('the embedded embedding model finds the text that speaks of the same', async (t) => {
  const bench = await openGateway(t)
  const { embeddings, models: list } = clientOf(bench, (await newCustomer(bench)).key)
  const texts = [
    'Reset your password from the account settings page.',
    'Invoices are sent by e-mail on the first day of the month.',
    'Our office dog is called Bruno.',
  ]
  const embed = async (input: string | string[], dimensions?: number) => {
    const asked = { model: 'demo-embedding', input, ...(dimensions ? { dimensions } : {}) }
    return (await embeddings.create(asked)).data.map(({ embedding }) => embedding)
  }
  const dot = (a: number[], b: number[]) =>
    a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)
  for (const dimensions of [undefined, 64, 1024]) {
    const known = await embed(texts, dimensions)
    for (const vector of known) {
      assert.equal(vector.length, dimensions ?? 256)
      assert.ok(Math.abs(dot(vector, vector) - 1) < 1e-5)
    }
    for (const [question, best] of [
      ['How do I reset a forgotten password?', 0],
      ['When do you send invoices?', 1],
      ['What is the name of the dog in the office?', 2],
    ] as const) {
      const [asked = []] = await embed(question, dimensions)
      const scores = known.map((vector) => dot(asked, vector))
      assert.equal(scores.indexOf(Math.max(...scores)), best, `${question} ${scores}`)
    }
  }
  assert.deepEqual(await embed(texts), await embed(texts))
  for (const odd of ['!?', ' ', '\u0000', '漢字かな', '🙂', '\ud800']) {
    const [vector = []] = await embed(odd)
    assert.ok(Math.abs(dot(vector, vector) - 1) < 1e-5, JSON.stringify(odd))
  }
  const { data } = await list.list()
  assert.ok(data.some(({ id }) => id === 'demo-embedding'))
  const native = await bench.call('/api/ai-tools/v1/models')
  assert.ok(native.body.data.items.every(({ kind }: { kind: string }) => kind !== 'EMBEDDING'))
})
