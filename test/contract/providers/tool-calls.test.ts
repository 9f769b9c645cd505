import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ToolCall } from '#core/text-stream.ts'
import type { Message, TextDelta } from '#providers/provider.ts'
import { type Bench, bench, texts } from './subjects.ts'

const tools = [
  {
    name: 'get_weather',
    description: 'Weather of a place',
    parameters: { type: 'object', properties: { words: { type: 'string' } } },
  },
]

async function streamedCalls(deltas: AsyncIterator<TextDelta>): Promise<ToolCall[]> {
  const calls: ToolCall[] = []
  for (let next = await deltas.next(); !next.done; next = await deltas.next()) {
    const delta = next.value
    if (delta.type === 'tool_call') {
      const { id, name, signature } = delta
      calls[delta.index] = { id, name, arguments: '', ...(signature ? { signature } : {}) }
    }
    const call = delta.type === 'tool_arguments' ? calls[delta.index] : undefined
    if (call && delta.type === 'tool_arguments') call.arguments += delta.text
  }
  return calls
}

for (const { subject, request, title } of texts) {
  describe(`functions of ${title}`, () => {
    const ways: [string, (it: Bench, messages: Message[]) => Promise<ToolCall[]>][] = [
      [
        'whole',
        async (it, messages) =>
          (await it.generateText({ ...request, messages, tools })).toolCalls ?? [],
      ],
      [
        'piece by piece',
        (it, messages) => streamedCalls(it.streamText({ ...request, messages, tools })),
      ],
    ]
    for (const [how, ask] of ways) {
      test(`are asked for, ${how}, and answered once their result is sent back`, async (t) => {
        const it = await bench(t, subject)
        const question: Message = { role: 'user', content: 'Paris' }
        const calls = await ask(it, [question])
        assert.equal(calls.length, 1)
        const [call] = calls
        assert.ok(call?.id)
        assert.equal(call.name, 'get_weather')
        assert.deepEqual(JSON.parse(call.arguments), { words: 'Paris' })
        const answered: Message[] = [
          question,
          { role: 'assistant', content: '', toolCalls: calls },
          { role: 'tool', toolCallId: call.id, content: '{"result":"rain"}' },
        ]
        const { text, toolCalls } = await it.generateText({
          ...request,
          messages: answered,
          tools,
        })
        assert.equal(toolCalls, undefined)
        assert.match(text, /rain/)
        // What a provider signed comes back to it.
        const sent = JSON.stringify(it.double.requests.at(-1)?.body)
        assert.equal(sent.includes('signed-by-double'), subject.double === 'gemini')
      })
    }

    test('of an earlier answer need not be declared again', async (t) => {
      const it = await bench(t, subject)
      const messages: Message[] = [
        { role: 'user', content: 'Paris' },
        {
          role: 'assistant',
          content: '',
          toolCalls: [{ id: 'c1', name: 'get_weather', arguments: '{"words":' }],
        },
        { role: 'tool', toolCallId: 'c1', content: '{"result":"rain"}' },
      ]
      assert.match((await it.generateText({ ...request, messages })).text, /rain/)
    })
  })
}
