import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { P, startServer, type TestServer } from '../../support/server.ts'
import { addWorkflow, ended, type GraphNode, graph, run, started } from './setting.ts'

let server: TestServer
const host = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => {
    body += chunk
  })
  request.on('end', () => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://x')
    if (pathname === '/fails') return response.writeHead(500).end('no')
    if (pathname === '/moved') return response.writeHead(302, { location: '/echo' }).end()
    if (pathname === '/large') return response.end(Buffer.alloc(6 * 1024 * 1024, 'x'))
    if (pathname === '/picture.png') return response.end(picture)
    response.setHeader('content-type', 'application/json')
    const { method, headers } = request
    response.end(
      JSON.stringify({ method, path: pathname + search, token: headers['x-token'], body }),
    )
  })
})
let url = ''
let picture: Buffer

before(async () => {
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
  server = await startServer({ OUTBOUND_ALLOW: '127.0.0.1/32' })
  const made = await run(
    server,
    graph([{ id: 'i', type: 'image.generate', data: { model: 'demo-image', prompt: 'a door' } }]),
  )
  picture = Buffer.from(await (await fetch(made.outputs.i.image.url)).arrayBuffer())
})
after(async () => {
  await server.stop()
  host.close()
})

const ajv = new Ajv2020({ strict: false })
ajvFormats.default(ajv)

/** Runs it, and checks what every completed run promises. */
async function completed(data: object, inputs: object = {}) {
  const workflowId = await addWorkflow(server, data)
  const result = await ended(server, await started(server, workflowId, { inputs }))
  assert.equal(result.status, 'COMPLETED', JSON.stringify(result.nodeErrors))
  const { body } = await server.call(`${P}/workflows/${workflowId}/schema`)
  assert.ok(ajv.validate(body.data.outputSchema, result.outputs), JSON.stringify(ajv.errors))
  return result
}

const out = { id: 'out', type: 'output' }

/** One node fed by an input of JSON; its named port is the output. */
const single = (node: GraphNode, from: string, to: string) =>
  graph([{ id: 'in', type: 'input.json' }, node, out], [`in -> ${to}`, `${from} -> out`])

test('inputs of every kind come out as they went in, defaults included', async () => {
  const { outputs } = await completed(
    graph(
      [
        { id: 't', type: 'input.text' },
        { id: 'n', type: 'input.number' },
        { id: 'b', type: 'input.boolean' },
        { id: 'j', type: 'input.json' },
        { id: 'd', type: 'input.text', data: { default: 'fallback' } },
        { id: 'o', type: 'input.text', data: { required: false } },
        { id: 'list', type: 'flow.merge', data: { mode: 'object' } },
        out,
      ],
      ['t -> list', 'n -> list', 'b -> list', 'j -> list', 'd -> list', 'o -> list', 'list -> out'],
    ),
    { t: 'x', n: 1.5, b: false, j: { a: [null] } },
  )
  assert.deepEqual(outputs.out, {
    t: 'x',
    n: 1.5,
    b: false,
    j: { a: [null] },
    d: 'fallback',
    o: null,
  })
})

test('a picture given as a data URL or an address is taken in and served by us', async () => {
  const data = graph([{ id: 'p', type: 'input.image' }, out], ['p -> out'])
  for (const given of [
    `data:image/png;base64,${picture.toString('base64')}`,
    `${url}/picture.png`,
  ]) {
    const { outputs } = await completed(data, { p: given })
    assert.equal(outputs.out.mimeType, 'image/png')
    assert.ok(outputs.out.url.startsWith(`${server.url}/media/`))
    assert.equal((await fetch(outputs.out.url)).status, 200)
  }
})

