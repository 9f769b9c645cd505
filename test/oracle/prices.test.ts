// The price library is the judge of money: its own reading of a vendor's answer, and its own
// calculation, against ours. Rounding: to the nearest millionth of a dollar, once per call.
import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { describe, test } from 'node:test'
import { calcPrice, extractUsage, findProvider } from '@pydantic/genai-prices'
import fc from 'fast-check'
import { highestPrice, priceOf, tokenRates } from '#core/pricing.ts'
import { type Usage, type UsagePart, usageOf, usageParts } from '#core/usage.ts'
import { readMessage } from '#providers/anthropic/response.ts'
import { messageStream } from '#providers/anthropic/stream.ts'
import { pricesAt } from '#providers/builtin-model.ts'
import { builtinModels } from '#providers/builtin-models.ts'
import { readImages as readGeminiImages, readText } from '#providers/gemini/response.ts'
import { contentStream } from '#providers/gemini/stream.ts'
import { readChat, readImages } from '#providers/openai/response.ts'
import { readResponse } from '#providers/openai/responses-answer.ts'
import { responseStream } from '#providers/openai/responses-stream.ts'
import { chatStream } from '#providers/openai/stream.ts'
import type { Submitted } from '#providers/provider.ts'
import type { StreamReader } from '#providers/streamed-text.ts'
import { tokenPrices } from '#providers/token-prices.ts'
import type { Answer } from '#providers/upstream.ts'
import { readConfig } from '../../src/config.ts'
import { openProviders } from '../../src/providers/configured/provider-set.ts'

const nowMs = Date.UTC(2026, 10, 16, 12)

const upstream = { name: 'vendor', redact: (text: string) => text }
const answer = (body: unknown): Answer => ({
  status: 200,
  headers: {},
  body: Buffer.from(JSON.stringify(body)),
})

const libraryNames: Record<'inputTokens' | 'outputTokens' | 'searches' | UsagePart, string> = {
  searches: 'web_searches',
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  cachedInputTokens: 'cache_read_tokens',
  cacheWriteTokens: 'cache_write_tokens',
  cacheWrite1hTokens: 'cache_write_1h_tokens',
  inputImageTokens: 'input_image_tokens',
  inputAudioTokens: 'input_audio_tokens',
  cachedImageTokens: 'cache_image_read_tokens',
  cachedAudioTokens: 'cache_audio_read_tokens',
  reasoningTokens: 'output_reasoning_tokens',
  outputImageTokens: 'output_image_tokens',
  outputAudioTokens: 'output_audio_tokens',
}
const ourNames = Object.entries(libraryNames) as [keyof Usage, string][]

const toLibrary = (usage: Usage) =>
  Object.fromEntries(ourNames.map(([ours, theirs]) => [theirs, usage[ours] ?? 0]))

/** What the library knows and we do not price (text tokens, five-minute writes) is left out. */
const fromLibrary = (usage: Record<string, number | undefined>): Usage => ({
  ...usageOf(
    usage.input_tokens ?? 0,
    usage.output_tokens ?? 0,
    Object.fromEntries(ourNames.map(([ours, theirs]) => [ours, usage[theirs] ?? 0])),
  ),
  ...(usage.web_searches ? { searches: usage.web_searches } : {}),
})

/** In millionths of a dollar, not rounded. */
function oracleMicros(usage: Usage, model: string, providerId: string, atMs = nowMs): number {
  const price = calcPrice(toLibrary(usage), model, { providerId, timestamp: new Date(atMs) })
  assert.ok(price, `${providerId} ${model} has a price`)
  return price.total_price * 1e6
}

const billed = (submitted: Submitted) => ('done' in submitted ? submitted.billed?.usage : undefined)

function streamed(reader: StreamReader, events: object[]): Usage | undefined {
  const deltas = events.flatMap((event) => reader.read({ ...event }, ''))
  return deltas.findLast((delta) => delta.type === 'usage')?.usage
}

type Case = {
  name: string
  provider: 'openai' | 'anthropic' | 'google' | 'x-ai'
  flavor: string
  model: string
  body: Record<string, unknown>
  read(body: Record<string, unknown>): Usage | null | undefined
}

const message = (usage: object) => ({
  type: 'message',
  model: 'claude-opus-5-5',
  content: [{ type: 'text', text: 'Paris' }],
  stop_reason: 'end_turn',
  usage,
})
const response = (usage: object) => ({
  object: 'response',
  status: 'completed',
  model: 'gpt-6-astra',
  output: [{ type: 'message', content: [{ type: 'output_text', text: 'Paris' }] }],
  usage,
})
const completion = (usage: object) => ({
  id: 'c',
  model: 'gpt-6-luna',
  choices: [{ message: { content: 'Paris' }, finish_reason: 'stop' }],
  usage,
})
const content = (usageMetadata: object, part: object = { text: 'Paris' }) => ({
  modelVersion: 'gemini-3.8-flash',
  candidates: [{ content: { parts: [part] }, finishReason: 'STOP' }],
  usageMetadata,
})
const picture = { inlineData: { mimeType: 'image/png', data: 'AQID' } }

