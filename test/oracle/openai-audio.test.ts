// Our requests for speech and transcripts, judged by OpenAI's SDK and by the price library.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { calcPrice } from '@pydantic/genai-prices'
import OpenAI, { toFile } from 'openai'
import { priceOf } from '#core/pricing.ts'
import { builtinModels } from '#providers/builtin-models.ts'
import { createOpenAiProvider } from '#providers/openai/adapter.ts'
import type { SpeakRequest, TranscribeRequest } from '#providers/provider.ts'
import { tokenPrices } from '#providers/token-prices.ts'
import { formFields, patient, startRecorder } from './recorder.ts'

async function stand(t: TestContext) {
  const recorder = await startRecorder(t)
  const [apiKey, baseURL] = ['sk-oracle', `${recorder.url}/v1`]
  const sdk = new OpenAI({ apiKey, baseURL, maxRetries: 0 })
  const provider = createOpenAiProvider({
    ...{ name: 'openai', dialect: 'openai', apiKey },
    baseUrl: baseURL,
  })
  t.after(() => provider.close?.())
  const { speak, transcribe } = provider
  if (!speak || !transcribe) throw new Error('the provider makes no sound')
  return {
    recorder,
    sdk: sdk.audio,
    speak: (request: SpeakRequest) => speak(request, patient),
    transcribe: (request: TranscribeRequest) => transcribe(request, patient),
  }
}

const said = { input: 'Hello', voice: 'marin' }
const speeches: Record<string, { ours: SpeakRequest; theirs: OpenAI.Audio.SpeechCreateParams }> = {
  'to be read aloud': {
    ours: { ...said, model: 'tts-1', format: 'mp3', inEvents: false },
    theirs: { ...said, model: 'tts-1', response_format: 'mp3' },
  },
  'to be read as it is told, in events': {
    ours: {
      ...{ ...said, model: 'gpt-4o-mini-tts', format: 'pcm', inEvents: true },
      ...{ voice: { id: 'voice_1234' }, instructions: 'Whisper.', speed: 0.5 },
    },
    theirs: {
      ...{ ...said, model: 'gpt-4o-mini-tts', response_format: 'pcm', stream_format: 'sse' },
      ...{ voice: { id: 'voice_1234' }, instructions: 'Whisper.', speed: 0.5 },
    },
  },
}

const recording = { bytes: Buffer.from('RIFF'), fileName: 'audio.wav', mimeType: 'audio/wav' }
type Written = Omit<OpenAI.Audio.TranscriptionCreateParams, 'file'>
const transcriptions: Record<string, { ours: Partial<TranscribeRequest>; theirs: Written }> = {
  'for its words': {
    ours: { model: 'gpt-transcribe', languages: ['en', 'de'], keywords: ['goose'] },
    theirs: {
      ...{ model: 'gpt-transcribe', response_format: 'json' },
      ...{ languages: ['en', 'de'], keywords: ['goose'] },
    },
  },
  'for its times': {
    ours: {
      ...{ model: 'whisper-1', detail: 'times', granularities: ['word', 'segment'] },
      ...{ language: 'en', prompt: 'Geese.', temperature: 0.2 },
    },
    theirs: {
      ...{ model: 'whisper-1', response_format: 'verbose_json' },
      ...{ timestamp_granularities: ['word', 'segment'], language: 'en' },
      ...{ prompt: 'Geese.', temperature: 0.2 },
    },
  },
  'for its speakers': {
    ours: { model: 'gpt-4o-transcribe-diarize', detail: 'speakers', isChunked: true },
    theirs: {
      ...{ model: 'gpt-4o-transcribe-diarize', response_format: 'diarized_json' },
      chunking_strategy: 'auto',
    },
  },
  'for its words as they come': {
    ours: { model: 'gpt-4o-transcribe', wantsLogprobs: true, isStreamed: true },
    theirs: {
      ...{ model: 'gpt-4o-transcribe', response_format: 'json' },
      ...{ include: ['logprobs'], stream: true },
    },
  },
}

