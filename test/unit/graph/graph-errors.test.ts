import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codesOf, graph, node, small, validate, wire } from './graphs.ts'

const errorsOf = async (data: unknown, options = {}) =>
  (await validate(data, options)).validation.errors

/** The only error of a graph. */
async function onlyError(data: unknown, options = {}) {
  const errors = await errorsOf(data, options)
  assert.equal(errors.length, 1, JSON.stringify(errors))
  assert.ok(errors[0])
  return errors[0]
}

test('a sound graph is valid and counted', async () => {
  const { validation } = await validate(small())
  assert.deepEqual(validation, {
    valid: true,
    errors: [],
    warnings: [],
    unsupportedNodes: [],
    nodeCount: 4,
    connectionCount: 3,
  })
})

for (const data of [null, 1, 'graph', [], {}, { nodes: {}, connections: 'none' }]) {
  test(`${JSON.stringify(data)} is reported as not being a graph`, async () => {
    assert.deepEqual(await codesOf(data), ['INVALID_NODE', 'INVALID_CONNECTION'])
  })
}

const oddNodes: [string, unknown, string][] = [
  ['a node that is no object', 'node', '/nodes/0'],
  ['a node without id', { type: 'output', data: {} }, '/nodes/0/id'],
  ['an id with a space', node('a b', 'input.text'), '/nodes/0/id'],
  ['an id of 65 characters', node('a'.repeat(65), 'input.text'), '/nodes/0/id'],
  ['an id that is a number', { id: 1, type: 'input.text', data: {} }, '/nodes/0/id'],
  ['a type that is no string', { id: 'a', type: 1, data: {} }, '/nodes/0/type'],
  ['a node without data', { id: 'a', type: 'input.text' }, '/nodes/0/data'],
  ['data that is a list', { id: 'a', type: 'input.text', data: [] }, '/nodes/0/data'],
  ['a position without y', { ...node('a', 'input.text'), position: { x: 1 } }, '/nodes/0/position'],
  ['a position that is null', { ...node('a', 'input.text'), position: null }, '/nodes/0/position'],
]
for (const [name, odd, path] of oddNodes) {
  test(`${name} is an INVALID_NODE at its path`, async () => {
    const error = await onlyError(graph([odd]))
    assert.equal(error.code, 'INVALID_NODE')
    assert.equal(error.path, path)
  })
}

test('a second node of the same id is a DUPLICATE_NODE_ID that names the first', async () => {
  const error = await onlyError(graph([node('a', 'input.text'), node('a', 'input.number')]))
  assert.equal(error.code, 'DUPLICATE_NODE_ID')
  assert.equal(error.path, '/nodes/1/id')
  assert.equal(error.nodeId, 'a')
  assert.match(error.message, /node 0/)
})

for (const type of ['text.generat', '', '__proto__', 'constructor', 'browser.', 'browser.a b']) {
  test(`the type "${type}" is an UNKNOWN_NODE_TYPE`, async () => {
    const error = await onlyError(graph([node('a', type)]))
    assert.equal(error.code, 'UNKNOWN_NODE_TYPE')
    assert.equal(error.nodeId, 'a')
  })
}

test('a setting of the wrong type is an INVALID_CONFIG at its pointer', async () => {
  const data = graph([
    node('a', 'text.generate', { model: 'text', prompt: 'x', temperature: 'hot' }),
  ])
  const error = await onlyError(data)
  assert.deepEqual(error, {
    code: 'INVALID_CONFIG',
    path: '/nodes/0/data/temperature',
    message: 'temperature must be a number.',
    nodeId: 'a',
  })
})

test('an expression that cannot be parsed is an INVALID_EXPRESSION, also inside a map', async () => {
  const data = graph(
    [
      node('list', 'input.json'),
      node('pick', 'json.transform', { expression: '((( ' }),
      node('each', 'flow.map', {
        apply: { type: 'json.transform', data: { expression: '(((' } },
      }),
      node('way', 'flow.condition', { expression: '(((' }),
    ],
    [wire('list', 'pick'), wire('list', 'each'), wire('list', 'way')],
  )
  const errors = await errorsOf(data)
  assert.deepEqual(
    errors.map(({ code, path, nodeId }) => [code, path, nodeId]),
    [
      ['INVALID_EXPRESSION', '/nodes/1/data/expression', 'pick'],
      ['INVALID_EXPRESSION', '/nodes/2/data/apply/data/expression', 'each'],
      ['INVALID_EXPRESSION', '/nodes/3/data/expression', 'way'],
    ],
  )
})

