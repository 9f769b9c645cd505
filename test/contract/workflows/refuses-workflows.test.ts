import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { emptyGraph, migrations, openApi } from './api.ts'

let database: TestDatabase
let api: ReturnType<typeof openApi>
const [sqlite] = databases
before(async () => {
  assert.ok(sqlite)
  database = await sqlite.open({ migrations })
  api = openApi(database.db)
})
after(async () => {
  await api.close()
  await database.close()
})

const good = { name: 'x', data: emptyGraph }
const refused: [string, unknown][] = [
  ['no body members', {}],
  ['a name that is a number', { ...good, name: 5 }],
  ['an empty name', { ...good, name: '' }],
  ['a name of spaces', { ...good, name: '   ' }],
  ['a name of 201 characters', { ...good, name: 'x'.repeat(201) }],
  ['a name with a zero byte', { ...good, name: 'a\u0000b' }],
  ['a name that is not well-formed text', { ...good, name: 'a\ud800b' }],
  ['a name with a line break', { ...good, name: 'a\nb' }],
  ['data without connections', { ...good, data: { nodes: [] } }],
  ['data that is null', { ...good, data: null }],
  ['nodes that are strings', { ...good, data: { nodes: ['a'], connections: [] } }],
  ['201 nodes', { ...good, data: { nodes: Array(201).fill({}), connections: [] } }],
  ['1001 connections', { ...good, data: { nodes: [], connections: Array(1001).fill({}) } }],
  ['a scale that is text', { ...good, canvasScale: '1' }],
  ['an unknown member', { ...good, nmae: 'x' }],
]
for (const [name, body] of refused) {
  test(`${name}: 422 WORKFLOW_INVALID, and nothing is stored`, async () => {
    const before = (await api.call('listWorkflows')).data.total
    const { status, code, details } = await api.call('createWorkflow', { body })
    assert.deepEqual([status, code], [422, 'WORKFLOW_INVALID'])
    assert.ok(details.issues[0].path.startsWith('/'))
    assert.equal((await api.call('listWorkflows')).data.total, before)
  })
}

test('a graph that is not valid is refused with every problem, its code and its place', async () => {
  const data = {
    nodes: [
      { id: 'a', type: 'text.generate', data: { model: 'demo-text' } },
      { id: 'b', type: 'nothing', data: {} },
      { id: 'c', type: 'json.transform', data: { expression: 'a.(', input: 1 } },
      { id: 'd', type: 'input.json', data: { schema: { type: 'string', minLength: '1' } } },
    ],
    connections: [{ source: 'x', target: 'a' }],
  }
  const { status, details } = await api.call('createWorkflow', { body: { name: 'x', data } })
  assert.equal(status, 422)
  assert.deepEqual(
    details.issues.map(({ code, path, nodeId, rule }: Record<string, string>) => [
      code,
      path,
      nodeId,
      rule,
    ]),
    [
      ['UNKNOWN_NODE_TYPE', '/data/nodes/1/type', 'b', 'graph'],
      ['UNKNOWN_NODE', '/data/connections/0/source', undefined, 'graph'],
      ['REQUIRED_PORT_UNCONNECTED', '/data/nodes/0', 'a', 'graph'],
      ['INVALID_EXPRESSION', '/data/nodes/2/data/expression', 'c', 'graph'],
      ['INVALID_CONFIG', '/data/nodes/3/data/schema', 'd', 'graph'],
    ],
  )
})

test('a graph over a limit is told so with the codes of graphs, also where it would be stored', async () => {
  const { id: workflowId } = await api.create()
  const nodes = Array.from({ length: 201 }, (_, i) => ({ id: `n${i}`, type: 'output', data: {} }))
  const connections = Array(1001).fill({ source: 'a', target: 'b' })
  const graphs = {
    TOO_MANY_NODES: { nodes, connections: [] },
    TOO_MANY_CONNECTIONS: { nodes: [], connections },
  }
  for (const [code, data] of Object.entries(graphs)) {
    const checked = await api.call('validateWorkflow', { body: { data } })
    assert.equal(checked.data.errors[0].code, code)
    for (const outcome of [
      await api.call('createWorkflow', { body: { name: 'x', data } }),
      await api.call('updateWorkflow', { workflowId, body: { data } }),
    ]) {
      assert.deepEqual([outcome.status, outcome.code], [422, 'WORKFLOW_INVALID'])
      assert.equal(outcome.details.issues[0].code, code)
    }
  }
})

