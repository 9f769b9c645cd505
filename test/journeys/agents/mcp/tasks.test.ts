import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { toolList } from '#agents/tools/tool-list.ts'
import { operations } from '#api/public/registry.ts'
import { signUp } from '../../../support/console.ts'
import { type Body, startServer, type TestServer } from '../../../support/server.ts'
import { eventually, openBench, testModels } from '../../generation/setting.ts'
import { addWorkflow, graph, type Caller as RunCaller } from '../../runs/setting.ts'
import { type Caller, knowing, send } from './task-wire.ts'

const dayMs = 86_400_000

const echo = graph(
  [
    { id: 'in', type: 'input.text' },
    { id: 'o', type: 'output' },
  ],
  ['in -> o'],
)

const approval = graph(
  [
    { id: 'in', type: 'input.text' },
    {
      id: 'ask',
      type: 'wait.approval',
      data: {
        title: 'Publish this?',
        form: {
          type: 'object',
          additionalProperties: false,
          properties: { channel: { type: 'string' } },
          required: ['channel'],
        },
      },
    },
    { id: 'yes', type: 'output' },
    { id: 'no', type: 'output' },
  ],
  ['in -> ask.value', 'ask.approved -> yes', 'ask.rejected -> no'],
)

const call = async (caller: Caller, name: string, args: object): Promise<Body> =>
  (await send(caller, 'tools/call', { name, arguments: args })).result

const get = async (caller: Caller, taskId: string): Promise<Body> =>
  (await send(caller, 'tasks/get', { taskId })).result

const finished = (caller: Caller, taskId: string): Promise<Body> =>
  eventually(
    () => get(caller, taskId),
    ({ status }) => status !== 'working',
  )

/** Fails unless the content of a result is as the tool declares it. */
function assertDeclared(name: string, { structuredContent }: Body) {
  const ajv = new Ajv2020({ strict: false })
  ajvFormats.default(ajv)
  const check = ajv.compile(
    toolList(operations).find((tool) => tool.name === name)?.result ?? false,
  )
  assert.ok(check(structuredContent), ajv.errorsText(check.errors))
}

const errorOf = async (caller: Caller, method: string, taskId: string) => {
  const { error } = await send(caller, method, { taskId, inputResponses: {} })
  return error?.code
}