test('text, image and video are generated, and a picture can be made from a picture', async () => {
  const result = await completed(
    graph(
      [
        { id: 'in', type: 'input.text' },
        { id: 'text', type: 'text.generate', data: { model: 'demo-text' } },
        { id: 'image', type: 'image.generate', data: { model: 'demo-image' } },
        { id: 'again', type: 'image.generate', data: { model: 'demo-image', prompt: 'more blue' } },
        {
          id: 'film',
          type: 'video.generate',
          data: { model: 'demo-video', prompt: 'waves', videoSeconds: 1 },
        },
        { id: 'a', type: 'output' },
        { id: 'b', type: 'output' },
        { id: 'c', type: 'output' },
      ],
      [
        'in -> text.prompt',
        'in -> image.prompt',
        'image -> again.image',
        'text -> a',
        'again -> b',
        'film -> c',
      ],
    ),
    { in: 'Summarize: the cat sat on the mat. It purred.' },
  )
  assert.equal(result.outputs.b.mimeType, 'image/png')
  assert.equal(result.outputs.c.mimeType, 'video/mp4')
  const image = result.nodes.find((node: { nodeId: string }) => node.nodeId === 'image')
  const { body } = await server.call(`${P}/tasks/${image.taskId}`)
  assert.equal(body.data.source, 'WORKFLOW')
  assert.equal(body.data.runId, result.runId)
  assert.equal(body.data.nodeId, 'image')
})

test('text.generate in json mode gives the parsed answer', async () => {
  const prompt = 'Answer as JSON: {"topic":"billing|delivery"}. My parcel is late.'
  const { outputs } = await completed(
    graph(
      [
        {
          id: 'g',
          type: 'text.generate',
          data: { model: 'demo-text', prompt, responseFormat: 'json' },
        },
        out,
      ],
      ['g.json -> out'],
    ),
  )
  assert.equal(typeof outputs.out, 'object')
})

test('template, transform and merge compute', async () => {
  const data = graph(
    [
      { id: 'in', type: 'input.json' },
      {
        id: 'sum',
        type: 'json.transform',
        data: { expression: '$sum(prices)', outputType: 'number' },
      },
      {
        id: 'text',
        type: 'text.template',
        data: { template: '{{order.name}}: {{total}} {{unit}}', values: { unit: 'EUR' } },
      },
      { id: 'first', type: 'flow.merge', data: {} },
      { id: 'all', type: 'flow.merge', data: { mode: 'list' } },
      { id: 'a', type: 'output' },
      { id: 'b', type: 'output' },
      { id: 'c', type: 'output' },
    ],
    [
      'in -> sum',
      'in -> text.order',
      'sum -> text.total',
      'sum -> first',
      'text -> first',
      'text -> all',
      'sum -> all',
      'text -> a',
      'first -> b',
      'all -> c',
    ],
  )
  const { outputs } = await completed(data, { in: { name: 'Lamp', prices: [3, 4] } })
  assert.deepEqual(outputs, { a: 'Lamp: 7 EUR', b: 7, c: ['Lamp: 7 EUR', 7] })
})

test('a condition takes one way; the other is skipped, and its output stays away', async () => {
  const data = graph(
    [
      { id: 'in', type: 'input.number' },
      { id: 'if', type: 'flow.condition', data: { expression: '$ > 10' } },
      { id: 'big', type: 'text.template', data: { template: 'big {{n}}' } },
      { id: 'small', type: 'text.template', data: { template: 'small {{n}}' } },
      { id: 'joined', type: 'flow.merge' },
      { id: 'onlyBig', type: 'output' },
      { id: 'any', type: 'output' },
    ],
    [
      'in -> if',
      'if.true -> big.n',
      'if.false -> small.n',
      'big -> joined',
      'small -> joined',
      'big -> onlyBig',
      'joined -> any',
    ],
  )
  const small = await completed(data, { in: 3 })
  assert.deepEqual(small.outputs, { any: 'small 3' })
  assert.deepEqual(small.progress, { total: 7, completed: 5, skipped: 2, failed: 0 })
  assert.deepEqual((await completed(data, { in: 30 })).outputs, {
    onlyBig: 'big 30',
    any: 'big 30',
  })
})

test('a map applies its step to each item in order; an empty list gives an empty list', async () => {
  const step = { type: 'text.template', data: { template: '<{{item}}>' } }
  const data = single(
    { id: 'm', type: 'flow.map', data: { apply: step, concurrency: 2 } },
    'm',
    'm',
  )
  assert.deepEqual((await completed(data, { in: ['a', 'b', 'c'] })).outputs.out, [
    '<a>',
    '<b>',
    '<c>',
  ])
  assert.deepEqual((await completed(data, { in: [] })).outputs.out, [])
})

