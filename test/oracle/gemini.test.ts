// Our requests to Gemini and Veo and our readings of their answers, judged by the official SDK.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import {
  BlockedReason,
  FinishReason,
  FunctionCallingConfigMode,
  type GenerateContentParameters,
  type GenerateVideosParameters,
  GoogleGenAI,
  type Interactions,
  ThinkingLevel,
} from '@google/genai'
import { createGeminiProvider } from '#providers/gemini/adapter.ts'
import type { TextRequest, ToolResult } from '#providers/provider.ts'
import { adapterAt, patient, startRecorder } from './recorder.ts'

const apiKey = 'oracle-key'

async function stand(t: TestContext) {
  const recorder = await startRecorder(t)
  const sdk = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: recorder.url } })
  const provider = createGeminiProvider({ name: 'gemini', apiKey, baseUrl: recorder.url })
  return { recorder, sdk, provider, adapter: adapterAt(t, provider) }
}

const hello = { role: 'user' as const, content: 'Hello' }
const greeting = { role: 'user', parts: [{ text: 'Hello' }] }
const parameters = {
  type: 'object',
  properties: { town: { type: 'string' } },
  required: ['town'],
}
const weather = { name: 'weather', description: 'The weather of a town.', parameters }
const pixel = { bytes: new Uint8Array([1, 2, 3]), mimeType: 'image/png' }
const asked = { id: 'c1', name: 'weather', arguments: '{"town":"Rome"}', signature: 'c2lnbmVk' }
const result: ToolResult = { role: 'tool', toolCallId: 'c1', content: '{"sky":"clear"}' }
const schema = { type: 'object', properties: { a: { type: 'number' } } }
const model = 'gemini-3.8-flash'

/** An intent, and the same as a literal of the vendor's types. */
const intents: Record<string, { ours: TextRequest; theirs: GenerateContentParameters }> = {
  'a question': {
    ours: {
      model,
      systemPrompt: 'Be brief.',
      messages: [hello],
      temperature: 0.5,
      topP: 0.9,
      maxTokens: 77,
      stop: ['END'],
    },
    theirs: {
      model,
      contents: [greeting],
      config: {
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        temperature: 0.5,
        topP: 0.9,
        maxOutputTokens: 77,
        stopSequences: ['END'],
      },
    },
  },
  'a level of thinking': {
    ours: { model, messages: [hello], reasoningEffort: 'low' },
    theirs: {
      model,
      contents: [greeting],
      config: { thinkingConfig: { thinkingLevel: ThinkingLevel.LOW } },
    },
  },
  'JSON of a schema': {
    ours: { model, messages: [hello], jsonSchema: { name: 'sum', schema } },
    theirs: {
      model,
      contents: [greeting],
      config: { responseMimeType: 'application/json', responseJsonSchema: schema },
    },
  },
  'a picture': {
    ours: { model, messages: [{ role: 'user', content: [{ type: 'image', media: pixel }] }] },
    theirs: {
      model,
      contents: [
        { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: 'AQID' } }] },
      ],
    },
  },
  'a function that must be called': {
    ours: { model, messages: [hello], tools: [weather], toolChoice: { name: 'weather' } },
    theirs: {
      model,
      contents: [greeting],
      config: {
        tools: [
          {
            functionDeclarations: [
              {
                name: 'weather',
                description: 'The weather of a town.',
                parametersJsonSchema: parameters,
              },
            ],
          },
        ],
        toolConfig: {
          functionCallingConfig: {
            mode: FunctionCallingConfigMode.ANY,
            allowedFunctionNames: ['weather'],
          },
        },
      },
    },
  },
  'the result of a call, with what was signed': {
    ours: {
      model,
      messages: [hello, { role: 'assistant', content: '', toolCalls: [asked] }, result],
    },
    theirs: {
      model,
      contents: [
        greeting,
        {
          role: 'model',
          parts: [
            {
              functionCall: { name: 'weather', args: { town: 'Rome' }, id: 'c1' },
              thoughtSignature: 'c2lnbmVk',
            },
          ],
        },
        {
          role: 'user',
          parts: [{ functionResponse: { name: 'weather', response: { sky: 'clear' }, id: 'c1' } }],
        },
      ],
    },
  },
}

/** The one difference: the SDK may send settings that are empty, and say nothing. */
function saying(body: unknown): unknown {
  const { generationConfig, ...rest } = body as Record<string, object | undefined>
  const isEmpty = Object.keys(generationConfig ?? {}).length === 0
  return isEmpty ? rest : body
}