const oddConnections: [string, unknown, string][] = [
  ['a connection that is no object', 7, '/connections/0'],
  ['a connection without source', { target: 'b' }, '/connections/0/source'],
  ['a target that is a number', { source: 'a', target: 2 }, '/connections/0/target'],
  [
    'a handle that is a number',
    { source: 'a', target: 'b', targetHandle: 0 },
    '/connections/0/targetHandle',
  ],
  ['an id that is an object', { id: {}, source: 'a', target: 'b' }, '/connections/0/id'],
]
for (const [name, odd, path] of oddConnections) {
  test(`${name} is an INVALID_CONNECTION at its path`, async () => {
    const nodes = [node('a', 'input.text'), node('b', 'output', { value: 1 })]
    const error = await onlyError(graph(nodes, [odd]))
    assert.equal(error.code, 'INVALID_CONNECTION')
    assert.equal(error.path, path)
    assert.equal(error.connectionIndex, 0)
  })
}

test('a connection to a missing node is an UNKNOWN_NODE for each end', async () => {
  const errors = await errorsOf(graph([], [wire('ghost', 'spirit')]))
  assert.deepEqual(
    errors.map(({ code, path }) => [code, path]),
    [
      ['UNKNOWN_NODE', '/connections/0/source'],
      ['UNKNOWN_NODE', '/connections/0/target'],
    ],
  )
})

test('a missing port is an UNKNOWN_PORT that names the existing ones', async () => {
  const data = small()
  data.connections.push(wire('topic', 'write.sytem'))
  const error = await onlyError(data)
  assert.equal(error.code, 'UNKNOWN_PORT')
  assert.equal(error.path, '/connections/3/targetHandle')
  assert.match(error.message, /prompt, system, image/)
})

test('a renamed placeholder is one UNKNOWN_PORT, at the connection that lost it', async () => {
  const data = small()
  data.nodes[1] = node('ask', 'text.template', { template: 'Write about {{subject}}.' })
  const error = await onlyError(data)
  assert.equal(error.code, 'UNKNOWN_PORT')
  assert.match(error.message, /no input port "topic": connect one of subject, or remove/)
  data.nodes[1] = node('ask', 'text.template', { template: 'On {{subject}} in {{language}}.' })
  assert.deepEqual(await codesOf(data), [
    'UNKNOWN_PORT',
    'REQUIRED_PORT_UNCONNECTED',
    'REQUIRED_PORT_UNCONNECTED',
  ])
})

test('an output node has no output port', async () => {
  const data = small()
  data.connections.push(wire('result', 'write.system'))
  const codes = await codesOf(data)
  assert.deepEqual(codes, ['UNKNOWN_PORT', 'CYCLE'])
})

test('the json port is there in json mode only', async () => {
  const build = (settings: object) =>
    graph(
      [
        node('a', 'text.generate', { model: 'text', prompt: 'x', ...settings }),
        node('b', 'output'),
      ],
      [wire('a.json', 'b')],
    )
  assert.deepEqual(await codesOf(build({ responseFormat: 'json' })), [])
  assert.equal((await codesOf(build({})))[0], 'UNKNOWN_PORT')
})

test('a text into a number is a PORT_TYPE_MISMATCH', async () => {
  const data = graph(
    [node('t', 'input.text'), node('i', 'image.generate', { model: 'image', prompt: 'x' })],
    [wire('t', 'i.image')],
  )
  const error = await onlyError(data)
  assert.equal(error.code, 'PORT_TYPE_MISMATCH')
  assert.match(error.message, /text cannot go into image/)
})

test('a second connection into a port is PORT_ALREADY_CONNECTED, but not into a merge', async () => {
  const nodes = [node('a', 'input.text'), node('b', 'input.text'), node('m', 'flow.merge')]
  assert.deepEqual(await codesOf(graph(nodes, [wire('a', 'm'), wire('b', 'm')])), [])
  const single = [...nodes.slice(0, 2), node('m', 'output')]
  const error = await onlyError(graph(single, [wire('a', 'm'), wire('b', 'm')]))
  assert.equal(error.code, 'PORT_ALREADY_CONNECTED')
  assert.equal(error.connectionIndex, 1)
})