const readStreamedMessage = ({ usage }: Record<string, unknown>) => {
  const { output_tokens, output_tokens_details, ...input } = usage as Record<string, unknown>
  return streamed(messageStream(upstream, answer({})), [
    { type: 'message_start', message: { usage: { ...input, output_tokens: 1 } } },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { output_tokens, output_tokens_details, cache_read_input_tokens: null },
    },
  ])
}

const cachedMessage = message({
  input_tokens: 12,
  cache_read_input_tokens: 90_001,
  cache_creation_input_tokens: 7_003,
  cache_creation: { ephemeral_5m_input_tokens: 4_000, ephemeral_1h_input_tokens: 3_003 },
  output_tokens: 777,
  output_tokens_details: { thinking_tokens: 500 },
})
const searchedMessage = message({
  input_tokens: 4_012,
  output_tokens: 777,
  server_tool_use: { web_search_requests: 3, web_fetch_requests: 0 },
})
const longResponse = response({
  input_tokens: 300_001,
  input_tokens_details: { cached_tokens: 100_003, cache_write_tokens: 50_007 },
  output_tokens: 9_001,
  output_tokens_details: { reasoning_tokens: 8_000 },
  total_tokens: 309_002,
})
const cachedCompletion = completion({
  prompt_tokens: 4_321,
  prompt_tokens_details: { cached_tokens: 4_096, audio_tokens: 0 },
  completion_tokens: 99,
  completion_tokens_details: { reasoning_tokens: 64 },
  total_tokens: 4_420,
})
const thinkingContent = content({
  promptTokenCount: 5_013,
  promptTokensDetails: [
    { modality: 'TEXT', tokenCount: 3_987 },
    { modality: 'IMAGE', tokenCount: 1_026 },
  ],
  cachedContentTokenCount: 2_000,
  cacheTokensDetails: [
    { modality: 'TEXT', tokenCount: 1_700 },
    { modality: 'IMAGE', tokenCount: 300 },
  ],
  candidatesTokenCount: 41,
  thoughtsTokenCount: 1_203,
  toolUsePromptTokenCount: 17,
  totalTokenCount: 6_274,
})

const cases: Case[] = [
  {
    name: 'a message after three searches on the web',
    ...{ provider: 'anthropic', flavor: 'default', model: 'claude-opus-5-5' },
    body: searchedMessage,
    read: (body) => readMessage(upstream, answer(body)).usage,
  },
  {
    name: 'Anthropic, cached, with writes of both lifetimes',
    ...{ provider: 'anthropic', flavor: 'default', model: 'claude-opus-5-5', body: cachedMessage },
    read: (body) => readMessage(upstream, answer(body)).usage,
  },
  {
    name: 'Anthropic, the same streamed',
    ...{ provider: 'anthropic', flavor: 'default', model: 'claude-opus-5-5', body: cachedMessage },
    read: readStreamedMessage,
  },
  {
    name: 'OpenAI Responses, cached, written and in the long tier',
    ...{ provider: 'openai', flavor: 'responses', model: 'gpt-6-astra', body: longResponse },
    read: (body) => readResponse(upstream, answer(body)).usage,
  },
  {
    name: 'OpenAI Responses, the same streamed',
    ...{ provider: 'openai', flavor: 'responses', model: 'gpt-6-astra', body: longResponse },
    read: (body) =>
      streamed(responseStream(upstream, answer({})), [
        { type: 'response.completed', response: body },
      ]),
  },
  {
    name: 'chat completions, cached',
    ...{ provider: 'openai', flavor: 'chat', model: 'gpt-6-luna', body: cachedCompletion },
    read: (body) => readChat(upstream, answer(body)).usage,
  },
  {
    name: 'chat completions, the same streamed',
    ...{ provider: 'openai', flavor: 'chat', model: 'gpt-6-luna', body: cachedCompletion },
    read: ({ usage }) =>
      streamed(chatStream(upstream, answer({})), [
        { choices: [{ delta: { content: 'Paris' }, finish_reason: 'stop' }] },
        { choices: [], usage },
      ]),
  },
  {
    name: 'a compatible server that counts reasoning beside the completion',
    ...{ provider: 'x-ai', flavor: 'chat', model: 'grok-4' },
    body: completion({
      prompt_tokens: 100,
      completion_tokens: 7,
      completion_tokens_details: { reasoning_tokens: 301 },
      total_tokens: 408,
    }),
    read: (body) => readChat(upstream, answer(body)).usage,
  },
  {
    name: 'Gemini, cached, thinking, with a picture',
    ...{ provider: 'google', flavor: 'default', model: 'gemini-3.8-flash', body: thinkingContent },
    read: (body) => readText(upstream, answer(body)).usage,
  },
  {
    name: 'Gemini, the same streamed',
    ...{ provider: 'google', flavor: 'default', model: 'gemini-3.8-flash', body: thinkingContent },
    read: (body) => streamed(contentStream(upstream), [body]),
  },
  {
    name: 'a picture by Gemini',
    ...{ provider: 'google', flavor: 'default', model: 'gemini-3-pro-image' },
    body: content(
      {
        promptTokenCount: 13,
        candidatesTokenCount: 1_133,
        candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_120 }],
        thoughtsTokenCount: 211,
        totalTokenCount: 1_357,
      },
      picture,
    ),
    read: (body) => billed(readGeminiImages(upstream, answer(body))),
  },
  {
    name: 'a picture by OpenAI, made from another',
    ...{ provider: 'openai', flavor: 'images', model: 'gpt-image-2' },
    body: {
      created: 1,
      data: [{ b64_json: 'AQID' }],
      usage: {
        input_tokens: 1_545,
        input_tokens_details: { text_tokens: 21, image_tokens: 1_524 },
        output_tokens: 4_160,
        total_tokens: 5_705,
      },
    },
    read: (body) => billed(readImages(upstream, answer(body))),
  },
]

