import assert from 'node:assert/strict'
import { test } from 'node:test'
import OpenAI from 'openai'
import {
  type Attempt,
  attempts,
  type Bench,
  type Customer,
  eventually,
  newCustomer,
} from '../../generation/setting.ts'
import { clientOf, openGateway, says } from './setting.ts'

/** What the double of each counts apart, besides what the cache served. */
const providers = [
  { provider: 'openai', written: 0, thought: 0, parts: {} },
  { provider: 'anthropic', written: 4, thought: 0, parts: { cacheWriteTokens: 4 } },
  { provider: 'gemini', written: 0, thought: 2, parts: { reasoningTokens: 2 } },
] as const

const outcomesOf = (rows: Attempt[]) => rows.map(({ model, outcome }) => [model, outcome])

/** Reads the attempts of an account in order, each once it is settled. */
function followLedger(bench: Bench, { accountId }: Customer) {
  let known = 0
  return async (count: number): Promise<Attempt[]> => {
    const rows = await eventually(
      async () => (await attempts(bench)).filter((row) => row.account_id === accountId),
      (seen) => seen.length >= known + count && seen.every(({ outcome }) => outcome !== 'PENDING'),
    )
    known += count
    return rows.slice(known - count)
  }
}

const openStream = (
  bench: Bench,
  { key }: Customer,
  model: string,
  options?: { signal: AbortSignal },
) =>
  clientOf(bench, key).chat.completions.create(
    { model, messages: says('Hello'), stream: true, stream_options: { include_usage: true } },
    options,
  )

for (const { provider, written, thought, parts } of providers) {
  const model = `test/${provider}`
  test(`a stream served by ${provider}`, async (t) => {
    const bench = await openGateway(t, { doubles: [provider] })
    const double = bench.doubles[provider]
    const customer = await newCustomer(bench)
    const settled = followLedger(bench, customer)

    await t.test('reaches the client in pieces, with its usage, and is paid by it', async () => {
      const chunks = await Array.fromAsync(await openStream(bench, customer, model))
      const pieces = chunks.flatMap(({ choices }) => choices[0]?.delta.content || [])
      assert.equal(pieces.join(''), 'You said: Hello')
      assert.ok(pieces.length > 1)
      assert.equal(chunks.findLast(({ choices }) => choices[0])?.choices[0]?.finish_reason, 'stop')
      assert.deepEqual(chunks.at(-1)?.choices, [])
      assert.deepEqual(chunks.at(-1)?.usage, {
        prompt_tokens: 21,
        completion_tokens: 8,
        total_tokens: 29,
        cost: (21 * 2 + 8 * 8) / 1e6,
        prompt_tokens_details: { cached_tokens: 5, cache_write_tokens: written, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: thought, audio_tokens: 0 },
      })
      const [attempt] = await settled(1)
      assert.equal(attempt?.outcome, 'SUCCEEDED')
      assert.equal(attempt?.cost_micros, 21 * 2 + 8 * 8)
      assert.deepEqual(JSON.parse(attempt?.units ?? ''), {
        inputTokens: 21,
        outputTokens: 8,
        cachedInputTokens: 5,
        ...parts,
      })
    })

    await t.test('is heard before the provider has finished', async () => {
      double.script('chat', { do: 'break', after: 4, by: 'hold' })
      let text = ''
      for await (const { choices } of await openStream(bench, customer, model)) {
        text += choices[0]?.delta.content ?? ''
        if (text !== '') double.release()
      }
      assert.equal(text, 'You said: Hello')
      assert.equal((await settled(1))[0]?.outcome, 'SUCCEEDED')
      double.reset()
    })

    for (const by of ['cut', 'end', 'junk', 'error'] as const) {
      await t.test(`that breaks by ${by} ends with an error, and counts as spent`, async () => {
        double.script('chat', { do: 'break', after: 4, by })
        let text = ''
        await assert.rejects(
          async () => {
            for await (const { choices } of await openStream(bench, customer, model))
              text += choices[0]?.delta.content ?? ''
          },
          (error) => error instanceof OpenAI.APIError && error.code === 'PROVIDER_ERROR',
        )
        assert.ok(text.length > 0 && 'You said: Hello'.startsWith(text), text)
        const [attempt] = await settled(1)
        assert.equal(attempt?.outcome, 'UNKNOWN')
        // The full reservation, because nobody knows how far the provider got.
        assert.ok(Number(attempt?.cost_micros) >= 1024 * 8)
        assert.equal(double.counts.chat, 1)
        double.reset()
      })
    }

    await t.test('that its reader leaves is ended, and counts what had come', async () => {
      double.script('chat', { do: 'break', after: 4, by: 'hold' })
      const leaving = new AbortController()
      const { signal } = leaving
      for await (const { choices } of await openStream(bench, customer, model, { signal })) {
        if (choices[0]?.delta.content) leaving.abort()
      }
      const [attempt] = await settled(1)
      assert.equal(attempt?.outcome, 'UNKNOWN')
      const units = JSON.parse(attempt?.units ?? '{}')
      assert.ok(units.inputTokens > 0 && units.outputTokens > 0, attempt?.units ?? '')
      const cost = Number(attempt?.cost_micros)
      assert.ok(cost > 0 && cost < 1024 * 8, String(cost))
      double.reset()
    })

    await t.test('asks for a function, piece by piece, and goes on with its result', async () => {
      const tools: OpenAI.ChatCompletionTool[] = [
        { type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } },
      ]
      const messages: OpenAI.ChatCompletionMessageParam[] = says('Paris')
      const { completions } = clientOf(bench, customer.key).chat
      const first = await completions.stream({ model, messages, tools }).finalChatCompletion()
      assert.equal(first.choices[0]?.finish_reason, 'tool_calls')
      const answer = first.choices[0]?.message
      const call = answer?.tool_calls?.[0]
      assert.ok(answer && call?.type === 'function')
      assert.equal(call.function.name, 'get_weather')
      assert.deepEqual(JSON.parse(call.function.arguments), { words: 'Paris' })
      messages.push(answer, { role: 'tool', tool_call_id: call.id, content: '{"result":"rain"}' })
      const last = await completions.create({ model, messages, tools })
      assert.equal(last.choices[0]?.finish_reason, 'stop')
      assert.match(last.choices[0]?.message.content ?? '', /rain/)
      assert.deepEqual(outcomesOf(await settled(2)), [
        [model, 'SUCCEEDED'],
        [model, 'SUCCEEDED'],
      ])
    })
  })
}

