import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { operations } from '#operations/registry.ts'
import { signUp } from '../../support/console.ts'
import { type Call, P, startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
let strangerKey: string
const mine = { taskId: '', workflowId: 0 }

before(async () => {
  server = await startServer({ SIGN_UP: 'open' })
  strangerKey = await (await signUp(server)).newKey()
  const image = { model: 'demo-image', messages: [{ role: 'user', content: 'mine' }] }
  const task = await server.call({ method: 'POST', path: `${P}/images/generations`, json: image })
  mine.taskId = task.body.taskId
  const workflow = await server.call({
    method: 'POST',
    path: `${P}/workflows`,
    json: { name: 'mine', data: { nodes: [], connections: [] } },
  })
  mine.workflowId = workflow.body.data.workflowId
})
after(() => server.stop())

const bodies: Record<string, unknown> = {
  updateWorkflow: { name: 'stolen' },
  estimateWorkflow: {},
  runWorkflow: {},
  cancelWorkflowRun: {},
}
const codes: Record<string, string> = {
  taskId: 'TASK_NOT_FOUND',
  workflowId: 'WORKFLOW_NOT_FOUND',
  runId: 'RUN_NOT_FOUND',
}
const missing: Record<string, string | number> = {
  taskId: '00000000-0000-7000-8000-000000000000',
  workflowId: 4_000_000_000,
  runId: '00000000-0000-7000-8000-000000000000',
}

const withIds = operations.filter((operation) => operation.params)

test('every operation with an identifier is in this matrix', () => {
  assert.equal(withIds.length, 12)
})

for (const operation of withIds) {
  const parameter = Object.keys(operation.params?.properties ?? {})[0] ?? ''
  const callWith = (id: string | number): Call => ({
    method: operation.method,
    path: P + operation.path.replace(`{${parameter}}`, String(id)),
    key: strangerKey,
    headers: { 'idempotency-key': 'k' },
    ...(operation.body ? { json: bodies[operation.id] ?? {} } : {}),
  })

  test(`${operation.id} tells a stranger no more about my ${parameter} than about one that never existed`, async () => {
    const known = (mine as Record<string, string | number>)[parameter] ?? missing[parameter] ?? ''
    const theirs = await server.call(callWith(known))
    const nobodys = await server.call(callWith(missing[parameter] ?? ''))
    assert.equal(theirs.status, 404, theirs.text)
    assert.equal(theirs.body.error.code, codes[parameter])
    assert.deepEqual(theirs.body, nobodys.body)
  })
}

test('lists show a stranger nothing', async () => {
  for (const path of ['/tasks', '/workflows']) {
    const { body } = await server.call({ path: P + path, key: strangerKey })
    assert.deepEqual([body.data.items, body.data.total], [[], 0])
  }
})

test('what is mine is still there, unchanged', async () => {
  assert.equal(
    (await server.call(`${P}/tasks/${mine.taskId.toUpperCase()}`)).body.data.taskId,
    mine.taskId,
  )
  assert.equal((await server.call(`${P}/workflows/${mine.workflowId}`)).body.data.name, 'mine')
})