const ourProvider = (name: string) => (name === 'google' ? 'gemini' : name)

describe('what an answer used and cost', () => {
  for (const { name, provider, flavor, model, body, read } of cases) {
    test(`is as the price library reads and prices it: ${name}`, () => {
      const theirs = findProvider({ providerId: provider })
      assert.ok(theirs)
      const expected = fromLibrary(extractUsage(theirs, body, flavor).usage)
      const usage = read(body)
      assert.deepEqual(usage, expected)
      const prices = tokenPrices(ourProvider(provider), model, nowMs)
      assert.ok(prices)
      assert.equal(priceOf(prices, expected), Math.round(oracleMicros(expected, model, provider)))
    })
  }
})

const priced = builtinModels.flatMap(({ provider, providerModel }) => {
  const prices = tokenPrices(provider, providerModel, nowMs)
  const theirs = provider === 'gemini' ? 'google' : provider
  // A model that makes vectors has no output, and no price for it.
  const hasOutput = prices?.outputPerMillionTokens !== undefined
  return hasOutput ? [{ provider: theirs, model: providerModel, prices }] : []
})

/** Any usage that can be: parts within their wholes, none overlapping but the cached ones. */
const anyUsage: fc.Arbitrary<Usage> = fc
  .record({
    parts: fc.array(fc.nat(200_000), { minLength: 11, maxLength: 11 }),
    isPictured: fc.boolean(),
  })
  .map(({ parts, isPictured }) => {
    const [text = 0, cached = 0, write = 0, hour = 0, image = 0, cachedImage = 0] = parts
    const [, , , , , , said = 0, thought = 0, drawn = 0] = parts
    const pictures = isPictured ? image + cachedImage : 0
    return usageOf(text + cached + write + hour + pictures, said + thought + drawn, {
      cachedInputTokens: cached + (isPictured ? cachedImage : 0),
      cacheWriteTokens: write + hour,
      cacheWrite1hTokens: hour,
      inputImageTokens: pictures,
      cachedImageTokens: isPictured ? cachedImage : 0,
      reasoningTokens: thought,
      outputImageTokens: drawn,
    })
  })

describe('the cost of any usage', () => {
  for (const { provider, model, prices } of priced) {
    test(`is that of the price library, to the millionth: ${model}`, () => {
      fc.assert(
        fc.property(anyUsage, (usage) => {
          const expected = oracleMicros(usage, model, provider)
          const ours = priceOf(prices, usage) ?? Number.NaN
          // The library adds in floating point, so that it may miss a half by a hair.
          assert.ok(Math.abs(ours - expected) <= 0.5 + 1e-6, `${ours} is not ${expected}`)
        }),
      )
    })

    test(`is never above what is reserved for it: ${model}`, () => {
      fc.assert(
        fc.property(anyUsage, anyUsage, (usage, more) => {
          const most = usageOf(
            usage.inputTokens + more.inputTokens,
            usage.outputTokens + more.outputTokens,
            Object.fromEntries(
              usageParts.map(({ name }) => [name, usage[name] && Number.MAX_SAFE_INTEGER]),
            ),
          )
          const [cost, reserved] = [priceOf(prices, usage), highestPrice(prices, most)]
          assert.ok(cost !== null && reserved !== null && cost <= reserved)
        }),
      )
    })
  }

  test('changes at the very token at which the vendor changes it', () => {
    const prices = tokenPrices('openai', 'gpt-6-astra', nowMs)
    for (const inputTokens of [271_999, 272_000, 272_001]) {
      const usage = usageOf(inputTokens, 1_000, { cachedInputTokens: 1_000 })
      const expected = Math.round(oracleMicros(usage, 'gpt-6-astra', 'openai'))
      assert.equal(priceOf(prices, usage), expected)
    }
  })
})

