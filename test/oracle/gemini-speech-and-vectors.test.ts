// Our requests to Gemini for speech and for embeddings, judged by the official SDK.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  type EmbedContentParameters,
  type EmbedContentResponse,
  FinishReason,
  type GenerateContentParameters,
  type GenerateContentResponse,
  GoogleGenAI,
  MediaModality,
} from '@google/genai'
import { createGeminiProvider } from '#providers/gemini/adapter.ts'
import type { EmbedRequest, SpeakRequest } from '#providers/provider.ts'
import { patient, startRecorder } from './recorder.ts'

const apiKey = 'oracle-key'

async function stand(t: TestContext) {
  const recorder = await startRecorder(t)
  const sdk = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: recorder.url } })
  const provider = createGeminiProvider({ name: 'gemini', apiKey, baseUrl: recorder.url })
  t.after(() => provider.close?.())
  const { speak, embed } = provider
  if (!speak || !embed) throw new Error('the provider makes neither')
  return {
    recorder,
    sdk,
    speak: (request: SpeakRequest) => speak(request, patient),
    embed: (request: EmbedRequest) => embed(request, patient),
  }
}

const model = 'gemini-3.8-flash-tts'
const spoken: SpeakRequest = {
  ...{ model, input: 'Hello', voice: 'Kore', instructions: 'whispered', format: 'wav' },
  inEvents: true,
}

test('a request for speech is what the SDK sends', async (t) => {
  const { recorder, sdk, speak } = await stand(t)
  const theirs: GenerateContentParameters = {
    model,
    contents: [
      { role: 'user', parts: [{ text: 'Hello', speechMetadata: { style: 'whispered' } }] },
    ],
    config: {
      responseModalities: ['AUDIO'],
      speechConfig: { voiceConfig: { voice: 'Kore' } },
    },
  }
  const expected = await recorder.sentBy(() => sdk.models.generateContentStream(theirs))
  const sent = await recorder.sentBy(() => speak(spoken))
  assert.deepEqual([sent.path, sent.body], [expected.path, expected.body])
})

test('speech is read piece by piece, with what it used, and framed where that is wanted', async (t) => {
  const { recorder, speak } = await stand(t)
  const event = (data: string, rest: object = {}): Partial<GenerateContentResponse> => ({
    candidates: [
      {
        content: { parts: [{ inlineData: { mimeType: 'audio/l16;rate=24000', data } }] },
        ...rest,
      },
    ],
    usageMetadata: {
      promptTokenCount: 5,
      candidatesTokenCount: 40,
      candidatesTokensDetails: [{ modality: MediaModality.AUDIO, tokenCount: 40 }],
      totalTokenCount: 45,
    },
  })
  const last = event('AwQ=', { finishReason: FinishReason.STOP })
  recorder.answer({ events: [event('AQI='), last].map((data) => ({ data })) })
  const framed = await Array.fromAsync((await speak(spoken)).pieces)
  const sound = Buffer.concat(framed.flatMap((one) => (one.type === 'audio' ? [one.bytes] : [])))
  assert.equal(sound.toString('latin1', 0, 4), 'RIFF')
  assert.equal(sound.readUInt32LE(24), 24_000)
  assert.deepEqual([...sound.subarray(44)], [1, 2, 3, 4])
  assert.deepEqual(framed.at(-1), {
    type: 'used',
    units: { inputTokens: 5, outputTokens: 40, outputAudioTokens: 40 },
  })
  const plain = await Array.fromAsync((await speak({ ...spoken, format: 'pcm' })).pieces)
  assert.equal(plain.filter(({ type }) => type === 'audio').length, 2)
})

test('speech that was cut, withheld or is none is an error that may be billed', async (t) => {
  const { recorder, speak } = await stand(t)
  const ended = (finishReason?: FinishReason): Partial<GenerateContentResponse> => ({
    candidates: [{ content: { parts: [] }, ...(finishReason ? { finishReason } : {}) }],
  })
  for (const [data, kind] of [
    [ended(), 'protocol'],
    [ended(FinishReason.STOP), 'protocol'],
    [ended(FinishReason.SAFETY), 'content'],
    [{ error: { message: 'no', status: 'INTERNAL' } }, 'server'],
  ] as const) {
    recorder.answer({ events: [{ data }] })
    const { pieces } = await speak(spoken)
    await assert.rejects(Array.fromAsync(pieces), { kind, outcome: 'unknown' })
  }
})

test('what Gemini cannot be asked for is not sent', async (t) => {
  const { recorder, speak } = await stand(t)
  for (const [extra, param] of [
    [{ speed: 2 }, 'speed'],
    [{ format: 'mp3' }, 'response_format'],
    [{ voice: { id: 'voice_1' } }, 'voice'],
  ] as const) {
    await assert.rejects(speak({ ...spoken, ...extra }), { outcome: 'not_sent', param })
  }
  assert.equal(recorder.requests.length, 0)
})

test('a request for embeddings is what the SDK sends, and its answer is read', async (t) => {
  const { recorder, sdk, embed } = await stand(t)
  const contents = ['one', 'two']
  const asked = { model: 'gemini-embedding-2' }
  for (const dimensions of [undefined, 256]) {
    const theirs: EmbedContentParameters = {
      ...asked,
      contents: contents.map((text) => ({ parts: [{ text }] })),
      ...(dimensions ? { config: { outputDimensionality: dimensions } } : {}),
    }
    const expected = await recorder.sentBy(() => sdk.models.embedContent(theirs))
    const ours = { ...asked, inputs: contents, ...(dimensions ? { dimensions } : {}) }
    const sent = await recorder.sentBy(() => embed(ours))
    assert.deepEqual([sent.path, sent.body], [expected.path, expected.body])
  }
  const answer: Partial<EmbedContentResponse> = {
    embeddings: [{ values: [0.5, 1] }, { values: [0.25, 0] }],
  }
  recorder.answer({ json: { ...answer, usageMetadata: { promptTokenCount: 2 } } })
  const { vectors, usage } = await embed({ ...asked, inputs: contents })
  assert.deepEqual(
    vectors.map((vector) => [...vector]),
    [
      [0.5, 1],
      [0.25, 0],
    ],
  )
  assert.deepEqual(usage, { inputTokens: 2, outputTokens: 0 })
  recorder.answer({ json: { embeddings: [{ values: [1] }] } })
  await assert.rejects(embed({ ...asked, inputs: contents }), { kind: 'protocol' })
})
