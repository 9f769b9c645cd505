import assert from 'node:assert/strict'
import { test } from 'node:test'
import { graph, node, small, validate, wire } from './graphs.ts'

const check = async (data: unknown, options = {}) => (await validate(data, options)).validation

test('an empty graph is valid, with a warning', async () => {
  const { valid, warnings } = await check(graph([]))
  assert.ok(valid)
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['NO_OUTPUT'],
  )
})

const misspelt: [
  type: string,
  data: Record<string, unknown>,
  path: string,
  meant: string | null,
][] = [
  ['text.generate', { model: 'text', promt: 'x' }, '/promt', 'prompt'],
  ['text.generate', { model: 'text', prompt: 'x', max_tokens: 5 }, '/max_tokens', 'maxTokens'],
  ['text.generate', { model: 'text', prompt: 'x', 'a/b': 5 }, '/a~1b', null],
  ['input.text', { requird: true }, '/requird', 'required'],
  ['text.template', { templte: '{{a}}' }, '/templte', 'template'],
  ['text.template', { template: '{{name}}', nmae: 'x' }, '/nmae', 'name'],
  ['output', { vlaue: 1 }, '/vlaue', 'value'],
  ['http.request', { url: 'https://example.com/', header: {} }, '/header', 'headers'],
  [
    'flow.map',
    { items: [], apply: { type: 'text.generate', data: { model: 'text', temprature: 1 } } },
    '/apply/data/temprature',
    'temperature',
  ],
  [
    'flow.map',
    { items: [], apply: { type: 'text.template', data: { template: '{{item}}' }, itmePort: 'x' } },
    '/apply/itmePort',
    'itemPort',
  ],
]
for (const [type, data, path, meant] of misspelt) {
  test(`${type} with ${path}: a warning${meant ? ` that names "${meant}"` : ''}`, async () => {
    const { warnings } = await check(graph([node('n', type, data)]))
    const found = warnings.filter(({ code }) => code === 'UNKNOWN_SETTING')
    assert.deepEqual(
      found.map((one) => [one.path, one.nodeId]),
      [[`/nodes/0/data${path}`, 'n']],
    )
    const hint = /Did you mean "(.*)"\?/.exec(found[0]?.message ?? '')?.[1] ?? null
    assert.equal(hint, meant)
  })
}

test('keys for drawing, values of ports and browser tools are not unknown settings', async () => {
  const drawing = { label: 'A', position: {}, 'x-colour': 'red', _zoom: 1, note: 'later' }
  const { warnings } = await check(
    graph([
      node('a', 'text.generate', { model: 'text', prompt: 'x', system: 'y', ...drawing }),
      node('b', 'text.template', { template: '{{a.b}} {{c}}', values: { a: 1 }, c: 2 }),
      node('d', 'browser.crop', { anything: 1 }),
      node('o', 'output', { value: 1 }),
    ]),
  )
  assert.deepEqual(
    warnings.filter(({ code }) => code === 'UNKNOWN_SETTING'),
    [],
  )
})

const url = 'https://example.com/'
const holes: [
  name: string,
  node: ReturnType<typeof node>,
  wires: ReturnType<typeof wire>[],
  found: [path: string, message: RegExp][],
][] = [
  [
    'a member of a text',
    node('n', 'text.template', { template: '{{a.title}} {{a.title}} {{b.x}} {{a}}' }),
    [wire('said', 'n.a'), wire('data', 'n.b')],
    [['/template', /^\{\{a\.title\}\} has no value: a is a text, which has no members\. A run/]],
  ],
  [
    'a member that a constant lacks',
    node('n', 'text.template', { template: '{{a.y}} {{a.x}}', values: { a: { x: 1 } } }),
    [],
    [['/template', /^\{\{a\.y\}\} has no value: a has the members x\./]],
  ],
  [
    'names in a request without vars',
    node('n', 'http.request', { url: `${url}{{id}}`, headers: { 'x-a': '{{t}}' } }),
    [],
    [
      ['/url', /^\{\{id\}\} has no value: none are given/],
      ['/headers/x-a', /^\{\{t\}\} has/],
    ],
  ],
  [
    'names in a request whose vars only the run knows',
    node('n', 'http.request', { url: `${url}{{id}}` }),
    [wire('data', 'n.vars')],
    [],
  ],
  [
    'a time that a text cannot name',
    node('n', 'wait.delay', { until: '{{when}}' }),
    [wire('said', 'n.value')],
    [['/until', /^\{\{when\}\} has no value/]],
  ],
  [
    'what a callback is given besides the value',
    node('n', 'wait.callback', { request: { url: `${url}{{callbackUrl}}?{{value}}&{{x}}` } }),
    [wire('said', 'n.value')],
    [['/request/url', /^\{\{x\}\} has no value/]],
  ],
]
for (const [name, hole, wires, found] of holes) {
  test(`${name}: placeholders that lead nowhere are warned of`, async () => {
    const nodes = [node('said', 'input.text'), node('data', 'input.json'), hole]
    const { valid, warnings } = await check(graph(nodes, wires))
    assert.ok(valid)
    const unresolved = warnings.filter(({ code }) => code === 'UNRESOLVED_PLACEHOLDER')
    assert.deepEqual(
      unresolved.map(({ path, nodeId }) => [path, nodeId]),
      found.map(([path]) => [`/nodes/2/data${path}`, 'n']),
    )
    for (const [i, [, message]] of found.entries())
      assert.match(unresolved[i]?.message ?? '', message)
  })
}