describe('a request to OpenAI', () => {
  for (const [what, { ours, theirs }] of Object.entries(speeches)) {
    test(`for a text ${what} is what the SDK sends`, async (t) => {
      const { recorder, sdk, speak } = await stand(t)
      const expected = await recorder.sentBy(() => sdk.speech.create(theirs))
      const sent = await recorder.sentBy(() => speak(ours))
      assert.deepEqual([sent.path, sent.body], [expected.path, expected.body])
    })
  }

  for (const [what, { ours, theirs }] of Object.entries(transcriptions)) {
    test(`for a recording, ${what}, has the fields the SDK sends`, async (t) => {
      const { recorder, sdk, transcribe } = await stand(t)
      const file = await toFile(recording.bytes, recording.fileName, { type: recording.mimeType })
      const expected = await recorder.sentBy(() => sdk.transcriptions.create({ ...theirs, file }))
      const sent = await recorder.sentBy(() =>
        transcribe({
          ...{ model: '', file: recording, detail: 'words', isStreamed: false },
          ...ours,
        }),
      )
      assert.equal(sent.path, expected.path)
      assert.deepEqual(formFields(sent.body), formFields(expected.body))
    })
  }
})

describe('an answer of OpenAI', () => {
  const request: TranscribeRequest = {
    ...{ model: 'gpt-4o-transcribe', file: recording, detail: 'words', isStreamed: false },
  }
  const tokens: OpenAI.Audio.Transcription.Tokens = {
    ...{ type: 'tokens', input_tokens: 140, output_tokens: 20, total_tokens: 160 },
    input_token_details: { audio_tokens: 130, text_tokens: 10 },
  }
  const counted = { inputTokens: 140, outputTokens: 20, inputAudioTokens: 130 }

  test('with a transcript gives its text and what it used, whole and streamed', async (t) => {
    const { recorder, transcribe } = await stand(t)
    const duration: OpenAI.Audio.Transcription.Duration = { type: 'duration', seconds: 9 }
    const answers: [OpenAI.Audio.Transcription, object | null][] = [
      [{ text: 'Hi', usage: tokens }, counted],
      [{ text: 'Hi', usage: duration }, { inputAudioSeconds: 9 }],
      [{ text: 'Hi' }, null],
    ]
    for (const [json, used] of answers) {
      recorder.answer({ json })
      const pieces = await Array.fromAsync((await transcribe(request)).pieces)
      const { text } = json
      assert.deepEqual(pieces, [
        ...(used ? [{ type: 'used', units: used }] : []),
        { type: 'transcript', transcript: { text, record: { text } } },
      ])
    }
    const events: OpenAI.Audio.TranscriptionStreamEvent[] = [
      { type: 'transcript.text.delta', delta: 'Hi' },
      { type: 'transcript.text.done', text: 'Hi', usage: tokens },
    ]
    recorder.answer({ events: events.map((data) => ({ data })) })
    const streamed = await transcribe({ ...request, isStreamed: true })
    assert.deepEqual(
      (await Array.fromAsync(streamed.pieces)).map(({ type }) => type),
      ['piece', 'used', 'transcript'],
    )
  })

  test('is priced as the price library prices it', () => {
    const nowMs = Date.UTC(2026, 10, 16)
    for (const model of ['gpt-4o-transcribe', 'gpt-4o-mini-transcribe']) {
      const usage = { input_tokens: 140, output_tokens: 20, input_audio_tokens: 130 }
      const theirs = calcPrice(usage, model, { providerId: 'openai' })?.total_price ?? Number.NaN
      assert.equal(priceOf(tokenPrices('openai', model, nowMs), counted), Math.round(theirs * 1e6))
    }
    // The library knows what an hour costs, but does not calculate with hours.
    for (const model of ['whisper-1', 'gpt-transcribe']) {
      const prices = calcPrice({}, model, { providerId: 'openai' })?.model_price
      const hour = (prices as Record<string, unknown> | undefined)?.input_audio_hours
      const ours = priceOf(tokenPrices('openai', model, nowMs), { inputAudioSeconds: 5400 })
      assert.equal(ours, Math.round(Number(hour) * 1.5e6))
    }
  })

  test('is priced for every model that is listed', () => {
    const listed = builtinModels.filter(
      ({ kind, provider }) =>
        provider === 'openai' && (kind === 'SPEECH' || kind === 'TRANSCRIPTION'),
    )
    assert.ok(listed.length > 0)
    for (const { provider, providerModel, pricing } of listed) {
      assert.ok(pricing ?? tokenPrices(provider, providerModel, Date.now()), providerModel)
    }
  })
})
