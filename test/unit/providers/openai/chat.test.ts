import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chatBody } from '#providers/openai/request.ts'
import { readChat } from '#providers/openai/response.ts'
import { chatStream } from '#providers/openai/stream.ts'
import { ProviderError } from '#providers/provider.ts'

const upstream = { name: 'openai', redact: (text: string) => text }
const picture = { bytes: new Uint8Array([1, 2, 3]), mimeType: 'image/png' }

const answer = (body: unknown, status = 200, headers = {}) => ({
  status,
  headers,
  body: Buffer.from(JSON.stringify(body)),
})
const completion = (choice: object, rest = {}) => answer({ id: 'c1', choices: [choice], ...rest })

function thrownBy(run: () => unknown): ProviderError {
  try {
    run()
  } catch (error) {
    if (error instanceof ProviderError) return error
  }
  throw new Error('nothing was thrown')
}

describe('a chat request', () => {
  test('puts the system prompt first and keeps the order of the rest', () => {
    const body = chatBody({
      model: 'gpt-6-luna',
      systemPrompt: 'Be brief.',
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello' },
        { role: 'system', content: 'In French.' },
      ],
      temperature: 0,
      maxTokens: 50,
      responseFormat: 'json',
    })
    assert.deepEqual(body, {
      model: 'gpt-6-luna',
      messages: [
        { role: 'system', content: 'Answer with one valid JSON value and nothing else.' },
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello' },
        { role: 'system', content: 'In French.' },
      ],
      temperature: 0,
      max_tokens: 50,
      response_format: { type: 'json_object' },
    })
  })

  test('says where to stop and how many words to choose from', () => {
    const messages = [{ role: 'user' as const, content: 'Hi' }]
    assert.deepEqual(chatBody({ model: 'm', messages, stop: ['END'], topP: 0.5 }), {
      model: 'm',
      messages,
      stop: ['END'],
      top_p: 0.5,
    })
  })

  test('says nothing that was not asked for', () => {
    const messages = [{ role: 'user' as const, content: 'Hi' }]
    assert.deepEqual(chatBody({ model: 'm', messages }), { model: 'm', messages })
  })

  test('uses the older name of the limit, which every server knows', () => {
    const body = chatBody({ model: 'm', messages: [], maxTokens: 9 })
    assert.deepEqual(body, { model: 'm', messages: [], max_tokens: 9 })
  })

  test('says nothing about files where the result of a function is empty', () => {
    const toolCalls = [{ id: 'a', name: 'look', arguments: '{}' }]
    const image = { type: 'image' as const, media: picture }
    const said = (content: '' | [typeof image]) =>
      chatBody({
        model: 'm',
        messages: [
          { role: 'user', content: 'Look.' },
          { role: 'assistant', content: '', toolCalls },
          { role: 'tool', toolCallId: 'a', content },
        ],
      }).messages[2]?.content
    assert.deepEqual([said(''), said([image])], ['', '(see below)'])
  })

  test('carries pictures as data URLs', () => {
    const content = [
      { type: 'text' as const, text: 'What is this?' },
      { type: 'image' as const, media: picture },
    ]
    const body = chatBody({ model: 'm', messages: [{ role: 'user', content }] })
    assert.deepEqual(body.messages[0]?.content, [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AQID' } },
    ])
  })
})

describe('a chat answer', () => {
  test('cut short by the limit says so', () => {
    const result = readChat(
      upstream,
      completion({ message: { content: 'Once' }, finish_reason: 'length' }),
    )
    assert.deepEqual([result.text, result.finish], ['Once', 'length'])
  })

  test('that is a refusal carries its words and is marked as filtered', () => {
    const message = { content: null, refusal: 'I cannot help with that.' }
    const result = readChat(upstream, completion({ message, finish_reason: 'stop' }))
    const { text, finish, refusal } = result
    assert.deepEqual([text, finish, refusal], ['', 'content_filter', message.refusal])
  })

  test('in parts is joined without the thoughts', () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
      { type: 'text', text: 'Pa' },
      { type: 'text', text: 'ris' },
    ]
    assert.equal(readChat(upstream, completion({ message: { content } })).text, 'Paris')
  })

  test('of a server that counts nothing has no usage rather than a wrong one', () => {
    const { usage } = readChat(upstream, completion({ message: { content: 'x' } }))
    assert.equal(usage, null)
  })

  test('with nonsense for usage is read as none', () => {
    const usage = { prompt_tokens: '9', completion_tokens: -4 }
    const result = readChat(upstream, completion({ message: { content: 'x' } }, { usage }))
    assert.deepEqual(result.usage, { inputTokens: 0, outputTokens: 0 })
  })
})

describe('a refused chat', () => {
  for (const [name, status, error, kind] of [
    ['for content', 400, { code: 'content_policy_violation' }, 'content'],
    ['for content by a filter', 400, { code: 'content_filter' }, 'content'],
    ['because the account is empty', 429, { code: 'insufficient_quota' }, 'auth'],
    ['because the model is gone', 404, { code: 'model_not_found' }, 'not_found'],
    ['because it is too long', 400, { code: 'context_length_exceeded' }, 'invalid'],
    ['because it comes too fast', 429, { code: 'rate_limit_exceeded' }, 'busy'],
  ] as const) {
    test(`${name} is of kind ${kind}`, () => {
      const given = answer({ error: { message: 'No.', type: 't', param: null, ...error } }, status)
      const thrown = thrownBy(() => readChat(upstream, given))
      assert.deepEqual([thrown.kind, thrown.outcome], [kind, 'rejected'])
      assert.equal(thrown.message, 'openai: No.')
    })
  }

  test('by a server with a simpler error form still says why', () => {
    const thrown = thrownBy(() => readChat(upstream, answer({ error: 'model not loaded' }, 404)))
    assert.equal(thrown.message, 'openai: model not loaded')
  })
})

describe('a streamed chat', () => {
  const read = (...deltas: object[]) => {
    const { read } = chatStream(upstream, answer({}))
    return deltas.flatMap((call) =>
      read({ id: 'c1', choices: [{ index: 0, delta: { tool_calls: [call] } }] }, ''),
    )
  }
  const look = { name: 'look', arguments: '{"at":1}' }

  test('has every call, also of a server that gives all of them the same index or none', () => {
    for (const index of [{ index: 0 }, {}]) {
      const calls = ['a', 'b'].map((id) => ({ ...index, id, function: look }))
      assert.deepEqual(read(...calls), [
        { type: 'tool_call', index: 0, id: 'a', name: 'look' },
        { type: 'tool_arguments', index: 0, text: '{"at":1}' },
        { type: 'tool_call', index: 1, id: 'b', name: 'look' },
        { type: 'tool_arguments', index: 1, text: '{"at":1}' },
      ])
    }
  })

  test('takes pieces of one call for one, whatever of it they repeat', () => {
    const [begun, more] = [{ name: 'look', arguments: '{"at"' }, { arguments: ':1}' }]
    const pieces = [
      { id: 'x', function: more },
      { id: 'a', function: { ...more, name: 'look' } },
      { function: { ...more, name: 'look' } },
    ]
    for (const piece of pieces) {
      assert.deepEqual(read({ index: 0, id: 'a', function: begun }, { index: 0, ...piece }), [
        { type: 'tool_call', index: 0, id: 'a', name: 'look' },
        { type: 'tool_arguments', index: 0, text: '{"at"' },
        { type: 'tool_arguments', index: 0, text: ':1}' },
      ])
    }
  })
})