test('a workflow calls another, alone and for each item of a list', async () => {
  const inner = await addWorkflow(
    server,
    graph(
      [
        { id: 'word', type: 'input.text' },
        { id: 't', type: 'text.template', data: { template: '{{w}}!' } },
        { id: 'loud', type: 'output' },
      ],
      ['word -> t.w', 't -> loud'],
    ),
  )
  const outer = graph(
    [
      { id: 'in', type: 'input.json' },
      { id: 'first', type: 'json.transform', data: { expression: '$[0]' } },
      { id: 'call', type: 'workflow.call', data: { workflowId: inner } },
      {
        id: 'each',
        type: 'flow.map',
        data: { apply: { type: 'workflow.call', data: { workflowId: inner } } },
      },
      { id: 'a', type: 'output' },
      { id: 'b', type: 'output' },
    ],
    ['in -> first', 'first -> call.word', 'in -> each', 'call.loud -> a', 'each -> b'],
  )
  assert.deepEqual((await completed(outer, { in: ['x', 'y'] })).outputs, {
    a: 'x!',
    b: ['x!', 'y!'],
  })
})

test('http.request fills its address, sends a body, and gives body, status and headers', async () => {
  const data = graph(
    [
      { id: 'in', type: 'input.json' },
      {
        id: 'h',
        type: 'http.request',
        data: {
          method: 'POST',
          url: `${url}/echo/{{id}}`,
          query: { q: '{{id}}' },
          headers: { 'X-Token': 't-{{id}}' },
        },
      },
      { id: 'a', type: 'output' },
      { id: 'b', type: 'output' },
    ],
    ['in -> h.vars', 'in -> h.body', 'h.body -> a', 'h.status -> b'],
  )
  const { outputs } = await completed(data, { in: { id: 'a/b' } })
  assert.deepEqual(outputs.a, {
    method: 'POST',
    path: '/echo/a%2Fb?q=a%2Fb',
    token: 't-a/b',
    body: '{"id":"a/b"}',
  })
  assert.equal(outputs.b, 200)
})

const failing: [name: string, node: GraphNode, code: string][] = [
  [
    'an answer of 400 or more',
    { id: 'h', type: 'http.request', data: { url: '/fails' } },
    'HTTP_FAILED',
  ],
  [
    'an answer over 5 MiB',
    { id: 'h', type: 'http.request', data: { url: '/large' } },
    'RESPONSE_TOO_LARGE',
  ],
  [
    'a private address',
    { id: 'h', type: 'http.request', data: { url: 'http://10.0.0.1/' } },
    'ADDRESS_BLOCKED',
  ],
  [
    'an expression that fails',
    { id: 'h', type: 'json.transform', data: { input: 1, expression: '$error("no")' } },
    'EXPRESSION_ERROR',
  ],
  [
    'an expression without end',
    {
      id: 'h',
      type: 'json.transform',
      data: { input: 1, expression: '($f := function($x){$f($x+1)}; $f(1))' },
    },
    'EXPRESSION_LIMIT',
  ],
  [
    'a result of another type',
    {
      id: 'h',
      type: 'json.transform',
      data: { input: 1, expression: '"a"', outputType: 'number' },
    },
    'TYPE_MISMATCH',
  ],
  [
    'a condition that gives no truth value',
    { id: 'h', type: 'flow.condition', data: { value: 1, expression: '"a"' } },
    'TYPE_MISMATCH',
  ],
  [
    'a list that is too long',
    {
      id: 'h',
      type: 'flow.map',
      data: {
        items: [1, 2, 3],
        maxItems: 2,
        apply: { type: 'text.template', data: { template: '{{i}}' } },
      },
    },
    'ITEM_LIMIT',
  ],
]
for (const [name, node, code] of failing) {
  test(`${name} fails the node with ${code}, and the run`, async () => {
    const data = node.data ?? {}
    const address =
      typeof data.url === 'string' && data.url.startsWith('/') ? { url: url + data.url } : {}
    const result = await run(server, graph([{ ...node, data: { ...data, ...address } }]))
    assert.equal(result.status, 'FAILED')
    assert.deepEqual(
      result.nodeErrors.map((e: { nodeId: string; code: string }) => [e.nodeId, e.code]),
      [['h', code]],
    )
    assert.equal(result.outputs, null)
    assert.equal(result.nodes[0].status, 'FAILED')
  })
}

