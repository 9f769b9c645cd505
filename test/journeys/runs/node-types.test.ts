import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { P } from '../../support/server.ts'
import { smallFilm, smallPicture } from '../../support/small-media.ts'
import { onEachDatabase, out, single } from './node-setting.ts'
import { addWorkflow, type GraphNode, graph, run } from './setting.ts'

onEachDatabase((bench) => {
  test('inputs of every kind come out as they went in, defaults included', async () => {
    const { outputs } = await bench.completed(
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
        [
          't -> list',
          'n -> list',
          'b -> list',
          'j -> list',
          'd -> list',
          'o -> list',
          'list -> out',
        ],
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
      `data:image/png;base64,${bench.picture.toString('base64')}`,
      `${bench.url}/picture.png`,
    ]) {
      const { outputs } = await bench.completed(data, { p: given })
      assert.equal(outputs.out.mimeType, 'image/png')
      assert.ok(outputs.out.url.startsWith(`${bench.server.url}/media/`))
      assert.equal((await fetch(outputs.out.url)).status, 200)
    }
  })

  test('text, image and video are generated, and a picture can be made from a picture', async () => {
    const result = await bench.completed(
      graph(
        [
          { id: 'in', type: 'input.text' },
          { id: 'text', type: 'text.generate', data: { model: 'demo-text' } },
          { id: 'image', type: 'image.generate', data: { model: 'demo-image', ...smallPicture } },
          {
            id: 'again',
            type: 'image.generate',
            data: { model: 'demo-image', prompt: 'more blue', ...smallPicture },
          },
          {
            id: 'film',
            type: 'video.generate',
            data: { model: 'demo-video', prompt: 'waves', ...smallFilm },
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
    const { body } = await bench.server.call(`${P}/tasks/${image.taskId}`)
    assert.equal(body.data.source, 'WORKFLOW')
    assert.equal(body.data.runId, result.runId)
    assert.equal(body.data.nodeId, 'image')
  })

  test('text.generate in json mode gives the parsed answer', async () => {
    const prompt = 'Answer as JSON: {"topic":"billing|delivery"}. My parcel is late.'
    const { outputs } = await bench.completed(
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
    const { outputs } = await bench.completed(data, { in: { name: 'Lamp', prices: [3, 4] } })
    assert.deepEqual(outputs, { a: 'Lamp: 7 EUR', b: 7, c: ['Lamp: 7 EUR', 7] })
  })

  test('a condition takes one branch; the other is skipped, and its output is absent', async () => {
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
    const small = await bench.completed(data, { in: 3 })
    assert.deepEqual(small.outputs, { any: 'small 3' })
    assert.deepEqual(small.progress, { total: 7, completed: 5, skipped: 2, failed: 0 })
    assert.deepEqual((await bench.completed(data, { in: 30 })).outputs, {
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
    assert.deepEqual((await bench.completed(data, { in: ['a', 'b', 'c'] })).outputs.out, [
      '<a>',
      '<b>',
      '<c>',
    ])
    assert.deepEqual((await bench.completed(data, { in: [] })).outputs.out, [])
  })

  test('a workflow calls another, alone and for each item of a list', async () => {
    const inner = await addWorkflow(
      bench.server,
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
    assert.deepEqual((await bench.completed(outer, { in: ['x', 'y'] })).outputs, {
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
            url: `${bench.url}/echo/{{id}}`,
            query: { q: '{{id}}' },
            headers: { 'X-Token': 't-{{id}}' },
          },
        },
        { id: 'a', type: 'output' },
        { id: 'b', type: 'output' },
      ],
      ['in -> h.vars', 'in -> h.body', 'h.body -> a', 'h.status -> b'],
    )
    const { outputs } = await bench.completed(data, { in: { id: 'a/b' } })
    assert.deepEqual(outputs.a, {
      method: 'POST',
      path: '/echo/a%2Fb?q=a%2Fb',
      token: 't-a/b',
      body: '{"id":"a/b"}',
    })
    assert.equal(outputs.b, 200)
  })

  test('http.request asks a busy address again, but never before the time that it names', async () => {
    for (const [pause, status] of [
      [0, 200],
      [61, 503],
    ]) {
      const url = `${bench.url}/busy/${pause}/${randomUUID()}`
      const request = { id: 'h', type: 'http.request', data: { url, failOnHttpError: false } }
      const data = graph([request, out], ['h.status -> out'])
      assert.deepEqual((await bench.completed(data)).outputs, { out: status })
    }
  })

  test('browser nodes that no output needs are skipped; one that an output needs refuses the run', async () => {
    const side = graph(
      [{ id: 'in', type: 'input.text' }, { id: 'crop', type: 'browser.crop' }, out],
      ['in -> crop', 'in -> out'],
    )
    const result = await bench.completed(side, { in: 'x' })
    assert.equal(result.nodes[1].status, 'SKIPPED')
    const needed = graph(
      [{ id: 'in', type: 'input.text' }, { id: 'crop', type: 'browser.crop' }, out],
      ['in -> crop', 'crop -> out'],
    )
    const workflowId = await addWorkflow(bench.server, needed)
    const answer = await bench.server.call({
      method: 'POST',
      path: `${P}/workflows/${workflowId}/runs`,
      headers: { 'idempotency-key': 'k' },
      json: { inputs: { in: 'x' } },
    })
    assert.equal(answer.status, 422)
    assert.equal(answer.body.error.code, 'UNSUPPORTED_NODES')
  })

  test('the result of a browser node can be an input of the run, and the nodes behind it use it', async () => {
    const data = graph(
      [
        { id: 'in', type: 'input.text' },
        { id: 'crop', type: 'browser.crop', data: { label: 'Crop it' } },
        { id: 'again', type: 'image.generate', data: { model: 'demo-image', prompt: 'brighter' } },
        out,
        { id: 'made', type: 'output' },
        { id: 'late', type: 'text.generate', data: { model: 'gone', prompt: 'x' } },
      ],
      ['in -> crop', 'crop -> again.image', 'again -> out', 'crop -> made'],
    )
    const picture = await bench.completed(
      graph([{ id: 'p', type: 'input.image' }, out], ['p -> out']),
      { p: `data:image/png;base64,${bench.picture.toString('base64')}` },
    )
    const crop = picture.outputs.out
    const { outputs, nodes } = await bench.completed(data, { in: 'x', crop })
    assert.equal(nodes[1].status, 'COMPLETED')
    assert.equal(outputs.out.mimeType, 'image/png')
    assert.equal(outputs.made.sizeBytes, crop.sizeBytes)
    assert.equal((await fetch(outputs.made.url)).status, 200)
  })

  test('the input schema lists results of browser nodes as optional, and an estimate uses them', async () => {
    const data = graph(
      [
        { id: 'crop', type: 'browser.crop', data: { label: 'Crop it' } },
        { id: 'show', type: 'browser.compare' },
        {
          id: 'describe',
          type: 'text.generate',
          data: { model: 'demo-text', prompt: 'What is it?' },
        },
        out,
      ],
      ['crop -> show', 'crop -> describe.image', 'describe -> out'],
    )
    const workflowId = await addWorkflow(bench.server, data)
    const schema = await bench.server.call({ path: `${P}/workflows/${workflowId}/schema` })
    const { inputSchema } = schema.body.data
    assert.deepEqual(Object.keys(inputSchema.properties), ['crop'])
    assert.equal(inputSchema.properties.crop.title, 'Crop it')
    assert.equal(inputSchema.properties.crop['x-browser-node'], 'browser.crop')
    assert.deepEqual(inputSchema.required, [])
    const estimate = async (inputs: object) => {
      const answer = await bench.server.call({
        method: 'POST',
        path: `${P}/workflows/${workflowId}/estimate`,
        json: { inputs },
      })
      assert.equal(answer.status, 200)
      const nodes: { nodeId: string; calls: number }[] = answer.body.data.nodeEstimates
      return nodes.find(({ nodeId }) => nodeId === 'describe')?.calls
    }
    assert.equal(await estimate({}), 0)
    assert.equal(await estimate({ crop: { url: 'https://example.com/a.png' } }), 1)
  })

  test('ports may have any name', async () => {
    const data = graph(
      [
        { id: 'constructor', type: 'input.text' },
        {
          id: 't',
          type: 'text.template',
          data: { template: '{{__proto__}}{{toString}}', values: { toString: '!' } },
        },
        { id: 'toString', type: 'output' },
      ],
      ['constructor -> t.__proto__', 't -> toString'],
    )
    const { outputs } = await run(bench.server, data, { constructor: 'x' })
    assert.deepEqual(Object.entries(outputs), [['toString', 'x!']])
  })

  test('an empty graph runs and has no outputs', async () => {
    assert.deepEqual((await bench.completed(graph([]))).outputs, {})
  })

  test('a graph of 200 nodes in a row runs', async () => {
    const nodes: GraphNode[] = [{ id: 'n0', type: 'input.text' }]
    for (let i = 1; i < 200; i++)
      nodes.push({ id: `n${i}`, type: 'text.template', data: { template: '{{x}}.' } })
    const result = await bench.completed(
      graph(
        nodes,
        nodes.slice(1).map((_, i) => `n${i} -> n${i + 1}.x`),
      ),
      { n0: '' },
    )
    assert.equal(result.outputs.n199, '.'.repeat(199))
  })
})