describe('a request to Gemini', () => {
  for (const [what, { ours, theirs }] of Object.entries(intents)) {
    test(`for ${what} is what the SDK sends`, async (t) => {
      const { recorder, sdk, adapter } = await stand(t)
      const expected = await recorder.sentBy(() => sdk.models.generateContent(theirs))
      const sent = await recorder.sentBy(() => adapter.whole(ours))
      assert.deepEqual(sent.body, saying(expected.body))
      assert.equal(`${sent.method} ${sent.path}`, `${expected.method} ${expected.path}`)
      assert.equal(sent.headers['x-goog-api-key'], expected.headers['x-goog-api-key'])
      const stream = () => sdk.models.generateContentStream(theirs)
      const streamedBySdk = await recorder.sentBy(stream)
      const streamed = await recorder.sentBy(() => adapter.pieces(ours))
      assert.equal(streamed.path, streamedBySdk.path)
      assert.deepEqual(streamed.body, saying(streamedBySdk.body))
    })
  }

  test('for a picture with a seed is what the SDK sends', async (t) => {
    const { recorder, sdk, provider } = await stand(t)
    const named = { model: 'gemini-3-pro-image' }
    const config = { responseModalities: ['TEXT', 'IMAGE'], seed: 7 }
    const contents = 'A blue door'
    const expected = await recorder.sentBy(() =>
      sdk.models.generateContent({ ...named, contents, config }),
    )
    const request = { kind: 'IMAGE' as const, ...named, prompt: contents, options: { seed: 7 } }
    const options = { ...patient, taskId: 't' }
    const sent = await recorder.sentBy(async () => provider.submit?.(request, options))
    assert.deepEqual([sent.path, sent.body], [expected.path, expected.body])
  })

  test('for a video by Veo is what the SDK sends', async (t) => {
    const { recorder, sdk, provider } = await stand(t)
    const theirs: GenerateVideosParameters = {
      model: 'veo-3.1-generate-preview',
      prompt: 'A closing door',
      image: { imageBytes: 'AQID', mimeType: 'image/png' },
      config: {
        aspectRatio: '16:9',
        durationSeconds: 8,
        resolution: '720p',
        negativePrompt: 'blur',
      },
    }
    const expected = await recorder.sentBy(() => sdk.models.generateVideos(theirs))
    const request = {
      kind: 'VIDEO' as const,
      model: 'veo-3.1-generate-preview',
      prompt: 'A closing door',
      image: pixel,
      aspectRatio: '16:9',
      seconds: 8,
      resolution: '720p',
      options: { negative_prompt: 'blur' },
    }
    const options = { ...patient, taskId: 't' }
    const sent = await recorder.sentBy(async () => provider.submit?.(request, options))
    assert.deepEqual([sent.path, sent.body], [expected.path, expected.body])
  })
})

describe('a video of Omni', () => {
  const id = 'v1_abc'
  const ref = { v: 1 as const, provider: 'gemini', id: `interactions/${id}` }
  const video: Interactions.VideoContent = {
    type: 'video',
    uri: 'https://storage.googleapis.com/x.mp4',
    mime_type: 'video/mp4',
  }
  const interaction = (rest: Partial<Interactions.Interaction>): Interactions.Interaction => ({
    id,
    status: 'completed',
    model: 'gemini-omni-1.1-flash',
    created: '2026-11-15T10:00:00Z',
    updated: '2026-11-15T10:00:00Z',
    ...rest,
  })

  test('is asked for, looked at and cancelled as the SDK does it', async (t) => {
    const { recorder, sdk, provider } = await stand(t)
    const theirs: Interactions.InteractionCreateParamsNonStreaming = {
      model: 'gemini-omni-1.1-flash',
      input: [
        { type: 'text', text: 'A closing door' },
        { type: 'image', data: 'AQID', mime_type: 'image/png' },
      ],
      background: true,
      store: true,
      response_format: {
        type: 'video',
        aspect_ratio: '16:9',
        duration: '8s',
        resolution: '720p',
        delivery: 'uri',
      },
    }
    recorder.answer({ json: interaction({ status: 'in_progress' }) })
    const request = {
      kind: 'VIDEO' as const,
      model: 'gemini-omni-1.1-flash',
      prompt: 'A closing door',
      image: pixel,
      aspectRatio: '16:9',
      seconds: 8,
      resolution: '720p',
    }
    const pairs: [() => unknown, () => Promise<unknown>][] = [
      [() => provider.submit?.(request, { ...patient, taskId: 't' }), async () => create()],
      [() => provider.poll?.(ref, patient), async () => sdk.interactions.get(id)],
      [() => provider.cancel?.(ref, patient), async () => sdk.interactions.cancel(id)],
    ]
    const create = () => sdk.interactions.create(theirs)
    for (const [ours, bySdk] of pairs) {
      const expected = await recorder.sentBy(bySdk)
      const sent = await recorder.sentBy(async () => ours())
      // The SDK also says that it wants no stream, which is so anyway.
      const path = expected.path.replace('?stream=false', '')
      assert.equal(`${sent.method} ${sent.path}`, `${expected.method} ${path}`)
      for (const name of ['x-goog-api-key', 'api-revision']) {
        assert.equal(sent.headers[name], expected.headers[name], name)
      }
      // The SDK sends an empty object to cancel; there is nothing to say.
      if (sent.body !== '') assert.deepEqual(sent.body, expected.body)
    }
  })

  test('is told in every state the SDK names', async (t) => {
    const { recorder, provider } = await stand(t)
    const steps: Interactions.Step[] = [{ type: 'model_output', content: [video] }]
    const states: [Partial<Interactions.Interaction>, string, string?][] = [
      [{ status: 'queued' }, 'queued'],
      [{ status: 'in_progress' }, 'running'],
      [{ status: 'completed', steps }, 'succeeded'],
      [{ status: 'completed', output_video: video }, 'succeeded'],
      [{ status: 'completed', steps: [] }, 'failed', 'protocol'],
      [{ status: 'cancelled' }, 'canceled', 'canceled'],
      [{ status: 'failed', errors: [{ message: 'Internal' }] }, 'failed', 'server'],
      [{ status: 'failed', errors: [{ message: 'blocked by safety' }] }, 'failed', 'content'],
      [{ status: 'incomplete' }, 'failed', 'server'],
      [{ status: 'budget_exceeded' }, 'failed', 'server'],
      [{ status: 'requires_action' }, 'failed', 'server'],
      [{ status: 'requires_continuation' }, 'failed', 'server'],
    ]
    for (const [rest, state, kind] of states) {
      recorder.answer({ json: interaction(rest) })
      const polled = await provider.poll?.(ref, patient)
      assert.equal(polled?.state, state, JSON.stringify(rest))
      assert.equal(polled && 'error' in polled ? polled.error.kind : undefined, kind)
    }
    recorder.answer({ json: interaction({ status: 'never heard of' }) })
    const odd = async () => provider.poll?.(ref, patient)
    await assert.rejects(odd, { kind: 'protocol', outcome: 'unknown' })
  })
})

