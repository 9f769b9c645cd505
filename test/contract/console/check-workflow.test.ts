import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeTypes } from '#graph/types/table.ts'
import { graph } from '../../journeys/runs/setting.ts'
import { P } from '../../support/server.ts'
import { addWorkflow, at, dataOf, onBothDatabases, refusedAs } from './setting.ts'

const valid = graph(
  [
    { id: 'topic', type: 'input.text' },
    { id: 'say', type: 'text.template', data: { template: 'On {{topic}}' } },
    { id: 'answer', type: 'output' },
  ],
  ['topic -> say.topic', 'say -> answer'],
)

onBothDatabases('checking a graph that is not stored', (on) => {
  const check = (json: object) =>
    at(on.owner, '/workflows/check', { method: 'POST', json: json as object })
  const checked = async (json: object) => {
    const answer = await check(json)
    assert.equal(answer.status, 200, answer.text)
    return answer.body.data
  }

  test('the node types served are those of the table, each with ports and titled settings', async () => {
    const { items, portTypes, accepts } = await dataOf(on.owner, '/node-types')
    const served = items.map((item: { type: string }) => item.type)
    for (const { type } of nodeTypes) assert.ok(served.includes(type), type)
    assert.ok(served.includes('browser.crop'))
    assert.equal(portTypes.length, 8)
    assert.deepEqual(accepts.number, ['number', 'json', 'any'])
    const text = items.find((item: { type: string }) => item.type === 'text.generate')
    assert.equal(text.config.properties.maxTokens.title, 'Longest answer')
    assert.equal(text.config.properties.temperature.title, 'Temperature')
    assert.deepEqual(text.modelKinds, ['TEXT', 'CODE'])
    assert.deepEqual(text.portsDependOn, ['responseFormat'])
  })

  test('one that takes too long may be asked again: nothing can have been done', async () => {
    const path = '/api/console/v1/openapi.json'
    const { paths } = (await on.server.call({ path, key: null })).body
    const { responses } = paths['/api/console/v1/workflows/check'].post
    assert.doesNotMatch(JSON.stringify(responses), /OUTCOME_UNKNOWN/)
    assert.match(JSON.stringify(responses['503']), /SERVICE_UNAVAILABLE/)
  })

  test('a valid graph has ports, schemas and an estimate', async () => {
    const { validation, ports, schema, estimate, inputIssues } = await checked({ data: valid })
    assert.equal(validation.valid, true)
    assert.deepEqual(ports.say.inputs, [{ name: 'topic', type: 'any', required: true }])
    assert.deepEqual(schema.inputSchema.required, ['topic'])
    assert.equal(estimate.estimatedCost, 0)
    assert.deepEqual(inputIssues, [])
  })

  test('a browser node is warned of until what it made is given', async () => {
    const data = graph(
      [
        { id: 'photo', type: 'input.image' },
        { id: 'crop', type: 'browser.crop' },
        { id: 'answer', type: 'output' },
      ],
      ['photo -> crop', 'crop -> answer'],
    )
    const codes = async (inputs: object) =>
      (await checked({ data, inputs })).validation.warnings.map((one: { code: string }) => one.code)
    assert.deepEqual(await codes({}), ['UNSUPPORTED_NODE'])
    assert.deepEqual(await codes({ crop: 'https://example.com/part.png' }), [])
  })

  test('a half-built graph has its problems, and the ports of what can be told', async () => {
    const data = {
      ...valid,
      nodes: [...valid.nodes, { id: 'new', type: 'image.generate', data: {} }, { id: 'bad' }, 7],
    }
    const { validation, ports, schema, estimate } = await checked({ data })
    assert.equal(validation.valid, false)
    assert.deepEqual([schema, estimate], [null, null])
    assert.deepEqual(Object.keys(ports), ['topic', 'say', 'answer', 'new'])
    const codes = validation.errors.map((error: { code: string }) => error.code)
    assert.ok(codes.includes('REQUIRED_PORT_UNCONNECTED'), codes.join())
  })

  test('anything that is an object is answered, also without nodes', async () => {
    const { validation, ports } = await checked({ data: { nodes: 'none' } })
    assert.equal(validation.valid, false)
    assert.deepEqual(ports, {})
  })

  test('a node called __proto__ is a problem and nothing worse', async () => {
    const { validation, ports } = await checked({
      data: graph([{ id: '__proto__', type: 'input.text' }]),
    })
    assert.equal(validation.errors[0].code, 'INVALID_NODE')
    assert.deepEqual(ports, {})
  })

  test('inputs are checked, and enter the estimate', async () => {
    const wrong = await checked({ data: valid, inputs: { topic: 5 } })
    assert.equal(wrong.inputIssues[0].path, '/inputs/topic')
    assert.equal(wrong.estimate, null)
    assert.equal(wrong.validation.valid, true)
    const data = graph(
      [
        { id: 'topic', type: 'input.text' },
        { id: 'write', type: 'text.generate', data: { model: 'demo-text', maxTokens: 10 } },
      ],
      ['topic -> write.prompt'],
    )
    const short = await checked({ data, inputs: { topic: 'a' } })
    const long = await checked({ data, inputs: { topic: 'word '.repeat(400) } })
    const tokens = (answer: typeof short) => answer.estimate.nodeEstimates[1].units.inputTokens
    assert.ok(tokens(long) > tokens(short))
  })

  test('a workflow that calls itself is found, directly and through another', async () => {
    const self = await addWorkflow(on, valid)
    const call = (workflowId: number) =>
      graph([{ id: 'call', type: 'workflow.call', data: { workflowId, topic: 'x' } }])
    const direct = await checked({ workflowId: self, data: call(self) })
    assert.equal(direct.validation.errors[0].code, 'SUBWORKFLOW_RECURSION')
    assert.equal(direct.validation.errors[0].nodeId, 'call')
    const through = await addWorkflow(on, call(self))
    const indirect = await checked({ workflowId: self, data: call(through) })
    assert.equal(indirect.validation.errors[0].code, 'SUBWORKFLOW_RECURSION')
    const other = await checked({ data: call(self) })
    assert.equal(other.validation.valid, true, JSON.stringify(other.validation))
    assert.deepEqual(
      other.ports.call.inputs.map((port: { name: string }) => port.name),
      ['topic'],
    )
  })

  test("another account's workflow is neither checked against nor called", async () => {
    const mine = await addWorkflow(on, valid)
    const asStranger = await at(on.stranger, '/workflows/check', {
      method: 'POST',
      json: { workflowId: mine, data: valid },
    })
    refusedAs(asStranger, 404, 'WORKFLOW_NOT_FOUND')
    const calling = await dataOf(on.stranger, '/workflows/check', {
      method: 'POST',
      json: { data: graph([{ id: 'c', type: 'workflow.call', data: { workflowId: mine } }]) },
    })
    assert.equal(calling.validation.errors[0].code, 'SUBWORKFLOW_NOT_FOUND')
  })

  test('what is no graph at all is refused, and so are other members', async () => {
    for (const json of [{}, { data: [] }, { data: {}, workflowId: '1' }, { data: {}, more: 1 }]) {
      refusedAs(await check(json), 400, 'INVALID_REQUEST')
    }
    const large = { data: { nodes: [], connections: [], pad: 'x'.repeat(5 * 1024 * 1024) } }
    refusedAs(await check(large), 413, 'PAYLOAD_TOO_LARGE')
  })

  test('nobody is told anything without a session, and no other page may ask', async () => {
    const call = { method: 'POST', path: '/api/console/v1/workflows/check', key: null }
    const body = { json: { data: valid } }
    const sameOrigin = { headers: { origin: on.server.url } }
    refusedAs(await on.server.call({ ...call, ...body, ...sameOrigin }), 401, 'AUTH_REQUIRED')
    const foreign = await at(on.owner, '/workflows/check', {
      method: 'POST',
      ...body,
      headers: { origin: 'https://elsewhere.example' },
    })
    refusedAs(foreign, 403, 'ORIGIN_NOT_ALLOWED')
  })

  test('the console API describes itself', async () => {
    const { body } = await on.server.call({ path: '/api/console/v1/openapi.json', key: null })
    assert.equal(body.openapi, '3.1.0')
    const described = body.paths['/api/console/v1/workflows/check'].post
    assert.equal(described.operationId, 'checkWorkflow')
    assert.ok(described.responses[404])
    assert.equal(body.paths[`${P}/models`], undefined)
    const { text } = await on.server.call({ path: '/docs', key: null })
    assert.ok(text.includes('id="checkWorkflow"'))
  })
})