test('a stream and the models behind it', async (t) => {
  const models = {
    models: [
      {
        id: 'test/first',
        provider: 'openai',
        kind: 'TEXT',
        fallbacks: ['test/second'],
        pricing: { inputPerMillionTokens: 2, outputPerMillionTokens: 8 },
      },
      { id: 'test/second', provider: 'anthropic', kind: 'TEXT' },
    ],
  }
  const bench = await openGateway(t, { doubles: ['openai', 'anthropic'], models })
  const { openai, anthropic } = bench.doubles
  const customer = await newCustomer(bench)
  const settled = followLedger(bench, customer)

  await t.test('passes to the next one while none has accepted', async () => {
    openai.script('chat', { do: 'refuse', status: 429 })
    const chunks = await Array.fromAsync(await openStream(bench, customer, 'test/first'))
    assert.equal(chunks[0]?.model, 'test/second')
    assert.deepEqual(outcomesOf(await settled(2)), [
      ['test/first', 'REJECTED'],
      ['test/second', 'SUCCEEDED'],
    ])
    anthropic.reset()
  })

  await t.test('stays with the one that accepted, though it breaks', async () => {
    openai.script('chat', { do: 'break', after: 1, by: 'error' })
    await assert.rejects(
      async () => Array.fromAsync(await openStream(bench, customer, 'test/first')),
      OpenAI.APIError,
    )
    assert.equal(anthropic.counts.chat, 0)
    assert.deepEqual(outcomesOf(await settled(1)), [['test/first', 'UNKNOWN']])
    openai.reset()
  })

  await t.test('that may have been begun is not asked for again by the client', async () => {
    openai.always('chat', { do: 'refuse', status: 500 })
    await assert.rejects(openStream(bench, customer, 'test/first'), (error) => {
      assert.ok(error instanceof OpenAI.InternalServerError)
      assert.deepEqual([error.status, error.code], [502, 'PROVIDER_ERROR'])
      return true
    })
    assert.equal(openai.counts.chat, 1)
    openai.reset()
  })

  await t.test('that was surely not begun is asked for again by the client', async () => {
    openai.script('chat', { do: 'refuse', status: 503, headers: { 'retry-after': '0' } })
    anthropic.script('chat', { do: 'refuse', status: 529, headers: { 'retry-after': '0' } })
    const chunks = await Array.fromAsync(await openStream(bench, customer, 'test/first'))
    assert.equal(chunks[0]?.model, 'test/first')
    assert.equal(openai.counts.chat, 2)
  })
})