const answered = (finishReason: FinishReason, text = 'Hi') => ({
  candidates: [
    { content: { role: 'model', parts: text ? [{ text }] : [] }, finishReason, index: 0 },
  ],
  usageMetadata: {
    promptTokenCount: 21,
    cachedContentTokenCount: 5,
    candidatesTokenCount: 5,
    thoughtsTokenCount: 3,
    toolUsePromptTokenCount: 4,
    totalTokenCount: 33,
  },
  responseId: 'r1',
})

describe('an answer of Gemini', () => {
  const request: TextRequest = { model, messages: [hello] }
  const finishes: Partial<Record<FinishReason, 'stop' | 'length'>> = {
    [FinishReason.FINISH_REASON_UNSPECIFIED]: 'stop',
    [FinishReason.STOP]: 'stop',
    [FinishReason.MAX_TOKENS]: 'length',
    // More follows in another answer, so that this one is not the whole.
    [FinishReason.CONTINUATION]: 'length',
  }
  const broken = new Set<FinishReason>([
    FinishReason.MALFORMED_FUNCTION_CALL,
    FinishReason.UNEXPECTED_TOOL_CALL,
    FinishReason.TOO_MANY_TOOL_CALLS,
  ])

  for (const reason of Object.values(FinishReason)) {
    test(`that ended by ${reason} is told as that, whole and streamed`, async (t) => {
      const { recorder, adapter } = await stand(t)
      const ways = [
        [{ json: answered(reason) }, async () => (await adapter.whole(request)).finish],
        [
          { events: [{ data: answered(reason) }] },
          async () => {
            const end = (await adapter.pieces(request)).at(-1)
            return end?.type === 'end' ? end.finish : undefined
          },
        ],
      ] as const
      for (const [answer, ask] of ways) {
        recorder.answer(answer)
        const otherwise = broken.has(reason) ? 'malformed' : 'content_filter'
        assert.equal(await ask(), finishes[reason] ?? otherwise)
      }
    })
  }

  test('counts what was thought and what tools put into the prompt', async (t) => {
    const { recorder, adapter } = await stand(t)
    recorder.answer({ json: answered(FinishReason.STOP) })
    const { usage } = await adapter.whole(request)
    assert.deepEqual(usage, {
      inputTokens: 25,
      outputTokens: 8,
      cachedInputTokens: 5,
      reasoningTokens: 3,
    })
  })

  test('to a blocked prompt is a refusal', async (t) => {
    const { recorder, adapter } = await stand(t)
    for (const blockReason of Object.values(BlockedReason)) {
      const blocked = { promptFeedback: { blockReason }, usageMetadata: { promptTokenCount: 4 } }
      const end = { finish: 'content_filter', refusal: `the prompt was blocked (${blockReason})` }
      const usage = { inputTokens: 4, outputTokens: 0 }
      recorder.answer({ json: blocked })
      const { text, requestId, ...rest } = await adapter.whole(request)
      assert.deepEqual([text, rest], ['', { ...end, usage }])
      recorder.answer({ events: [{ data: blocked }] })
      assert.deepEqual((await adapter.pieces(request)).slice(1), [
        { type: 'usage', usage },
        { type: 'end', ...end },
      ])
    }
  })
})
