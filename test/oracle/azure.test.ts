// Our requests to OpenAI's models on Azure, judged by the official SDK's class for it, and how we
// read what is Azure's own.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import OpenAI, { AzureOpenAI, toFile } from 'openai'
import { createAzureProvider } from '#providers/openai/azure.ts'
import type { TextRequest } from '#providers/provider.ts'
import { adapterAt, patient, type Recorded, startRecorder } from './recorder.ts'

const apiKey = 'azure-oracle'
const apiVersion = '2024-10-21'
const model = 'gpt 6/eu'
const hello = { role: 'user' as const, content: 'Hello' }

async function stand(t: TestContext, options: { apiVersion?: string; isToken?: boolean } = {}) {
  const recorder = await startRecorder(t)
  const { isToken = false, ...rest } = options
  const provider = createAzureProvider({
    ...{ name: 'azure', apiKey, baseUrl: recorder.url, isToken, ...rest },
  })
  return { recorder, provider, adapter: adapterAt(t, provider) }
}

const shown = ({ method, path, headers }: Recorded) => [
  `${method} ${path}`,
  headers['api-key'],
  headers.authorization,
]

describe('a request to Azure', () => {
  test('at an address with a version is what the SDK sends, whatever is asked for', async (t) => {
    const { recorder, provider, adapter } = await stand(t, { apiVersion })
    const sdk = new AzureOpenAI({ apiKey, endpoint: recorder.url, apiVersion, maxRetries: 0 })
    const ours: TextRequest = { model, messages: [hello], maxTokens: 5 }
    const theirs = { model, messages: [hello], max_completion_tokens: 5 }
    const expected = await recorder.sentBy(() => sdk.chat.completions.create(theirs))
    const sent = await recorder.sentBy(() => adapter.whole(ours))
    assert.deepEqual(sent.body, expected.body)
    assert.deepEqual(shown(sent), shown(expected))
    const streamed = await recorder.sentBy(() => adapter.pieces(ours))
    const options = { stream: true, stream_options: { include_usage: true } } as const
    const stream = () => sdk.chat.completions.create({ ...theirs, ...options })
    const expectedStream = await recorder.sentBy(stream)
    assert.deepEqual(streamed.body, expectedStream.body)
    const others: [ours: () => unknown, theirs: () => Promise<unknown>][] = [
      [
        () => provider.embed?.({ model, inputs: ['a'] }, patient),
        () => sdk.embeddings.create({ model, input: ['a'] }),
      ],
      [
        () =>
          provider.submit?.(
            { kind: 'IMAGE', model, prompt: 'a' },
            { signal: patient.signal, taskId: 't' },
          ),
        () => sdk.images.generate({ model, prompt: 'a' }),
      ],
      [
        () =>
          provider.speak?.(
            { model, input: 'a', voice: 'alloy', format: 'mp3', inEvents: false },
            patient,
          ),
        () => sdk.audio.speech.create({ model, input: 'a', voice: 'alloy' }),
      ],
      [
        () =>
          provider.transcribe?.(
            {
              ...{ model, detail: 'words', isStreamed: false },
              file: { bytes: Buffer.from('a'), fileName: 'a.mp3', mimeType: 'audio/mpeg' },
            },
            patient,
          ),
        async () =>
          sdk.audio.transcriptions.create({ model, file: await toFile(Buffer.from('a'), 'a.mp3') }),
      ],
    ]
    for (const [one, other] of others) {
      const mine = await recorder.sentBy(async () => one())
      assert.deepEqual(shown(mine), shown(await recorder.sentBy(other)))
    }
  })

  test('without a version goes to the newer address, as the SDK for OpenAI sends it there', async (t) => {
    const { recorder, adapter } = await stand(t)
    const baseURL = `${recorder.url}/openai/v1`
    const sdk = new OpenAI({
      apiKey,
      baseURL,
      maxRetries: 0,
      defaultHeaders: { 'api-key': apiKey },
    })
    const expected = await recorder.sentBy(() =>
      sdk.responses.create({ model, input: 'Hello', store: false }),
    )
    const sent = await recorder.sentBy(() => adapter.whole({ model, messages: [hello] }))
    assert.deepEqual(shown(sent).slice(0, 2), shown(expected).slice(0, 2))
  })

  test('with a token of Entra is what the SDK sends', async (t) => {
    const { recorder, adapter } = await stand(t, { apiVersion, isToken: true })
    const azureADTokenProvider = async () => apiKey
    const sdk = new AzureOpenAI({
      ...{ endpoint: recorder.url, apiVersion, azureADTokenProvider, maxRetries: 0 },
    })
    const theirs = { model, messages: [hello] }
    const expected = await recorder.sentBy(() => sdk.chat.completions.create(theirs))
    const sent = await recorder.sentBy(() => adapter.whole({ model, messages: [hello] }))
    assert.deepEqual(shown(sent), shown(expected))
  })
})

/** As Azure's documentation shows it. */
const filtered = {
  error: {
    message: 'The response was filtered due to the prompt triggering content management policy.',
    type: null,
    param: 'prompt',
    code: 'content_filter',
    status: 400,
    innererror: {
      code: 'ResponsibleAIPolicyViolation',
      content_filter_result: { hate: { filtered: true, severity: 'high' } },
    },
  },
}

describe('an answer of Azure', () => {
  test('that its filter refused is a refusal of the content; a deployment that is not there is not found', async (t) => {
    const { recorder, adapter } = await stand(t, { apiVersion })
    const request = { model, messages: [hello] }
    recorder.answer({ status: 400, json: filtered })
    for (const call of [adapter.whole, adapter.pieces])
      await assert.rejects(call(request), { kind: 'content', outcome: 'rejected' })
    const missing = { code: 'DeploymentNotFound', message: 'The API deployment does not exist.' }
    recorder.answer({ status: 404, json: { error: missing } })
    await assert.rejects(adapter.whole(request), { kind: 'not_found', outcome: 'rejected' })
    const slow = { error: { code: '429', message: 'Please retry after 26 seconds.' } }
    recorder.answer({ status: 429, headers: { 'retry-after': '26' }, json: slow })
    await assert.rejects(adapter.whole(request), { kind: 'busy', retryAfterMs: 26_000 })
  })

  test('streams what its filters found before the first word, which is no part of the answer', async (t) => {
    const { recorder, adapter } = await stand(t, { apiVersion })
    const chunk = (choices: object[], rest = {}) => ({
      data: { id: 'c', object: 'chat.completion.chunk', created: 1, model, choices, ...rest },
    })
    const found = { prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] }
    recorder.answer({
      events: [
        chunk([], found),
        chunk([{ index: 0, delta: { content: 'Hi' }, content_filter_results: {} }]),
        chunk([{ index: 0, delta: {}, finish_reason: 'content_filter' }]),
        { data: '[DONE]' },
      ],
    })
    const deltas = await adapter.pieces({ model, messages: [hello] })
    assert.deepEqual(
      deltas.filter(({ type }) => type !== 'working').map(({ type }) => type),
      ['open', 'text', 'end'],
    )
    const end = deltas.at(-1)
    assert.equal(end?.type === 'end' && end.finish, 'content_filter')
  })
})