test('no node can be called "__proto__": a body with such a key is refused', async () => {
  const node = (type: string) => ({ id: '__proto__', type, data: {} })
  for (const type of ['input.text', 'output']) {
    const data = { nodes: [node(type)], connections: [] }
    const { data: outcome } = await api.call('validateWorkflow', { body: { data } })
    assert.deepEqual(
      [outcome.valid, outcome.errors[0].code, outcome.errors[0].path],
      [false, 'INVALID_NODE', '/nodes/0/id'],
    )
  }
})

test('a change with nothing in it, or only read-only members, is refused', async () => {
  const { id } = await api.create()
  for (const body of [{}, { version: 3 }, { name: null }]) {
    const { status } = await api.call('updateWorkflow', { workflowId: id, body })
    assert.equal(status, 422)
  }
})

test('checks come in order: headers, body, 404, 412, the meaning of the graph', async () => {
  const { id } = await api.create()
  const odd = { workflowId: 999_999, body: { nmae: 'x' }, ifMatch: 'v1' }
  for (const operation of ['updateWorkflow', 'deleteWorkflow'] as const) {
    const { status, details } = await api.call(operation, odd)
    assert.deepEqual([status, details.issues[0].path], [400, '/headers/If-Match'])
  }
  assert.equal((await api.call('updateWorkflow', { ...odd, ifMatch: '"v9"' })).status, 422)
  const bad = { data: { nodes: [{}], connections: [] } }
  const change = (workflowId: number, ifMatch: string) =>
    api.call('updateWorkflow', { workflowId, body: bad, ifMatch })
  assert.equal((await change(999_999, '"v9"')).status, 404)
  assert.equal((await change(id, '"v9"')).status, 412)
  assert.equal((await change(id, '"v1"')).status, 422)
})

for (const workflowId of ['0', '-1', '1.5', 'abc', '01', '9007199254740993']) {
  test(`the id "${workflowId}" is refused as such`, async () => {
    const { status, code } = await api.call('getWorkflow', { workflowId })
    assert.deepEqual([status, code], [400, 'INVALID_REQUEST'])
  })
}

test('validation answers 200 for what is valid and what is not, and 400 without data', async () => {
  const check = (body: unknown) => api.call('validateWorkflow', { body })
  const fine = await check({ data: emptyGraph, other: 'ignored' })
  assert.deepEqual([fine.status, fine.data.valid], [200, true])
  const wrong = await check({ data: { nodes: 1 } })
  assert.deepEqual([wrong.status, wrong.data.valid, wrong.data.errors.length], [200, false, 2])
  for (const body of [{}, { data: null }, { data: [] }, { data: 'x' }]) {
    const { status, code } = await check(body)
    assert.deepEqual([status, code], [400, 'INVALID_REQUEST'])
  }
})

test('workflows that call one another in a circle are refused when the circle closes', async () => {
  const calling = (workflowId: number) => ({
    nodes: [{ id: 'c', type: 'workflow.call', data: { workflowId } }],
    connections: [],
  })
  const first = await api.create()
  const second = await api.create(calling(first.id))
  for (const body of [
    { data: calling(first.id), workflowId: first.id },
    { ...first, data: calling(second.id) },
  ]) {
    const { data } = await api.call('validateWorkflow', { body })
    assert.equal(data.errors[0]?.code, 'SUBWORKFLOW_RECURSION')
  }
  for (const workflowId of ['1', null, -1, 1.5, {}]) {
    const { data } = await api.call('validateWorkflow', { body: { data: emptyGraph, workflowId } })
    assert.equal(data.valid, true)
  }
  const { status, details } = await api.call('updateWorkflow', {
    workflowId: first.id,
    body: { data: calling(second.id) },
  })
  assert.equal(status, 422)
  assert.equal(details.issues[0].code, 'SUBWORKFLOW_RECURSION')
})

test('a workflow whose target was deleted is no longer valid: schema and estimate say so', async () => {
  const target = await api.create()
  const data = {
    nodes: [{ id: 'c', type: 'workflow.call', data: { workflowId: target.id } }],
    connections: [],
  }
  const { id } = await api.create(data)
  assert.equal((await api.call('getWorkflowSchema', { workflowId: id })).status, 200)
  await api.call('deleteWorkflow', { workflowId: target.id })
  for (const operation of ['getWorkflowSchema', 'estimateWorkflow'] as const) {
    const { status, code } = await api.call(operation, { workflowId: id })
    assert.deepEqual([status, code], [422, 'WORKFLOW_INVALID'])
  }
  assert.equal((await api.call('getWorkflow', { workflowId: id })).status, 200)
})