describe('a client that knows Tasks', () => {
  let server: TestServer
  let caller: Caller
  let workflowId: number
  before(async () => {
    server = await startServer({ SIGN_UP: 'open', RETENTION_DAYS: '7' })
    caller = { url: server.url, key: server.ownerKey }
    workflowId = await addWorkflow(server, echo, 'echo')
  })
  after(() => server.stop())

  test('learns that the server knows them too', async () => {
    const { result } = await send(caller, 'server/discover')
    assert.deepEqual(result.capabilities.extensions, knowing.extensions)
    assert.equal(result.capabilities.tasks, undefined)
  })

  test('gets a run as a task, and in the end what reading the run answers', async () => {
    const inputs = { in: 'hello' }
    const order = { workflowId, idempotencyKey: randomUUID(), inputs }
    for (const [name, args] of [
      ['svc_run_workflow', order],
      [`echo_${workflowId}`, inputs],
    ] as const) {
      const made = await call(caller, name, args)
      assert.equal(made.resultType, 'task')
      assert.equal(made.result, undefined)
      assert.equal(made.ttlMs, 7 * dayMs)
      assert.equal(made.pollIntervalMs, 1000)
      const task = await finished(caller, made.taskId)
      assert.deepEqual([task.resultType, task.status], ['complete', 'completed'])
      assert.equal(task.createdAt, made.createdAt)
      assert.ok(task.ttlMs >= 7 * dayMs && Date.parse(task.lastUpdatedAt))
      const { structuredContent, isError, content, resultType } = task.result
      assert.equal(resultType, 'complete', 'it is a whole result of tools/call')
      assert.deepEqual([isError, structuredContent.data.outputs], [false, { o: 'hello' }])
      assert.deepEqual(JSON.parse(content[0].text), structuredContent)
      assertDeclared('svc_run_workflow', task.result)
      assert.equal(task.taskId, `run-${structuredContent.data.runId}`)
    }
    const again = await call(caller, 'svc_run_workflow', order)
    assert.equal(again.status, 'completed', 'the same key is the same task')
  })

  test('gets an image as a task', async () => {
    const messages = [{ role: 'user', content: 'A blue door' }]
    const { taskId } = await call(caller, 'svc_generate_image', { model: 'demo-image', messages })
    const { status, result } = await finished(caller, taskId)
    assert.equal(status, 'completed')
    assert.equal(taskId, `task-${result.structuredContent.data.taskId}`)
    assert.equal(result.structuredContent.data.imageContent.length, 1)
    assertDeclared('svc_generate_image', result)
    assert.deepEqual((await send(caller, 'tasks/cancel', { taskId })).error, undefined)
  })

  test('gets everything else at once, also a refusal', async () => {
    const models = await call(caller, 'svc_list_models', {})
    assert.deepEqual([models.resultType, models.taskId], ['complete', undefined])
    const refused = await call(caller, `echo_${workflowId}`, { in: 7 })
    assert.deepEqual([refused.resultType, refused.isError], ['complete', true])
  })

  test('reads its tasks only, in the account that started them', async () => {
    const { taskId } = await call(caller, `echo_${workflowId}`, { in: 'mine' })
    const stranger = { ...caller, key: await (await signUp(server)).newKey() }
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      for (const unknown of [`run-${randomUUID()}`, `task-${randomUUID()}`, 'run-../x', '']) {
        assert.equal(await errorOf(caller, method, unknown), -32602, `${method} ${unknown}`)
      }
      assert.equal(await errorOf(stranger, method, taskId), -32602, method)
    }
    assert.equal(await errorOf(caller, 'tasks/update', taskId), undefined)
  })

  test('asks its person what a run waits for, if that key may answer', async () => {
    const person = await signUp(server)
    const asking = { ...knowing, elicitation: {} }
    const agent = { ...caller, key: await person.newKey(), capabilities: asking }
    const scopes = ['runs:read', 'waits:answer']
    const approver = { ...agent, key: await person.newKey({ scopes }) }
    const { key } = agent
    const onBehalf: RunCaller = {
      call: (of) => server.call({ key, ...(typeof of === 'string' ? { path: of } : of) }),
    }
    const approvalId = await addWorkflow(onBehalf, approval, 'approval')
    const begin = async () => {
      const { taskId } = await call(agent, `approval_${approvalId}`, { in: 'The draft' })
      const isAsked = ({ status }: Body) => status === 'input_required'
      return eventually(() => get(approver, taskId), isAsked)
    }
    const { taskId, inputRequests } = await begin()
    const [waitId = ''] = Object.keys(inputRequests)
    const { method, params } = inputRequests[waitId]
    assert.deepEqual([method, params.mode], ['elicitation/create', 'form'])
    assert.match(params.message, /Publish this\?\s+The draft/)
    assert.deepEqual(params.requestedSchema.properties, { channel: { type: 'string' } })
    const blind = { ...approver, capabilities: knowing }
    for (const other of [agent, blind]) assert.equal((await get(other, taskId)).status, 'working')
    const give = (who: Caller, id: string, response: object) =>
      send(who, 'tasks/update', { taskId: id, inputResponses: { [waitId]: response, none: {} } })
    assert.equal(
      (await give(agent, taskId, { action: 'accept' })).error.data.code,
      'INSUFFICIENT_SCOPE',
    )
    const unfit = await give(approver, taskId, { action: 'accept', content: { channel: 7 } })
    assert.equal(unfit.error.code, -32602)
    assert.equal((await give(approver, taskId, { action: 'cancel' })).error, undefined)
    assert.equal((await get(approver, taskId)).status, 'input_required', 'still open')
    const yes = { action: 'accept', content: { channel: 'blog' } }
    for (let i = 0; i < 2; i++) assert.equal((await give(approver, taskId, yes)).error, undefined)
    const { result } = await finished(agent, taskId)
    assert.deepEqual(result.structuredContent.data.outputs, { yes: 'The draft' })
    const second = await begin()
    const [next = ''] = Object.keys(second.inputRequests)
    const no = { taskId: second.taskId, inputResponses: { [next]: { action: 'decline' } } }
    assert.equal((await send(approver, 'tasks/update', no)).error, undefined)
    const rejected = await finished(agent, second.taskId)
    assert.deepEqual(rejected.result.structuredContent.data.outputs, { no: 'The draft' })
  })

  test('needs the scopes of the operations', async () => {
    const key = await (await signUp(server)).newKey({ scopes: ['tasks:read'] })
    const { error } = await send({ ...caller, key }, 'tasks/get', { taskId: `run-${randomUUID()}` })
    assert.equal(error.data.code, 'INSUFFICIENT_SCOPE')
  })

  test('is the only one that gets them', async () => {
    const other = { ...caller, capabilities: {} }
    const made = await call(other, `echo_${workflowId}`, { in: 'x' })
    assert.deepEqual([made.resultType, made.taskId], ['complete', undefined])
    const taskId = `run-${made.structuredContent.data.runId}`
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      const { error } = await send(other, method, { taskId, inputResponses: {} })
      assert.equal(error.code, -32021)
      assert.deepEqual(error.data.requiredCapabilities, knowing)
    }
    assert.equal((await finished(caller, taskId)).status, 'completed')
    const listen = { notifications: { taskIds: [taskId] } }
    assert.equal((await send(other, 'subscriptions/listen', listen)).error.code, -32021)
    const { params } = await send(caller, 'subscriptions/listen', listen)
    assert.deepEqual(params.notifications, {}, 'of tasks nobody is notified')
  })
})