test('a hundred unknown settings are enough', async () => {
  const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`setting${i}`, i]))
  const { warnings } = await check(graph([node('o', 'output', { value: 1, ...many })]))
  assert.equal(warnings.length, 100)
})

test('for a graph without an output node a warning says what becomes the outputs', async () => {
  const { warnings } = await check(
    graph([node('write', 'text.generate', { model: 'text', prompt: 'x' })]),
  )
  assert.equal(warnings[0]?.code, 'NO_OUTPUT')
  assert.match(String(warnings[0]?.message), /"write"/)
})

test('a node that no output depends on is an UNREACHABLE_NODE, unless it has side effects', async () => {
  const data = small()
  data.nodes.push(
    node('idle', 'text.template', { template: 'x' }),
    node('call', 'http.request', { url: 'https://example.com/' }),
  )
  const { warnings } = await check(data)
  assert.deepEqual(
    warnings.map(({ code, nodeId }) => [code, nodeId]),
    [['UNREACHABLE_NODE', 'idle']],
  )
})

test('a node that needs both branches of a condition can never run', async () => {
  const data = graph(
    [
      node('in', 'input.text'),
      node('way', 'flow.condition', { expression: 'true' }),
      node('both', 'text.template', { template: '{{a}}{{b}}' }),
      node('out', 'output'),
    ],
    [
      wire('in', 'way'),
      wire('way.true', 'both.a'),
      wire('way.false', 'both.b'),
      wire('both', 'out'),
    ],
  )
  const { warnings } = await check(data)
  assert.deepEqual(
    warnings.map(({ code, nodeId }) => [code, nodeId]),
    [
      ['UNREACHABLE_NODE', 'both'],
      ['UNREACHABLE_NODE', 'out'],
    ],
  )
})

const unavailable: [string, string][] = [
  ['nowhere', 'MODEL_UNAVAILABLE'],
  ['disabled', 'MODEL_UNAVAILABLE'],
  ['keyless', 'PROVIDER_NOT_CONFIGURED'],
]
for (const [model, reason] of unavailable) {
  test(`the model "${model}" leaves the graph valid, with a warning and the reason ${reason}`, async () => {
    const data = graph(
      [node('w', 'text.generate', { model, prompt: 'x' }), node('o', 'output')],
      [wire('w', 'o')],
    )
    const { valid, warnings, unsupportedNodes } = await check(data)
    assert.ok(valid)
    assert.deepEqual(
      warnings.map(({ code, nodeId }) => [code, nodeId]),
      [['MODEL_UNAVAILABLE', 'w']],
    )
    assert.deepEqual(
      unsupportedNodes.map(({ nodeId, type, reason: told }) => [nodeId, type, told]),
      [['w', 'text.generate', reason]],
    )
  })
}

test('a model inside a map is checked too', async () => {
  const data = graph(
    [
      node('l', 'input.json'),
      node('m', 'flow.map', { apply: { type: 'image.generate', data: { model: 'nowhere' } } }),
    ],
    [wire('l', 'm')],
  )
  const { unsupportedNodes } = await check(data)
  assert.equal(unsupportedNodes[0]?.nodeId, 'm')
})

test('a browser node accepts and returns anything, and is reported as unsupported', async () => {
  const data = graph(
    [node('a', 'input.image'), node('crop', 'browser.crop', { box: [1, 2] }), node('o', 'output')],
    [wire('a', 'crop.picture'), wire('crop.result', 'o')],
  )
  const { valid, warnings, unsupportedNodes } = await check(data)
  assert.ok(valid)
  assert.equal(warnings[0]?.code, 'UNSUPPORTED_NODE')
  assert.deepEqual(
    unsupportedNodes.map(({ nodeId, type, reason }) => [nodeId, type, reason]),
    [['crop', 'browser.crop', 'BROWSER_ONLY']],
  )
})

test('a model that its vendor ends is named, with the day and what to use instead', async () => {
  const ending = { model: 'ending', prompt: 'x' }
  const { valid, warnings } = await check(
    graph([
      node('soon', 'text.generate', ending),
      node('over', 'text.generate', { model: 'ended', prompt: 'x' }),
      node('each', 'flow.map', { items: [], apply: { type: 'text.generate', data: ending } }),
    ]),
  )
  assert.ok(valid)
  const retiring = warnings.filter(({ code }) => code === 'MODEL_RETIRING')
  assert.deepEqual(
    retiring.map(({ nodeId, message }) => [nodeId, message]),
    [
      ['soon', 'Model "ending" will be shut down on 2027-01-06. Use "text".'],
      ['over', 'Model "ended" was shut down on 2026-01-06. Choose another model.'],
      ['each', 'Model "ending" will be shut down on 2027-01-06. Use "text".'],
    ],
  )
})
