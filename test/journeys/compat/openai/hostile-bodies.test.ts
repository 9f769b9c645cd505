import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { rounds } from '../../../support/rounds.ts'
import type { Call } from '../../../support/server.ts'
import { newCustomer } from '../../generation/setting.ts'
import { openGateway } from './setting.ts'

/** Mostly the right shape with something odd in it, because plain junk is refused at its start. */
const odd = (...usual: unknown[]) => fc.oneof(fc.constantFrom(...usual), fc.jsonValue())

const text = odd('Hi', '', [{ type: 'text', text: 'Hi' }], [{ type: 'input_text', text: 'Hi' }])
const tool = fc.record(
  { type: odd('function', 'custom'), name: odd('f'), function: odd({ name: 'f' }) },
  { requiredKeys: [] },
)
const part = fc.record(
  {
    type: odd('text', 'image', 'tool_use', 'tool_result', 'thinking', 'input_image', 'message'),
    id: odd('a'),
    tool_use_id: odd('a'),
    call_id: odd('a'),
    name: odd('f'),
    input: odd({}),
    arguments: odd('{}'),
    output: odd('x'),
    text: odd('Hi'),
    source: odd({ type: 'base64', media_type: 'image/png', data: '!' }),
    image_url: odd('data:image/png;base64,!'),
    encrypted_content: odd('openai.x'),
    content: text,
    role: odd('user', 'assistant'),
  },
  { requiredKeys: [] },
)
const messages = odd([{ role: 'user', content: 'Hi' }]).chain((usual) =>
  fc.oneof(
    fc.constant(usual),
    fc.array(fc.record({ role: odd('user', 'assistant'), content: fc.array(part) })),
  ),
)
const common = {
  temperature: odd(1),
  top_p: odd(1),
  tools: fc.oneof(fc.array(tool), fc.jsonValue()),
  tool_choice: odd('auto', { type: 'function', name: 'f' }, { type: 'tool', name: 'f' }),
}

/** By path: fields that its reader looks at. The demo models answer what is acceptable. */
const routes = {
  '/v1/chat/completions': {
    model: odd('demo-text'),
    messages,
    ...common,
    n: odd(1),
    logit_bias: odd({}),
  },
  '/v1/responses': {
    model: odd('demo-text'),
    input: fc.oneof(text, fc.array(part)),
    text: odd({ format: { type: 'json_schema', name: 'x', schema: {} } }),
    reasoning: odd({ effort: 'low' }),
    ...common,
  },
  '/v1/messages': {
    model: odd('demo-text'),
    max_tokens: odd(9),
    messages,
    system: text,
    output_config: odd({ format: { type: 'json_schema', schema: {} } }),
    stop_sequences: odd(['x']),
    ...common,
  },
  '/v1/messages/count_tokens': { model: odd('demo-text'), messages, system: text, ...common },
  '/v1/embeddings': {
    model: odd('demo-embedding'),
    input: odd('Hi', ['a', 'b'], [1], [[1]]),
    dimensions: odd(16),
    encoding_format: odd('float', 'base64'),
  },
  // A model that does not exist: whatever is acceptable is refused in the end, and nothing drawn.
  '/v1/images/generations': {
    model: odd('nobody'),
    prompt: odd('Hi'),
    n: odd(1, 2),
    size: odd('512x512', 'auto'),
    quality: odd('high'),
    response_format: odd('url'),
  },
}

test('no body that a client can send gives an error of the server', async (t) => {
  const bench = await openGateway(t)
  const { key } = await newCustomer(bench)
  for (const [path, fields] of Object.entries(routes)) {
    await t.test(path, async () => {
      const body = fc.oneof(
        {
          weight: 5,
          arbitrary: fc.record(fields as Record<string, fc.Arbitrary<unknown>>, {
            requiredKeys: [],
          }),
        },
        { weight: 1, arbitrary: fc.jsonValue() },
      )
      const seen = new Set<number>()
      await fc.assert(
        fc.asyncProperty(body, async (json) => {
          const answer = await bench.call({ method: 'POST', path, key, json })
          seen.add(answer.status)
          assert.ok(answer.status < 500, `${answer.status} ${answer.text} ${JSON.stringify(json)}`)
        }),
        { numRuns: rounds(150) },
      )
      assert.ok(seen.has(400))
    })
  }
})

test('every route has the rules of our own: credentials, scopes, limits', async (t) => {
  const bench = await openGateway(t)
  const limited = await openGateway(t, {
    env: { RATE_LIMIT_CHAT: '2', RATE_LIMIT_GENERATION: '2' },
  })
  const { key: readsOnly } = await newCustomer(bench, { scopes: ['models:read'] })
  const { key } = await newCustomer(limited)
  const headers = { 'content-type': 'application/json' }
  for (const path of Object.keys(routes)) {
    const send = (call: Partial<Call>) => bench.call({ method: 'POST', path, json: {}, ...call })
    assert.equal((await send({ key: null })).status, 401, path)
    assert.equal((await send({ key: 'sk_nobody' })).status, 401, path)
    assert.equal((await send({ key: readsOnly })).status, 403, path)
    const isChat = /completions|responses|messages/.test(path)
    const body = Buffer.alloc((isChat ? 71 : 11) * 1024 * 1024, ' ')
    assert.equal((await send({ json: undefined, headers, body })).status, 413, path)
    const statuses = []
    for (let i = 0; i < 3; i++) {
      statuses.push((await limited.call({ method: 'POST', path, json: {}, key })).status)
    }
    assert.equal(statuses.at(-1), 429, path)
  }
})
