import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ToolCall, ToolDefinition, ToolUse } from '#core/text-stream.ts'
import { generateText } from '#providers/demo/text/generate.ts'
import type { Message } from '#providers/provider.ts'

const object = (properties: object, required: string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
})
const text = { type: 'string' }

const weather: ToolDefinition = {
  name: 'get_weather',
  description: 'Current weather of a place',
  parameters: object(
    { location: text, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
    ['location'],
  ),
}
const add: ToolDefinition = {
  name: 'add_numbers',
  parameters: object({ a: { type: 'number' }, b: { type: 'number' } }),
}
const mail: ToolDefinition = {
  name: 'sendEmail',
  description: 'Send an e-mail',
  parameters: object({ to: { type: 'string', format: 'email' }, subject: text }),
}
const remove: ToolDefinition = { name: 'delete_file', parameters: object({ path: text }) }
const kit = [weather, add, mail, remove]

const ask = (goal: string, messages: Message[] = [], use: ToolUse = {}) =>
  generateText({
    model: 'demo-text',
    messages: [{ role: 'user', content: goal }, ...messages],
    tools: kit,
    ...use,
  })

const wanted = (goal: string, messages: Message[] = [], use: ToolUse = {}) => {
  const { toolCalls = [] } = ask(goal, messages, use)
  return toolCalls.map((call) => [call.name, JSON.parse(call.arguments)])
}

const answered = (call: ToolCall | undefined, content: unknown): Message[] => [
  { role: 'assistant', content: '', toolCalls: call ? [call] : [] },
  { role: 'tool', toolCallId: call?.id ?? '', content: JSON.stringify(content) },
]

describe('the demo model with functions', () => {
  for (const [goal, name, args] of [
    ["What's the weather in Paris?", 'get_weather', { location: 'Paris' }],
    [
      'get the weather for New York in fahrenheit',
      'get_weather',
      { location: 'New York', unit: 'fahrenheit' },
    ],
    ['Add 2 and 3.5', 'add_numbers', { a: 2, b: 3.5 }],
    [
      'Send an e-mail to ada@example.com with subject "Rock and roll"',
      'sendEmail',
      { to: 'ada@example.com', subject: 'Rock and roll' },
    ],
    ['delete the file "/tmp/x"', 'delete_file', { path: '/tmp/x' }],
  ] as const) {
    test(`reads ${JSON.stringify(goal)} as a call of ${name}`, () => {
      assert.deepEqual(wanted(goal), [[name, args]])
    })
  }

  test('makes one call after another for a goal of several parts, then tells all', () => {
    const goal = 'get the weather in Paris and check the weather in London, then add 4 and 5'
    const history: Message[] = []
    const seen: unknown[] = []
    for (let turn = 0; turn < 3; turn++) {
      const [call] = ask(goal, history).toolCalls ?? []
      seen.push(JSON.parse(call?.arguments ?? 'null'))
      history.push(...answered(call, { result: `r${turn}` }))
    }
    assert.deepEqual(seen, [{ location: 'Paris' }, { location: 'London' }, { a: 4, b: 5 }])
    const { text: told, toolCalls } = ask(goal, history)
    assert.equal(toolCalls, undefined)
    for (const word of ['r0', 'r1', 'r2', 'demo model']) assert.ok(told.includes(word), told)
  })

  test('never touches what was not asked for', () => {
    assert.deepEqual(wanted('Hello'), [])
    assert.deepEqual(wanted('Do not delete the file "/tmp/x"'), [])
    assert.deepEqual(wanted('Tell me about the file "/tmp/x"'), [])
    assert.deepEqual(wanted('What is 12 * 3?', [], { tools: [weather, remove] }), [])
  })

  test('answers without functions as it does where there are none', () => {
    assert.match(ask('What is 12 * 3?', [], { tools: [remove] }).text, /36/)
  })

  test('says what it misses instead of making it up', () => {
    const { text: said, toolCalls } = ask('Send an e-mail')
    assert.equal(toolCalls, undefined)
    assert.match(said, /To call sendEmail I need to/)
  })

  test('calls nothing where it may not, something where it must, and one where it is told which', () => {
    assert.deepEqual(wanted('weather in Paris', [], { toolChoice: 'none' }), [])
    const must = wanted('Hello there', [], { toolChoice: 'required' })
    assert.equal(must.length, 1)
    const [forced] = wanted('The invoice is from Ada', [], { toolChoice: { name: 'get_weather' } })
    assert.equal(forced?.[0], 'get_weather')
  })

  test('hands its answer in by a function where answers are taken so', () => {
    const finish = { name: 'final_answer', parameters: object({ answer: text }) }
    const use: ToolUse = { tools: [weather, finish], toolChoice: 'required' }
    const [call] = ask('weather in Paris', [], use).toolCalls ?? []
    assert.equal(call?.name, 'get_weather')
    const [last] = wanted('weather in Paris', answered(call, { sky: 'clear' }), use)
    assert.equal(last?.[0], 'final_answer')
    assert.match(String(last?.[1].answer), /clear/)
  })

  test('does the same with the same conversation, and gives each call a name of its own', () => {
    const goal = 'get the weather in Paris and get the weather in London'
    const first = ask(goal)
    assert.deepEqual(ask(goal), first)
    const next = ask(goal, answered(first.toolCalls?.[0], {}))
    assert.match(next.toolCalls?.[0]?.id ?? '', /^call_/)
    assert.notEqual(next.toolCalls?.[0]?.id, first.toolCalls?.[0]?.id)
  })

  test('stays quick whatever functions, goals and results it is given', () => {
    const nasty = `${'('.repeat(2000)} ${'and list '.repeat(400)}"'${'{'.repeat(2000)}`
    const tools = Array.from({ length: 128 }, (_, i) => ({
      name: `list_thing_${i}`,
      description: 'list things '.repeat(200),
      parameters: object({ [`a${'.'.repeat(50)}(${i}`]: text, '': text, query: text }),
    }))
    const [call] = ask(nasty, [], { tools }).toolCalls ?? []
    const deep = JSON.parse('{"a":['.repeat(500) + ']}'.repeat(500))
    ask(nasty, answered(call, { ...deep, items: Array(5000).fill({ id: 'x', name: 'y' }) }), {
      tools,
    })
  })
})
