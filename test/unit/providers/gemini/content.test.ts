import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { imageBody, textBody } from '#providers/gemini/request.ts'
import { readImages, readText } from '#providers/gemini/response.ts'
import { ProviderError } from '#providers/provider.ts'

const upstream = { name: 'gemini', redact: (text: string) => text }
const answer = (body: unknown, status = 200) => ({
  status,
  headers: {},
  body: Buffer.from(JSON.stringify(body)),
})
const generated = (parts: unknown[], finishReason = 'STOP') =>
  answer({ candidates: [{ content: { role: 'model', parts }, finishReason }] })
const media = { bytes: new Uint8Array([1, 2, 3]), mimeType: 'image/png' }

const is = (kind: string, outcome: string, words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof ProviderError)
  assert.deepEqual([error.kind, error.outcome], [kind, outcome])
  assert.match(error.message, words)
  return true
}

describe('a text request', () => {
  test('says where to stop and how many words to choose from', () => {
    const messages = [{ role: 'user' as const, content: 'Hi' }]
    const body = textBody({ model: 'm', messages, stop: ['END', '##'], topP: 0.5 })
    assert.deepEqual(body.generationConfig, { topP: 0.5, stopSequences: ['END', '##'] })
  })

  test('has no text without words, which some models refuse, and no answer that says nothing', () => {
    const body = textBody({
      model: 'm',
      messages: [
        { role: 'system', content: '' },
        {
          role: 'user',
          content: [
            { type: 'text', text: '' },
            { type: 'image', media },
          ],
        },
        { role: 'assistant', content: '' },
        { role: 'user', content: 'Go on' },
      ],
    })
    assert.equal(body.systemInstruction, undefined)
    assert.deepEqual(body.contents, [
      { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: 'AQID' } }] },
      { role: 'user', parts: [{ text: 'Go on' }] },
    ])
  })

  test('names the roles as they do, and the system apart', () => {
    const body = textBody({
      model: 'gemini-3.8-flash',
      systemPrompt: 'Be brief.',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image', media },
          ],
        },
        { role: 'assistant', content: 'I see' },
        { role: 'user', content: 'And?' },
      ],
      temperature: 0.1,
      maxTokens: 20,
      responseFormat: 'json',
    })
    assert.deepEqual(body, {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        {
          role: 'user',
          parts: [{ text: 'Look' }, { inlineData: { mimeType: 'image/png', data: 'AQID' } }],
        },
        { role: 'model', parts: [{ text: 'I see' }] },
        { role: 'user', parts: [{ text: 'And?' }] },
      ],
      generationConfig: {
        temperature: 0.1,
        maxOutputTokens: 20,
        responseMimeType: 'application/json',
      },
    })
  })
})

test('an image request asks for both modalities and names its shape', () => {
  const request = { kind: 'IMAGE', model: 'm', prompt: 'A door', image: media } as const
  assert.deepEqual(imageBody({ ...request, aspectRatio: '16:9', sampleSize: '2K' }), {
    contents: [
      {
        role: 'user',
        parts: [{ text: 'A door' }, { inlineData: { mimeType: 'image/png', data: 'AQID' } }],
      },
    ],
    generationConfig: {
      responseModalities: ['TEXT', 'IMAGE'],
      imageConfig: { aspectRatio: '16:9', imageSize: '2K' },
    },
  })
})

describe('a text answer', () => {
  test('leaves out thoughts but counts them', () => {
    const given = answer({
      candidates: [
        {
          content: { parts: [{ text: 'hm', thought: true }, { text: 'Paris' }] },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 1, thoughtsTokenCount: 30 },
    })
    const { text, usage } = readText(upstream, given)
    assert.deepEqual(
      [text, usage],
      ['Paris', { inputTokens: 4, outputTokens: 31, reasoningTokens: 30 }],
    )
  })

  test('stopped for safety is marked, with what there is of it', () => {
    const result = readText(upstream, answer({ candidates: [{ finishReason: 'SAFETY' }] }))
    assert.deepEqual([result.text, result.finish], ['', 'content_filter'])
  })

  test('to a blocked prompt is a refusal for content', () => {
    const given = answer({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } })
    const { finish, refusal = '' } = readText(upstream, given)
    assert.equal(finish, 'content_filter')
    assert.match(refusal, /PROHIBITED_CONTENT/)
  })
})

describe('an image answer', () => {
  test('in words only is a refusal, in those words', () => {
    const given = generated([{ text: 'I would rather not draw that.' }])
    assert.throws(() => readImages(upstream, given), is('content', 'rejected', /rather not/))
  })

  test('withheld for safety is a refusal for content', () => {
    const given = generated([], 'IMAGE_SAFETY')
    assert.throws(() => readImages(upstream, given), is('content', 'rejected', /IMAGE_SAFETY/))
  })

  test('without a picture or a reason is not an answer', () => {
    assert.throws(() => readImages(upstream, generated([])), is('protocol', 'unknown', /no image/))
  })

  test('does not hand out the sketches of its thinking', () => {
    const inlineData = { mimeType: 'image/png', data: 'AQID' }
    const given = generated([{ inlineData, thought: true }, { inlineData }])
    const submitted = readImages(upstream, given)
    assert.ok('done' in submitted)
    assert.equal(submitted.done.length, 1)
  })
})

test('a wrong key is an invalid argument to them, and an auth failure to us', () => {
  const message = 'API key not valid. Please pass a valid API key.'
  const given = answer({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }, 400)
  assert.throws(() => readText(upstream, given), is('auth', 'rejected', /API key not valid/))
})

test('a quota error says when to come back in its details', () => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '37s' }]
  const error = { code: 429, message: 'Quota', status: 'RESOURCE_EXHAUSTED', details }
  assert.throws(
    () => readText(upstream, answer({ error }, 429)),
    (thrown) => thrown instanceof ProviderError && thrown.retryAfterMs === 37_000,
  )
})