test('redirects are answers, not followed', async () => {
  const { outputs } = await completed(
    graph(
      [{ id: 'h', type: 'http.request', data: { url: `${url}/moved` } }, out],
      ['h.status -> out'],
    ),
  )
  assert.equal(outputs.out, 302)
})

test('a failure inside a called workflow is told at the node that calls it', async () => {
  const inner = await addWorkflow(
    server,
    graph([
      { id: 'bad', type: 'json.transform', data: { input: 1, expression: '$error("inside")' } },
    ]),
  )
  const result = await run(
    server,
    graph([{ id: 'call', type: 'workflow.call', data: { workflowId: inner } }]),
  )
  assert.equal(result.status, 'FAILED')
  assert.equal(result.nodeErrors[0].code, 'SUBWORKFLOW_FAILED')
  assert.match(result.nodeErrors[0].message, /"bad".*inside/)
})

test('a value of the wrong type never enters a called workflow', async () => {
  const inner = await addWorkflow(
    server,
    graph([{ id: 'n', type: 'input.number', data: { maximum: 5 } }, out], ['n -> out']),
  )
  const call = { id: 'call', type: 'workflow.call', data: { workflowId: inner } }
  for (const given of ['seven', 7]) {
    const result = await run(server, single(call, 'call', 'call.n'), { in: given })
    assert.equal(result.nodeErrors[0].code, 'TYPE_MISMATCH')
  }
})

test('the first failure stops scheduling; what never started is cancelled', async () => {
  const result = await run(
    server,
    graph(
      [
        { id: 'bad', type: 'json.transform', data: { input: 1, expression: '$error("no")' } },
        { id: 'later', type: 'text.template', data: { template: '{{x}}' } },
        out,
      ],
      ['bad -> later.x', 'later -> out'],
    ),
  )
  assert.deepEqual(
    result.nodes.map((node: { status: string }) => node.status),
    ['FAILED', 'CANCELLED', 'CANCELLED'],
  )
  assert.deepEqual(result.progress, { total: 3, completed: 0, skipped: 0, failed: 1 })
})

test('browser nodes that no output needs are skipped; one that an output needs refuses the run', async () => {
  const side = graph(
    [{ id: 'in', type: 'input.text' }, { id: 'crop', type: 'browser.crop' }, out],
    ['in -> crop', 'in -> out'],
  )
  const result = await completed(side, { in: 'x' })
  assert.equal(result.nodes[1].status, 'SKIPPED')
  const needed = graph(
    [{ id: 'in', type: 'input.text' }, { id: 'crop', type: 'browser.crop' }, out],
    ['in -> crop', 'crop -> out'],
  )
  const workflowId = await addWorkflow(server, needed)
  const answer = await server.call({
    method: 'POST',
    path: `${P}/workflows/${workflowId}/runs`,
    headers: { 'idempotency-key': 'k' },
    json: { inputs: { in: 'x' } },
  })
  assert.equal(answer.status, 422)
  assert.equal(answer.body.error.code, 'UNSUPPORTED_NODES')
})

test('nodes and ports may have any name', async () => {
  const data = graph(
    [
      { id: 'constructor', type: 'input.text' },
      {
        id: 't',
        type: 'text.template',
        data: { template: '{{__proto__}}{{toString}}', values: { toString: '!' } },
      },
      { id: '__proto__', type: 'output' },
    ],
    ['constructor -> t.__proto__', 't -> __proto__'],
  )
  const { outputs } = await run(server, data, { constructor: 'x' })
  assert.deepEqual(Object.entries(outputs), [['__proto__', 'x!']])
})

test('an empty graph runs and gives nothing', async () => {
  assert.deepEqual((await completed(graph([]))).outputs, {})
})

test('a graph of 200 nodes in a row runs', async () => {
  const nodes: GraphNode[] = [{ id: 'n0', type: 'input.text' }]
  for (let i = 1; i < 200; i++)
    nodes.push({ id: `n${i}`, type: 'text.template', data: { template: '{{x}}.' } })
  const result = await completed(
    graph(
      nodes,
      nodes.slice(1).map((_, i) => `n${i} -> n${i + 1}.x`),
    ),
    { n0: '' },
  )
  assert.equal(result.outputs.n199, '.'.repeat(199))
})
