// A hundred calls at once, each of which uses as much as it possibly can, never pass a spend
// limit: whole, streamed, and through OpenAI's API.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { dayOf } from '#store/tables/day-sums.ts'
import { committedMicros } from '../../support/committed.ts'
import { databases } from '../../support/databases.ts'
import { type Bench, chat, eventually, newCustomer, openBench, says } from './setting.ts'

const limitMicros = 1_000_000

/** Every rate that a call may meet is dearer than the plain one. */
const pricing = {
  inputPerMillionTokens: 1,
  cachedInputPerMillionTokens: 0.1,
  cacheWritePerMillionTokens: 1.25,
  cacheWrite1hPerMillionTokens: 90,
  inputImagePerMillionTokens: 2,
  inputAudioPerMillionTokens: 90,
  outputPerMillionTokens: 3,
  reasoningPerMillionTokens: 4,
  longContext: [
    {
      aboveInputTokens: 50,
      inputPerMillionTokens: 2,
      cacheWritePerMillionTokens: 2.5,
      inputImagePerMillionTokens: 4,
      outputPerMillionTokens: 4.5,
      reasoningPerMillionTokens: 6,
    },
  ],
}
const capabilities = { inputModalities: ['text', 'image'] }
const models = {
  models: [{ id: 'wide', provider: 'local', kind: 'TEXT', pricing, capabilities }],
}

/** "Hello" and its framing, or with a picture: the most that a call can use, in every part. */
const mostIn = { text: 5 + 32 + 2 * 16, picture: 13 + 32 + 2 * 16 + 50_000 }
const usageOf = (tokens: number) => ({
  prompt_tokens: tokens,
  completion_tokens: 16_384,
  prompt_tokens_details: { cache_write_tokens: tokens, image_tokens: tokens, audio_tokens: tokens },
  completion_tokens_details: { reasoning_tokens: 16_384, audio_tokens: 16_384 },
})
const usage = usageOf(mostIn.text)
const choice = { index: 0, finish_reason: 'stop' }
const whole = {
  do: 'say' as const,
  status: 200,
  body: { id: 'c', choices: [{ ...choice, message: { content: 'Hi' } }], usage },
}
const ofPicture = { ...whole, body: { ...whole.body, usage: usageOf(mostIn.picture) } }
const streamed = {
  do: 'say' as const,
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body: Buffer.from(
    [{ choices: [{ ...choice, delta: { content: 'Hi' } }] }, { choices: [], usage }]
      .map((event) => `data: ${JSON.stringify(event)}\n\n`)
      .join(''),
  ),
}

const png =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const pictured = [
  { type: 'text', text: 'What is this?' },
  { type: 'image_url', image_url: { url: png } },
]

type Ask = (bench: Bench, key: string) => Promise<{ status: number; text: string }>

const compatible =
  (more: object): Ask =>
  (bench, key) =>
    bench.call({
      method: 'POST',
      path: '/v1/chat/completions',
      json: { model: 'wide', messages: [says('Hello')], ...more },
      key,
    })

const ways: { name: string; behaviour: typeof whole | typeof streamed; ask: Ask }[] = [
  {
    name: 'chats',
    behaviour: whole,
    ask: (bench, key) => chat(bench, { model: 'wide', messages: [says('Hello')] }, { key }),
  },
  {
    name: 'chats with a picture',
    behaviour: ofPicture,
    ask: (bench, key) => chat(bench, { model: 'wide', messages: [says(pictured)] }, { key }),
  },
  { name: "chats through OpenAI's API", behaviour: whole, ask: compatible({}) },
  {
    name: "streams through OpenAI's API",
    behaviour: streamed,
    ask: compatible({ stream: true, stream_options: { include_usage: true } }),
  },
]

for (const { name: database } of databases) {
  describe(`a limit of 1 USD on ${database}`, () => {
    for (const { name, behaviour, ask } of ways) {
      test(`is not passed by 100 ${name} at once that use all they may`, async (t) => {
        const bench = await openBench(t, { doubles: ['openai'], models, database })
        const { key, accountId } = await newCustomer(bench, { spendLimit: limitMicros / 1e6 })
        bench.doubles.openai.always('chat', behaviour)
        const asked = Array.from({ length: 100 }, () => ask(bench, key))
        const answers = await Promise.all(asked)
        const refused = answers.filter(({ status }) => status === 403)
        const made = answers.filter(({ status }) => status === 200)
        assert.equal(refused.length + made.length, 100)
        assert.ok(refused.length > 0 && made.length > 0)
        const fromDay = `${dayOf(bench.clock.nowMs()).slice(0, 7)}-01`
        const spent = await eventually(
          () => committedMicros(bench.db, accountId, { keyId: null, fromDay }),
          (micros) => micros > 0,
        )
        assert.ok(spent <= limitMicros, `${spent} micros spent`)
        // Reservations are tight: the calls that were made used nearly all that was held for them.
        assert.ok(spent > limitMicros / 2, `only ${spent} micros spent`)
        for (const { body } of bench.doubles.openai.requests) {
          assert.equal((body as { max_tokens: number }).max_tokens, 16_384)
        }
      })
    }
  })
}
