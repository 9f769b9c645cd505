import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NodeExecution } from '#graph/node/node-type.ts'
import { asStored } from '#graph/node/port-values.ts'
import { findNodeType } from '#graph/types/table.ts'
import { graph, node, validate, wire } from './graphs.ts'
import { execution, media, runPlan } from './run-plan.ts'

async function execute(
  type: string,
  config: Record<string, unknown>,
  ports: Record<string, unknown>,
  services: Partial<NodeExecution> = {},
) {
  const found = findNodeType(type)
  assert.ok(found?.execute)
  return found.execute(execution(services), { ports, merged: [] }, config)
}

const failsWith = (code: string) => (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === code

test('a template reads values as text: objects as JSON, media as address, nothing as nothing', async () => {
  const template = '{{s}}|{{n}}|{{o}}|{{m}}|{{nothing}}|{{ nothing.part }}|{{o.list.1}}'
  const ports = {
    s: 'a',
    n: 1.5,
    o: { list: [1, 2] },
    m: media('https://x.test/a.png'),
    nothing: null,
  }
  assert.deepEqual(await execute('text.template', { template }, ports), {
    text: 'a|1.5|{"list":[1,2]}|https://x.test/a.png|||2',
  })
})

const holes: [template: string, message: string][] = [
  ['{{text.title}}', '{{text.title}} has no value: text is a text, which has no members.'],
  ['{{ text.length }}', '{{text.length}} has no value: text is a text, which has no members.'],
  ['{{order.nmae}}', '{{order.nmae}} has no value: order has the members name, lines.'],
  [
    '{{order.lines.2}}',
    '{{order.lines.2}} has no value: order.lines is a list, whose members are 0 to 1.',
  ],
  ['{{order.toString}}', '{{order.toString}} has no value: order has the members name, lines.'],
  ['{{none.0}}', '{{none.0}} has no value: none is an empty list.'],
  ['{{other}}', '{{other}} has no value: given are text, order, none.'],
]
for (const [template, message] of holes) {
  test(`${template} that leads nowhere fails instead of leaving a hole`, async () => {
    const ports = { text: 'a', order: { name: 'b', lines: [1, 2] }, none: [] }
    const code = 'EXPRESSION_ERROR'
    await assert.rejects(async () => execute('text.template', { template }, ports), {
      code,
      message,
    })
    let isAsked = false
    const httpRequest = async () => {
      isAsked = true
      return { status: 200, headers: {}, body: '' }
    }
    const config = { url: `https://api.test/${template}` }
    const vars = { vars: ports }
    await assert.rejects(async () => execute('http.request', config, vars, { httpRequest }), {
      code,
      message,
    })
    assert.equal(isAsked, false)
  })
}

test('a value cannot bring a placeholder or a replacement pattern of its own', async () => {
  assert.deepEqual(
    await execute('text.template', { template: '{{a}}{{b}}' }, { a: '{{b}} $& $1', b: 'B' }),
    { text: '{{b}} $& $1B' },
  )
})

test('a list whose results grow too large together is not mapped to its end', async () => {
  let asked = 0
  const httpRequest = async () => {
    asked++
    return { status: 200, headers: {}, body: 'x'.repeat(3_000_000) }
  }
  const apply = { type: 'http.request', data: { url: 'https://x.test/' }, itemPort: 'body' }
  await assert.rejects(
    async () =>
      execute(
        'flow.map',
        { apply, concurrency: 1 },
        { items: Array(50).fill('item') },
        { httpRequest },
      ),
    failsWith('EXPRESSION_LIMIT'),
  )
  assert.equal(asked, 3)
})

test('a template cannot be made to grow without end', async () => {
  const template = '{{a}}'.repeat(1000)
  await assert.rejects(
    async () => execute('text.template', { template }, { a: 'x'.repeat(100_000) }),
    failsWith('EXPRESSION_LIMIT'),
  )
})

test('a value whose members are shared many times is refused before it is serialised', async () => {
  let value: unknown = ['x'.repeat(1000)]
  for (let i = 0; i < 40; i++) value = [value, value]
  await assert.rejects(
    async () => execute('text.template', { template: '{{a}}' }, { a: value }),
    failsWith('EXPRESSION_LIMIT'),
  )
})

test('a merge returns the first value, the list or the object of the values, in order', async () => {
  const merge = findNodeType('flow.merge')
  const merged = [
    { source: 'b', value: 2 },
    { source: 'a', value: 1 },
  ]
  const run = (mode?: string) => merge?.execute?.(execution(), { ports: {}, merged }, { mode })
  assert.deepEqual(await run(), { output: 2 })
  assert.deepEqual(await run('list'), { output: [2, 1] })
  assert.deepEqual(await run('object'), { output: { b: 2, a: 1 } })
})

test('a condition passes its value to one branch and accepts only true or false', async () => {
  const decide = (outcome: unknown) =>
    execute(
      'flow.condition',
      { expression: 'x' },
      { value: { v: 1 } },
      { evaluateExpression: async () => outcome },
    )
  assert.deepEqual(await decide(true), { true: { v: 1 } })
  assert.deepEqual(await decide(false), { false: { v: 1 } })
  await assert.rejects(() => decide('yes'), failsWith('TYPE_MISMATCH'))
})

const outputTypes: [string, unknown, unknown][] = [
  ['text', 5, '5'],
  ['number', 5, 5],
  ['list', [1], [1]],
  ['json', { a: 1 }, { a: 1 }],
  ['image', 'https://x.test/a.png', media('https://x.test/a.png', 'image/any')],
]
for (const [outputType, value, expected] of outputTypes) {
  test(`a transform of type ${outputType} gives that type`, async () => {
    const services = { evaluateExpression: async () => value }
    assert.deepEqual(
      await execute('json.transform', { expression: 'x', outputType }, { input: 1 }, services),
      {
        output: expected,
      },
    )
  })
}

for (const [outputType, value] of [
  ['number', '5'],
  ['list', {}],
  ['boolean', 1],
  ['image', 'nowhere'],
  ['video', null],
]) {
  test(`a transform of type ${outputType} that gives ${JSON.stringify(value)} fails`, async () => {
    await assert.rejects(
      () =>
        execute(
          'json.transform',
          { expression: 'x', outputType },
          { input: 1 },
          { evaluateExpression: async () => value },
        ),
      failsWith('TYPE_MISMATCH'),
    )
  })
}

test('an answer of thousands of line breaks in a code fence is not JSON, and no burden', async () => {
  const generateText = async () => ({
    text: `\`\`\`${'\n'.repeat(4_000)}`,
    finish: 'stop' as const,
  })
  await assert.rejects(
    execute(
      'text.generate',
      { model: 'text', responseFormat: 'json' },
      { prompt: ['x'] },
      { generateText },
    ),
    failsWith('TYPE_MISMATCH'),
  )
})

test('a text node sends what is set and parses JSON, fenced or bare', async () => {
  const calls: unknown[] = []
  const answers = ['{"a":1}', '```json\n{"a":2}\n```', 'no json']
  const services: Partial<NodeExecution> = {
    generateText: async (call) => {
      calls.push(call)
      return { text: answers[calls.length - 1] ?? '', finish: 'stop' }
    },
  }
  const config = { model: 'text', maxTokens: 5, responseFormat: 'json', credential: 'mine' }
  const run = () =>
    execute('text.generate', config, { prompt: ['x'], system: 'be brief' }, services)
  assert.deepEqual(await run(), { text: '{"a":1}', json: { a: 1 } })
  assert.deepEqual((await run()).json, { a: 2 })
  await assert.rejects(run, failsWith('TYPE_MISMATCH'))
  assert.deepEqual(calls[0], {
    model: 'text',
    prompt: '["x"]',
    system: 'be brief',
    image: undefined,
    temperature: undefined,
    maxTokens: 5,
    responseFormat: 'json',
    credential: 'mine',
  })
})

test('an image node accepts a picture by address or as media, and returns the first and all results', async () => {
  const seen: unknown[] = []
  const made = [media('https://m.test/1.png'), media('https://m.test/2.png')].map(asStored)
  const services: Partial<NodeExecution> = {
    createMediaTask: async (call) => {
      seen.push(call.image)
      return made
    },
  }
  const run = (image: unknown) =>
    execute('image.generate', { model: 'image' }, { prompt: 'x', image }, services)
  assert.deepEqual(await run('https://x.test/a.png'), { image: made[0], images: made })
  await run(made[1])
  await run(null)
  assert.deepEqual(seen, [media('https://x.test/a.png', 'image/any'), made[1], undefined])
  await assert.rejects(() => run(5), failsWith('TYPE_MISMATCH'))
})

test('a value that claims to be media is fetched and checked, unless it is from the store', async () => {
  const read = (value: unknown, outputType = 'image') =>
    execute(
      'json.transform',
      { expression: '$', outputType },
      { input: 1 },
      { evaluateExpression: async () => value },
    )
  const claimed = { url: 'https://x.test/a.png', mimeType: 'image/png', sizeBytes: 'many' }
  assert.deepEqual(await read(claimed), { output: media('https://x.test/a.png', 'image/any') })
  const ours = asStored(media('https://m.test/1.png'))
  assert.deepEqual(await read(ours), { output: ours })
  await assert.rejects(() => read(ours, 'video'), failsWith('TYPE_MISMATCH'))
  for (const url of ['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', '']) {
    await assert.rejects(() => read({ url, mimeType: 'image/png' }), failsWith('TYPE_MISMATCH'))
  }
})

for (const [type, config] of [
  ['text.generate', { model: 'text' }],
  ['image.generate', { model: 'image' }],
  ['video.generate', { model: 'video' }],
] as const) {
  test(`${type} calls nothing if its prompt is empty`, async () => {
    for (const prompt of ['', ' \n\t', null]) {
      await assert.rejects(
        async () => execute(type, config, { prompt }),
        failsWith('INVALID_REQUEST'),
      )
    }
  })
}

test('an http node fills path, query and headers from vars, percent-encoded, never the host', async () => {
  const calls: Parameters<NodeExecution['httpRequest']>[0][] = []
  const services: Partial<NodeExecution> = {
    httpRequest: async (call) => {
      calls.push(call)
      return { status: 200, headers: { 'content-type': 'application/json' }, body: '{"ok":true}' }
    },
  }
  const config = {
    method: 'POST',
    url: 'https://api.test/users/{{id}}?a={{id}}',
    query: { q: '{{word}} &', n: 1 },
    headers: { 'X-Token': 'Bearer {{token}}' },
  }
  const vars = { id: '../admin?x=1#', word: 'a&b=c', token: 'T' }
  assert.deepEqual(await execute('http.request', config, { vars, body: { a: 1 } }, services), {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: { ok: true },
  })
  assert.deepEqual(calls[0], {
    method: 'POST',
    url: 'https://api.test/users/..%2Fadmin%3Fx%3D1%23?a=..%2Fadmin%3Fx%3D1%23&q=a%26b%3Dc+%26&n=1',
    headers: { 'content-type': 'application/json', 'x-token': 'Bearer T' },
    body: '{"a":1}',
    timeoutMs: 30_000,
  })
  await assert.rejects(
    () => execute('http.request', config, { vars: { ...vars, token: 'a\r\nb' } }, services),
    failsWith('HTTP_FAILED'),
  )
})

test('an address of 2048 characters is sent, and a longer one is refused with its length', async () => {
  const sent: string[] = []
  const services = {
    httpRequest: async ({ url }: { url: string }) => {
      sent.push(url)
      return { status: 200, headers: {}, body: '' }
    },
  }
  const config = { url: 'https://api.test/{{id}}', query: { q: '{{word}}' } }
  const rest = 'https://api.test/?q='.length
  const vars = { id: 'a'.repeat(1_000), word: 'b'.repeat(1_048 - rest) }
  await execute('http.request', config, { vars }, services)
  assert.deepEqual(
    sent.map((url) => url.length),
    [2_048],
  )
  await assert.rejects(
    () => execute('http.request', config, { vars: { ...vars, word: `${vars.word}b` } }, services),
    (error: Error) => failsWith('HTTP_FAILED')(error) && /2049 .*2048/.test(error.message),
  )
  assert.equal(sent.length, 1)
})

test('an http node fails on an error status unless told not to, and reads text as text', async () => {
  const services = {
    httpRequest: async () => ({
      status: 404,
      headers: { 'content-type': 'text/plain' },
      body: 'gone',
    }),
  }
  const url = 'https://api.test/'
  await assert.rejects(
    () => execute('http.request', { url }, {}, services),
    failsWith('HTTP_FAILED'),
  )
  const kept = await execute('http.request', { url, failOnHttpError: false }, {}, services)
  assert.deepEqual([kept.status, kept.body], [404, 'gone'])
  await assert.rejects(
    () =>
      execute('http.request', { url, failOnHttpError: false, responseType: 'json' }, {}, services),
    failsWith('HTTP_FAILED'),
  )
})

test('a map keeps the order, limits its concurrency, and limits the list', async () => {
  let now = 0
  let most = 0
  const services: Partial<NodeExecution> = {
    generateText: async ({ prompt }) => {
      most = Math.max(most, ++now)
      await new Promise((resolve) => setImmediate(resolve))
      now--
      return { text: prompt.toUpperCase(), finish: 'stop' }
    },
  }
  const config = {
    apply: { type: 'text.generate', data: { model: 'text' } },
    concurrency: 2,
    maxItems: 5,
  }
  const run = (items: unknown) => execute('flow.map', config, { items }, services)
  assert.deepEqual(await run(['a', 'b', 'c', 'd', 'e']), { results: ['A', 'B', 'C', 'D', 'E'] })
  assert.equal(most, 2)
  await assert.rejects(() => run(['1', '2', '3', '4', '5', '6']), failsWith('ITEM_LIMIT'))
  await assert.rejects(() => run('abc'), failsWith('TYPE_MISMATCH'))
})

test('a map passes each item to the named port and takes the other ports from data', async () => {
  const seen: unknown[] = []
  const services: Partial<NodeExecution> = {
    generateText: async (call) => {
      seen.push([call.prompt, call.image?.url])
      return { text: 'x', finish: 'stop' }
    },
  }
  const apply = {
    type: 'text.generate',
    data: { model: 'text', prompt: 'Look' },
    itemPort: 'image',
  }
  await execute('flow.map', { apply }, { items: [media('https://m.test/1.png')] }, services)
  assert.deepEqual(seen, [['Look', 'https://m.test/1.png']])
})

test('a call passes its ports to the workflow and returns its outputs', async () => {
  const services: Partial<NodeExecution> = {
    callWorkflow: async (workflowId, inputs) => ({ id: workflowId, got: inputs }),
  }
  assert.deepEqual(await execute('workflow.call', { workflowId: 7 }, { name: 'Ana' }, services), {
    id: 7,
    got: { name: 'Ana' },
  })
})

test('an input returns the given value, its default, or null; media become stored files', async () => {
  const data = graph(
    [
      node('given', 'input.text'),
      node('preset', 'input.number', { default: 4 }),
      node('absent', 'input.json', { required: false }),
      node('photo', 'input.image'),
      ...['a', 'b', 'c', 'd'].map((id) => node(id, 'output')),
    ],
    [wire('given', 'a'), wire('preset', 'b'), wire('absent', 'c'), wire('photo', 'd')],
  )
  const { plan } = await validate(data)
  assert.ok(plan)
  assert.deepEqual(await runPlan(plan, { given: 'x', photo: 'https://x.test/p.png' }, {}), {
    a: 'x',
    b: 4,
    c: null,
    d: media('https://x.test/p.png', 'image/any'),
  })
})
