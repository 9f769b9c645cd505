import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { GoogleGenAI } from '@google/genai'
import type { CompatAnswer, CompatCaller } from '#compat/compat-api.ts'
import { createGeminiCompat } from '#compat/gemini/gemini-compat.ts'
import { googleForm } from '#compat/routes/v1beta-routes.ts'
import type { Catalogue } from '#core/catalogue.ts'
import { Failure } from '#core/errors.ts'
import type { StreamEvent } from '#core/generation.ts'

const begin: StreamEvent = {
  type: 'begin',
  id: 'id',
  modelId: 'm',
  createdAtMs: 0,
  inputTokens: 3,
}
const rejected = () => new Failure('CONTENT_REJECTED', { message: 'Not this.' })
const caller = {
  principal: {},
  requestId: 'req',
  toFailure: (error: Failure) => error,
} as unknown as CompatCaller
const model = { id: 'm', kind: 'TEXT', capabilities: { inputModalities: ['text'] } }
const catalogue = { find: () => ({ model }) } as unknown as Catalogue

/** A stream that fails after these events. */
const ask = (events: StreamEvent[], isEvents: boolean) => {
  async function* streamText() {
    yield* events
    throw rejected()
  }
  const deps = { catalogue, streamText } as unknown as Parameters<typeof createGeminiCompat>[0]
  const body = { contents: { parts: { text: 'Hi' } } }
  return createGeminiCompat(deps).streamGenerateContent({ modelId: 'm', body, isEvents }, caller)
}

async function piecesOf(answer: CompatAnswer) {
  if ('body' in answer) return answer.body
  if ('bytes' in answer) {
    return JSON.parse(Buffer.concat(await Array.fromAsync(answer.bytes)).toString())
  }
  assert.ok('events' in answer)
  const lines = await Array.fromAsync(answer.events)
  return lines.map((line) => JSON.parse(line.slice('data: '.length)))
}

test('content that is refused before or within a stream ends it as Google does', async () => {
  for (const isEvents of [true, false]) {
    const [only, ...none] = await piecesOf(await ask([], isEvents))
    assert.deepEqual(only.promptFeedback, {
      blockReason: 'SAFETY',
      blockReasonMessage: 'Not this.',
    })
    assert.deepEqual(none, [])
    const pieces = await piecesOf(await ask([begin, { type: 'text', text: 'So' }], isEvents))
    const { content, finishReason, finishMessage } = pieces.at(-1).candidates[0]
    assert.deepEqual([finishReason, finishMessage], ['SAFETY', 'Not this.'])
    assert.deepEqual(content.parts, [])
    assert.equal(pieces.at(-2).candidates[0].content.parts[0].text, 'So')
  }
})

test("a sign of life does not disturb Google's clients", async (t) => {
  const event = (text: string) =>
    `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ text }] } }] })}\n\n`
  const { ping = '' } = googleForm
  const sent = [event('one '), ping, ping, event('two '), ping, event('three')].join('')
  const server = createServer((_, response) => response.end(sent))
  t.after(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const httpOptions = { baseUrl: `http://127.0.0.1:${port}` }
  const { models } = new GoogleGenAI({ apiKey: 'k', httpOptions })
  const stream = await models.generateContentStream({ model: 'm', contents: 'Hi' })
  const pieces = await Array.fromAsync(stream)
  assert.equal(pieces.map(({ text }) => text).join(''), 'one two three')
  // How older clients, such as the one in the Gemini CLI 0.61, find the next event.
  assert.match(`${ping}${event('x')}`, /^\s*data: (.*)(?:\n\n|\r\r|\r\n\r\n)/)
})