test('the same connection twice is a DUPLICATE_CONNECTION, by default port or by name', async () => {
  const nodes = [node('a', 'input.text'), node('m', 'flow.merge')]
  const twice = graph(nodes, [
    { source: 'a', target: 'm' },
    { source: 'a', sourceHandle: 'value', target: 'm', targetHandle: null },
  ])
  const error = await onlyError(twice)
  assert.equal(error.code, 'DUPLICATE_CONNECTION')
  assert.equal(error.connectionIndex, 1)
})

test('a required port without connection or value is REQUIRED_PORT_UNCONNECTED', async () => {
  const error = await onlyError(graph([node('w', 'text.generate', { model: 'text' })]))
  assert.equal(error.code, 'REQUIRED_PORT_UNCONNECTED')
  assert.equal(error.nodeId, 'w')
  assert.match(error.message, /data\.prompt/)
})

test('a value in data fills a port, and must fit it', async () => {
  const write = (prompt: unknown) => graph([node('w', 'text.generate', { model: 'text', prompt })])
  assert.deepEqual(await codesOf(write('Say hello')), [])
  const error = await onlyError(write(['no', 'text']))
  assert.equal(error.code, 'INVALID_CONFIG')
  assert.equal(error.path, '/nodes/0/data/prompt')
})

test('a cycle is reported once, with its path', async () => {
  const data = graph(
    ['a', 'b', 'c', 'd'].map((id) => node(id, 'flow.merge')),
    [wire('a', 'b'), wire('b', 'c'), wire('c', 'a'), wire('c', 'd')],
  )
  const error = await onlyError(data)
  assert.equal(error.code, 'CYCLE')
  assert.match(error.message, /a → b → c → a/)
})

test('every strongly connected component has its own CYCLE, and so has a node connected to itself', async () => {
  const data = graph(
    ['a', 'b', 'c', 'd', 'e'].map((id) => node(id, 'flow.merge')),
    [
      wire('a', 'a'),
      wire('b', 'c'),
      wire('c', 'b'),
      wire('c', 'd'),
      wire('d', 'e'),
      wire('e', 'd'),
    ],
  )
  const errors = await errorsOf(data)
  assert.deepEqual(
    errors.map(({ code, message }) => [code, /cycle: (.*?)\./.exec(message)?.[1]]).sort(),
    [
      ['CYCLE', 'a → a'],
      ['CYCLE', 'b → c → b'],
      ['CYCLE', 'd → e → d'],
    ],
  )
})

test('201 nodes are TOO_MANY_NODES and 1001 connections TOO_MANY_CONNECTIONS', async () => {
  const nodes = Array.from({ length: 201 }, (_, i) => node(`n${i}`, 'input.text'))
  const connections = Array.from({ length: 1001 }, () => wire('n0', 'n1'))
  assert.deepEqual(await codesOf(graph(nodes, connections)), [
    'TOO_MANY_NODES',
    'TOO_MANY_CONNECTIONS',
  ])
  assert.deepEqual(await codesOf(graph(nodes.slice(0, 200))), [])
})

test('all problems come in one answer, a hundred at most', async () => {
  const data = graph(
    [
      node('a', 'nothing'),
      node('b', 'text.generate', { temperature: 'x', maxTokens: 0 }),
      node('b', 'output'),
    ],
    [wire('a', 'ghost'), 1],
  )
  const codes = await codesOf(data)
  assert.deepEqual([...codes].sort(), [
    'DUPLICATE_NODE_ID',
    'INVALID_CONFIG',
    'INVALID_CONFIG',
    'INVALID_CONFIG',
    'INVALID_CONNECTION',
    'REQUIRED_PORT_UNCONNECTED',
    'UNKNOWN_NODE',
    'UNKNOWN_NODE_TYPE',
  ])
  const many = graph(Array.from({ length: 150 }, () => 1))
  assert.equal((await codesOf(many)).length, 100)
})

test('a message is a whole sentence and quotes no more than it must', async () => {
  const data = graph([node('a', 'x'.repeat(5000))], [wire('y'.repeat(5000), 'a')])
  for (const error of await errorsOf(data)) {
    assert.match(error.message, /\.$/)
    assert.ok(error.message.length < 500)
  }
})
