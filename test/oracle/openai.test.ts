// Our requests to OpenAI's Responses API and to its images, judged by the official SDK.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import OpenAI, { toFile } from 'openai'
import { createOpenAiProvider } from '#providers/openai/adapter.ts'
import type { ImageRequest, TextRequest } from '#providers/provider.ts'
import { hello, intents, pixel, result, weather } from './openai-intents.ts'
import { adapterAt, formFields, patient, startRecorder } from './recorder.ts'

const apiKey = 'sk-oracle'

async function stand(t: TestContext) {
  const recorder = await startRecorder(t)
  const baseURL = `${recorder.url}/v1`
  const sdk = new OpenAI({ apiKey, baseURL, maxRetries: 0 })
  const provider = createOpenAiProvider({
    name: 'openai',
    dialect: 'openai',
    apiKey,
    baseUrl: baseURL,
  })
  return { recorder, sdk, provider, adapter: adapterAt(t, provider) }
}

describe('a request to OpenAI', () => {
  for (const [what, { ours, theirs }] of Object.entries(intents)) {
    test(`for ${what} is what the SDK sends`, async (t) => {
      const { recorder, sdk, adapter } = await stand(t)
      const expected = await recorder.sentBy(() => sdk.responses.create(theirs))
      const sent = await recorder.sentBy(() => adapter.whole(ours))
      assert.deepEqual(sent.body, expected.body)
      assert.equal(`${sent.method} ${sent.path}`, `${expected.method} ${expected.path}`)
      for (const name of ['authorization', 'content-type']) {
        assert.equal(sent.headers[name], expected.headers[name], name)
      }
      const streamed = await recorder.sentBy(() => adapter.pieces(ours))
      assert.deepEqual(streamed.body, { ...theirs, stream: true })
    })
  }

  test('for what its models refuse is not sent', async (t) => {
    const { recorder, adapter } = await stand(t)
    for (const chosen of [{ temperature: 0.2 }, { topP: 0.5 }, { stop: ['END'] }]) {
      const call = adapter.whole({ model: 'gpt-6-luna', messages: [hello], ...chosen })
      await assert.rejects(call, { kind: 'invalid', outcome: 'not_sent' })
    }
    assert.equal(recorder.requests.length, 0)
  })

  test('for a picture is what the SDK sends', async (t) => {
    const { recorder, sdk, provider } = await stand(t)
    const theirs: OpenAI.ImageGenerateParams = {
      model: 'gpt-image-2.5-flare',
      prompt: 'A blue door',
      n: 1,
      size: '1536x864',
      quality: 'xhigh',
      background: 'transparent',
      output_format: 'webp',
      output_compression: 80,
      moderation: 'low',
    }
    const expected = await recorder.sentBy(() => sdk.images.generate(theirs))
    const request = {
      kind: 'IMAGE' as const,
      model: 'gpt-image-2.5-flare',
      prompt: 'A blue door',
      aspectRatio: '16:9',
      quality: 'xhigh',
      options: {
        background: 'transparent',
        output_format: 'webp',
        output_compression: 80,
        moderation: 'low',
      },
    }
    const options = { ...patient, taskId: 't' }
    const sent = await recorder.sentBy(async () => provider.submit?.(request, options))
    assert.deepEqual([sent.path, sent.body], [expected.path, expected.body])
  })

  test('to change a picture, or to join several, has the fields the SDK sends', async (t) => {
    const { recorder, sdk, provider } = await stand(t)
    const file = () => toFile(pixel.bytes, 'image.png', { type: 'image/png' })
    const edit = {
      model: 'gpt-image-2.6-sunburst' satisfies OpenAI.ImageModel,
      prompt: 'Make it red',
    }
    const pairs: [OpenAI.ImageEditParams['image'], Partial<ImageRequest>][] = [
      [await file(), { image: pixel }],
      [[await file(), await file()], { image: pixel, references: [pixel] }],
    ]
    for (const [image, pictures] of pairs) {
      const theirs: OpenAI.ImageEditParams = { ...edit, n: 1, image }
      const expected = await recorder.sentBy(() => sdk.images.edit(theirs))
      const request = { kind: 'IMAGE' as const, ...edit, ...pictures }
      const options = { ...patient, taskId: 't' }
      const sent = await recorder.sentBy(async () => provider.submit?.(request, options))
      assert.equal(sent.path, expected.path)
      assert.deepEqual(formFields(sent.body), formFields(expected.body))
    }
  })
})

const usage: OpenAI.Responses.ResponseUsage = {
  input_tokens: 21,
  input_tokens_details: { cached_tokens: 5, cache_write_tokens: 0 },
  output_tokens: 8,
  output_tokens_details: { reasoning_tokens: 3 },
  total_tokens: 29,
}
const counted = { inputTokens: 21, outputTokens: 8, cachedInputTokens: 5, reasoningTokens: 3 }

