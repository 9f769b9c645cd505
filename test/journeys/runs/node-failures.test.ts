import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase, out, single } from './node-setting.ts'
import { addWorkflow, type GraphNode, graph, run } from './setting.ts'

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
    'an answer nested 9,000 levels deep',
    { id: 'h', type: 'http.request', data: { url: '/deep' } },
    'TOO_DEEP',
  ],
  [
    'a result nested too deeply',
    {
      id: 'h',
      type: 'json.transform',
      data: { input: 1, expression: '$reduce([1..80], function($a, $b) { [[$a]] }, 1)' },
    },
    'TOO_DEEP',
  ],
  [
    'an address that does not answer within timeoutMs',
    { id: 'h', type: 'http.request', data: { url: '/never', method: 'POST', timeoutMs: 50 } },
    'NODE_TIMEOUT',
  ],
  [
    'half a character in an address',
    {
      id: 'h',
      type: 'http.request',
      data: { url: '/{{x}}', vars: { x: 'a\ud800' } },
    },
    'HTTP_FAILED',
  ],
  [
    'half a character in a query',
    {
      id: 'h',
      type: 'http.request',
      data: { url: '/', query: { q: '{{x}}' }, vars: { x: 'a\ud800' } },
    },
    'HTTP_FAILED',
  ],
  [
    'a script that claims to be a picture',
    {
      id: 'h',
      type: 'json.transform',
      data: {
        input: 1,
        expression: '{"url": "javascript:alert(1)", "mimeType": "image/png", "sizeBytes": 1}',
        outputType: 'image',
      },
    },
    'TYPE_MISMATCH',
  ],
  [
    'a prompt without a word',
    { id: 'h', type: 'image.generate', data: { model: 'demo-image', prompt: ' ' } },
    'INVALID_REQUEST',
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

onEachDatabase((bench) => {
  for (const [name, node, code] of failing) {
    test(`${name} fails the node with ${code}, and the run`, async () => {
      const data = node.data ?? {}
      const address =
        typeof data.url === 'string' && data.url.startsWith('/')
          ? { url: bench.url + data.url }
          : {}
      const result = await run(bench.server, graph([{ ...node, data: { ...data, ...address } }]))
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
    const { outputs } = await bench.completed(
      graph(
        [{ id: 'h', type: 'http.request', data: { url: `${bench.url}/moved` } }, out],
        ['h.status -> out'],
      ),
    )
    assert.equal(outputs.out, 302)
  })

  test('a failure inside a called workflow is reported at the node that calls it', async () => {
    const inner = await addWorkflow(
      bench.server,
      graph([
        { id: 'bad', type: 'json.transform', data: { input: 1, expression: '$error("inside")' } },
      ]),
    )
    const result = await run(
      bench.server,
      graph([{ id: 'call', type: 'workflow.call', data: { workflowId: inner } }]),
    )
    assert.equal(result.status, 'FAILED')
    assert.equal(result.nodeErrors[0].code, 'SUBWORKFLOW_FAILED')
    assert.match(result.nodeErrors[0].message, /"bad".*inside/)
  })

  test('a value of the wrong type never enters a called workflow', async () => {
    const inner = await addWorkflow(
      bench.server,
      graph([{ id: 'n', type: 'input.number', data: { maximum: 5 } }, out], ['n -> out']),
    )
    const call = { id: 'call', type: 'workflow.call', data: { workflowId: inner } }
    for (const given of ['seven', 7]) {
      const result = await run(bench.server, single(call, 'call', 'call.n'), { in: given })
      assert.equal(result.nodeErrors[0].code, 'TYPE_MISMATCH')
    }
  })

  test('the first failure stops scheduling; what never started is cancelled', async () => {
    const result = await run(
      bench.server,
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
})