async function openHeld(t: TestContext) {
  const bench = await openBench(t, { doubles: ['openai'], models: testModels })
  const key = (await readFile(join(bench.dataDir, 'owner.key'), 'utf8')).trim()
  const text = graph(
    [
      { id: 'in', type: 'input.text' },
      { id: 'a', type: 'text.generate', data: { model: 'test/text' } },
      { id: 'out', type: 'output' },
    ],
    ['in -> a.prompt', 'a -> out'],
  )
  const workflowId = await addWorkflow(bench, text, 'text')
  return { bench, caller: { url: bench.url, key }, tool: `text_${workflowId}` }
}

test('a task is cancelled as its run is, and may be cancelled again', async (t) => {
  const { bench, caller, tool } = await openHeld(t)
  bench.doubles.openai.script('chat', { do: 'hold' })
  const { taskId } = await call(caller, tool, { in: 'x' })
  const task = await eventually(
    () => get(caller, taskId),
    ({ statusMessage }) => statusMessage.startsWith('RUNNING'),
  )
  assert.deepEqual([task.status, task.result], ['working', undefined])
  for (let i = 0; i < 2; i++) {
    const { result } = await send(caller, 'tasks/cancel', { taskId })
    assert.equal(result.resultType, 'complete')
    assert.equal(result.taskId, undefined)
    assert.equal((await finished(caller, taskId)).status, 'cancelled')
  }
})

test('a run that failed is a completed task whose result says so', async (t) => {
  const { bench, caller, tool } = await openHeld(t)
  bench.doubles.openai.script('chat', { do: 'refuse', status: 400 })
  const { taskId } = await call(caller, tool, { in: 'x' })
  const { status, result } = await finished(caller, taskId)
  assert.deepEqual([status, result.isError], ['completed', true])
  assert.equal(result.structuredContent.data.nodeErrors[0].nodeId, 'a')
})

test('a task survives a restart of the server', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'atelier-mcp-tasks-'))
  try {
    let taskId: string
    {
      await using server = await startServer({ DATA_DIR: dataDir })
      const workflowId = await addWorkflow(server, echo, 'echo')
      const caller = { url: server.url, key: server.ownerKey }
      taskId = (await call(caller, `echo_${workflowId}`, { in: 'kept' })).taskId
    }
    await using server = await startServer({ DATA_DIR: dataDir })
    const { result } = await finished({ url: server.url, key: server.ownerKey }, taskId)
    assert.deepEqual(result.structuredContent.data.outputs, { o: 'kept' })
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})