const response = (rest: Partial<OpenAI.Responses.Response>): OpenAI.Responses.Response => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1_763_000_000,
  model: 'gpt-6-sol',
  access_programs: null,
  status: 'completed',
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  output: [],
  output_text: '',
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  usage,
  ...rest,
})

const thought: OpenAI.Responses.ResponseReasoningItem = {
  type: 'reasoning',
  id: 'rs_1',
  summary: [],
  encrypted_content: 'gAAAA',
}
const call: OpenAI.Responses.ResponseFunctionToolCall = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_1',
  name: 'weather',
  arguments: '{"town":"Rome"}',
  status: 'completed',
}
const spoken = (
  part: OpenAI.Responses.ResponseOutputText | OpenAI.Responses.ResponseOutputRefusal,
): OpenAI.Responses.ResponseOutputMessage => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [part],
})
const words = (text: string) => spoken({ type: 'output_text', text, annotations: [], logprobs: [] })

/** The same answer as a stream, event by event as the SDK's types name them. */
function eventsOf(whole: OpenAI.Responses.Response): OpenAI.Responses.ResponseStreamEvent[] {
  let sequence_number = 0
  const events: OpenAI.Responses.ResponseStreamEvent[] = []
  const begun: OpenAI.Responses.Response = { ...whole, status: 'in_progress', output: [] }
  events.push({ type: 'response.created', response: begun, sequence_number: sequence_number++ })
  for (const [output_index, item] of whole.output.entries()) {
    const at = { output_index, content_index: 0, item_id: 'item' }
    const empty = item.type === 'function_call' ? { ...item, arguments: '' } : item
    const added = { type: 'response.output_item.added' as const, item: empty, output_index }
    events.push({ ...added, sequence_number: sequence_number++ })
    if (item.type === 'function_call') {
      const type = 'response.function_call_arguments.delta'
      events.push({ type, delta: item.arguments, ...at, sequence_number: sequence_number++ })
    }
    const [part] = item.type === 'message' ? item.content : []
    if (part?.type === 'output_text') {
      for (const delta of part.text.match(/.{1,3}/g) ?? []) {
        const type = 'response.output_text.delta'
        events.push({ type, delta, ...at, logprobs: [], sequence_number: sequence_number++ })
      }
    }
    if (part?.type === 'refusal') {
      const type = 'response.refusal.delta'
      events.push({ type, delta: part.refusal, ...at, sequence_number: sequence_number++ })
    }
    const done = { type: 'response.output_item.done' as const, item, output_index }
    events.push({ ...done, sequence_number: sequence_number++ })
  }
  const type = whole.status === 'incomplete' ? 'response.incomplete' : 'response.completed'
  events.push({ type, response: whole, sequence_number })
  return events
}

const sse = (whole: OpenAI.Responses.Response) => ({
  events: eventsOf(whole).map((data) => ({ event: data.type, data })),
})

const failedEvent = (
  response: OpenAI.Responses.Response,
): OpenAI.Responses.ResponseFailedEvent => ({
  type: 'response.failed',
  response,
  sequence_number: 1,
})