describe('a token price of our own', () => {
  test('is that of the price library wherever the library has one', () => {
    for (const model of builtinModels) {
      const own = pricesAt(model, nowMs)
      const theirs = tokenPrices(model.provider, model.providerModel, nowMs)
      if (own?.inputPerMillionTokens === undefined || theirs === null) continue
      const stated = tokenRates.filter((rate) => own[rate] !== undefined)
      assert.deepEqual(
        stated.map((rate) => [rate, own[rate]]),
        stated.map((rate) => [rate, theirs[rate]]),
        model.id,
      )
      assert.deepEqual(own.longContext, theirs.longContext, model.id)
    }
  })
})

describe('a price that depends on the time', () => {
  const usage = usageOf(10_000, 1_000, { cachedInputTokens: 4_000 })
  const cases = [
    ['gemini', 'google', 'gemini-3.8-flash', Date.UTC(2026, 11, 31, 23, 59)],
    ['gemini', 'google', 'gemini-3.8-flash', Date.UTC(2027, 0, 1)],
    ['deepseek', 'deepseek', 'deepseek-reasoner', Date.UTC(2026, 10, 16, 3)],
    ['deepseek', 'deepseek', 'deepseek-reasoner', Date.UTC(2026, 10, 16, 20)],
  ] as const

  test('is the one of that time', () => {
    const costs = cases.map(([provider, theirs, model, atMs]) => {
      const ours = priceOf(tokenPrices(provider, model, atMs), usage)
      assert.equal(ours, Math.round(oracleMicros(usage, model, theirs, atMs)), model)
      return ours
    })
    assert.equal(new Set(costs).size, cases.length)
  })

  test('and that its vendor has announced counts from that day on', async (t) => {
    let clockMs = Date.UTC(2026, 10, 30, 23, 59)
    const env = { GEMINI_API_KEY: 'none', DATA_DIR: tmpdir() }
    const set = await openProviders(readConfig(env), env, { nowMs: () => clockMs })
    t.after(() => set.close())
    const cost = () => {
      const prices = set.catalogue.find('gemini/gemini-4-argon')?.model.pricing ?? null
      return priceOf(prices, usageOf(1_000, 100, { cachedInputTokens: 500 }))
    }
    assert.equal(cost(), 500 * 2 + 500 * 0.1 + 100 * 10)
    clockMs += 60_000
    set.priceAgain()
    assert.equal(cost(), 500 * 4 + 500 * 0.2 + 100 * 20)
  })

  test('reaches the catalogue while the server runs, and only if it changed', async (t) => {
    let clockMs = Date.UTC(2026, 11, 31, 23, 59)
    const env = { GEMINI_API_KEY: 'none', DATA_DIR: tmpdir() }
    const set = await openProviders(readConfig(env), env, { nowMs: () => clockMs })
    t.after(() => set.close())
    const rate = () =>
      set.catalogue.find('gemini/gemini-3.8-flash')?.model.pricing?.inputPerMillionTokens
    assert.equal(rate(), 0.75)
    set.priceAgain()
    assert.equal(set.catalogue.revision, 0)
    clockMs += 60_000
    set.priceAgain()
    assert.deepEqual([rate(), set.catalogue.revision], [1.5, 1])
  })
})

describe('a model without an entry of its own', () => {
  const unpriced = [
    ['anthropic', 'claude-sonnet-5-5'],
    ['anthropic', 'claude-fable-5-2'],
    ['openai', 'gpt-image-2.5-flare'],
    ['openai', 'gpt-6.1-sol'],
    ['gemini', 'gemini-3.8-flash-ultra'],
  ] as const
  for (const [provider, model] of unpriced) {
    test(`has no price, never that of a name it begins with: ${model}`, () => {
      assert.equal(tokenPrices(provider, model, nowMs), null)
    })
  }

  test('has that of its name without the date the vendor appends', () => {
    const dated = tokenPrices('anthropic', 'claude-sonnet-5-20260901', nowMs)
    assert.deepEqual(dated, tokenPrices('anthropic', 'claude-sonnet-5', nowMs))
    assert.ok(dated)
  })

  test('has none either at a server whose name only contains a vendor’s', () => {
    assert.equal(tokenPrices('my-openai-proxy', 'gpt-6-luna', nowMs), null)
  })
})