describe('an answer of OpenAI', () => {
  const request: TextRequest = { model: 'gpt-6-sol', messages: [hello], tools: [weather] }

  test('in words gives its text and counts, whole and streamed', async (t) => {
    const { recorder, adapter } = await stand(t)
    const said = response({ output: [thought, words('Hi there')] })
    recorder.answer({ json: said, headers: { 'x-request-id': 'req_1' } })
    assert.deepEqual(await adapter.whole(request), {
      text: 'Hi there',
      thoughts: [{ text: '', signature: 'openai.WyJyc18xIiwiZ0FBQUEiXQ' }],
      finish: 'stop',
      usage: counted,
      requestId: 'req_1',
      answeredBy: said.model,
    })
    recorder.answer(sse(said))
    const deltas = await adapter.pieces(request)
    const text = deltas.map((delta) => (delta.type === 'text' ? delta.text : '')).join('')
    assert.equal(text, 'Hi there')
    assert.deepEqual(deltas.slice(-2), [
      { type: 'usage', usage: counted },
      { type: 'end', finish: 'stop', answeredBy: said.model },
    ])
  })

  test('that calls a function carries its thoughts, and gives them back unchanged', async (t) => {
    const { recorder, adapter } = await stand(t)
    const asks = response({ output: [thought, call] })
    recorder.answer({ json: asks })
    const { toolCalls = [], thoughts } = await adapter.whole(request)
    recorder.answer(sse(asks))
    const pieces = await adapter.pieces(request)
    const begun = pieces.find((delta) => delta.type === 'tool_call')
    const [called] = toolCalls
    assert.equal(called?.arguments, '{"town":"Rome"}')
    assert.deepEqual(begun, { type: 'tool_call', index: 0, id: called.id, name: called.name })
    assert.deepEqual(
      pieces.filter((delta) => delta.type === 'thought').at(-1)?.signature,
      thoughts?.[0]?.signature,
    )
    const calling = { role: 'assistant' as const, content: '', toolCalls, thoughts }
    const messages = [hello, calling, result]
    const sent = await recorder.sentBy(() => adapter.whole({ ...request, messages }))
    const { input } = sent.body as { input: OpenAI.Responses.ResponseInputItem[] }
    const { id: _, status: __, ...item } = call
    assert.deepEqual(input.slice(1, 3), [thought, item])
  })

  test('that was refused, cut or filtered is told as that', async (t) => {
    const { recorder, adapter } = await stand(t)
    const refused = response({ output: [spoken({ type: 'refusal', refusal: 'I cannot.' })] })
    const cut = (reason: 'max_output_tokens' | 'content_filter') =>
      response({ status: 'incomplete', incomplete_details: { reason }, output: [words('Hi')] })
    for (const [whole, end] of [
      [refused, { finish: 'content_filter', refusal: 'I cannot.' }],
      [cut('max_output_tokens'), { finish: 'length' }],
      [cut('content_filter'), { finish: 'content_filter' }],
    ] as const) {
      recorder.answer({ json: whole })
      const { finish, refusal } = await adapter.whole(request)
      assert.deepEqual({ finish, ...(refusal ? { refusal } : {}) }, end)
      recorder.answer(sse(whole))
      const last = { type: 'end', ...end, answeredBy: whole.model }
      assert.deepEqual((await adapter.pieces(request)).at(-1), last)
    }
  })

  test('that failed is an error, and certain only where the vendor refused', async (t) => {
    const { recorder, adapter } = await stand(t)
    const cases: [OpenAI.Responses.ResponseError['code'], string, string][] = [
      ['invalid_prompt', 'content', 'rejected'],
      ['image_content_policy_violation', 'content', 'rejected'],
      ['server_error', 'server', 'unknown'],
    ]
    for (const [code, kind, outcome] of cases) {
      const { usage: _, ...uncounted } = response({ status: 'failed' })
      recorder.answer({ json: { ...uncounted, error: { code, message: 'no' } } })
      await assert.rejects(adapter.whole(request), { kind, outcome }, code)
      recorder.answer({
        events: [{ data: failedEvent({ ...uncounted, error: { code, message: 'no' } }) }],
      })
      await assert.rejects(adapter.pieces(request), { kind, outcome: 'unknown' })
    }
  })

  test('that a filter stopped keeps what it counted', async (t) => {
    const { recorder, adapter } = await stand(t)
    const error = { code: 'invalid_prompt' as const, message: 'no' }
    const failed = response({ status: 'failed', error })
    const end = { finish: 'content_filter', refusal: 'no' }
    recorder.answer({ json: failed })
    const { finish, refusal, usage } = await adapter.whole(request)
    assert.deepEqual([{ finish, refusal }, usage], [end, counted])
    recorder.answer({ events: [{ data: failedEvent(failed) }] })
    assert.deepEqual((await adapter.pieces(request)).slice(1), [
      { type: 'usage', usage: counted },
      { type: 'end', ...end, answeredBy: failed.model },
    ])
  })

  test('that failed after it was counted may be billed, whatever its code says', async (t) => {
    const { recorder, adapter } = await stand(t)
    const error = { code: 'rate_limit_exceeded' as const, message: 'no' }
    const failed = response({ status: 'failed', error })
    const unknown = { kind: 'busy', outcome: 'unknown', isFree: false }
    recorder.answer({ json: failed })
    await assert.rejects(adapter.whole(request), unknown)
    recorder.answer({ events: [{ data: failedEvent(failed) }] })
    await assert.rejects(adapter.pieces(request), unknown)
  })

  test('that is a refusal by status is told as one', async (t) => {
    const { recorder, adapter } = await stand(t)
    const cases: [number, string | null, string, string][] = [
      [400, 'invalid_prompt', 'content', 'rejected'],
      [400, 'content_policy_violation', 'content', 'rejected'],
      [400, null, 'invalid', 'rejected'],
      [401, 'invalid_api_key', 'auth', 'rejected'],
      [429, 'insufficient_quota', 'auth', 'rejected'],
      [429, 'rate_limit_exceeded', 'busy', 'rejected'],
      [500, null, 'server', 'unknown'],
      [503, null, 'busy', 'rejected'],
    ]
    for (const [status, code, kind, outcome] of cases) {
      const json = { error: { message: 'no', type: 'error', param: null, code } }
      recorder.answer({ status, json })
      await assert.rejects(adapter.whole(request), { kind, outcome }, `${status} ${code}`)
    }
  })
})
