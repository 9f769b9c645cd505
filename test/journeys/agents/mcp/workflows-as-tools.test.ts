import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { signUp } from '../../../support/console.ts'
import { P, startServer, type TestServer } from '../../../support/server.ts'
import { type Bench, openBench, testModels } from '../../generation/setting.ts'
import { addWorkflow, ended, graph } from '../../runs/setting.ts'
import { connect, connections, type McpClient } from './clients.ts'

const echo = graph(
  [
    { id: 'words', type: 'input.text', data: { label: 'What to say', maxLength: 20 } },
    { id: 'said', type: 'output' },
  ],
  ['words -> said'],
)

const isInvalid = (error: unknown) => (error as { code: unknown }).code === -32602

async function allTools(client: McpClient) {
  const found = []
  let pages = 0
  for (let cursor: string | undefined; ; pages++) {
    const page = await client.list(cursor)
    found.push(...page.tools)
    cursor = page.nextCursor
    if (cursor === undefined) return { pages: pages + 1, tools: found }
  }
}

describe('stored workflows as tools', () => {
  let server: TestServer
  let client: McpClient
  let workflowId: number
  before(async () => {
    server = await startServer({ SIGN_UP: 'open' })
    workflowId = await addWorkflow(server, echo, 'Say it: déjà vu!')
    client = await connect({ url: server.url, key: server.ownerKey, withWorkflows: true })
  })
  after(async () => {
    await client[Symbol.asyncDispose]()
    await server.stop()
  })

  test('are named after them and take what their schema says', async () => {
    const { tools } = await client.list()
    assert.equal(tools.length, 19)
    const tool = tools[18]
    assert.equal(tool.name, `say_it_deja_vu_${workflowId}`)
    assert.equal(tool.title, 'Say it: déjà vu!')
    assert.match(tool.description, /"Say it: déjà vu!".*said/)
    const { body } = await server.call(`${P}/workflows/${workflowId}/schema`)
    assert.deepEqual(tool.inputSchema, body.data.inputSchema)
    assert.equal(tool.annotations.openWorldHint, true)
    assert.equal(tool.annotations.readOnlyHint, false)
  })

  test('start a run and answer with its handle at once', async () => {
    const { isError, structuredContent } = await client.call(`say_it_deja_vu_${workflowId}`, {
      words: 'hello',
    })
    assert.ok(!isError)
    assert.deepEqual((await ended(server, structuredContent.data.runId)).outputs, { said: 'hello' })
  })

  test('are found by their id when the name has changed since', async () => {
    const { structuredContent } = await client.call(`older_name_${workflowId}`, { words: 'hi' })
    assert.equal(structuredContent.data.workflowId, workflowId)
  })

  test('start a new run per call, or the run of the key that the client names', async () => {
    const name = `say_it_deja_vu_${workflowId}`
    const start = async (key?: string) => {
      const meta = key === undefined ? undefined : { 'atelier/idempotencyKey': key }
      const options = meta ? { meta } : {}
      return (await client.call(name, { words: 'x' }, options)).structuredContent.data
    }
    assert.notEqual((await start()).runId, (await start()).runId)
    const first = await start('order 7')
    const again = await start('order 7')
    assert.deepEqual([again.runId, again.idempotentReplay], [first.runId, true])
    const refused = await client.call(name, {}, { meta: { 'atelier/idempotencyKey': 'é\r\n' } })
    assert.equal(refused.structuredContent.error.code, 'IDEMPOTENCY_KEY_INVALID')
    const odd = client.call(name, { words: 'x' }, { meta: { 'atelier/idempotencyKey': { a: 1 } } })
    await assert.rejects(odd, isInvalid)
  })

  test('refuse inputs their schema does not take', async () => {
    for (const inputs of [{}, { words: 7 }, { words: 'x'.repeat(21) }, { words: 'x', more: 1 }]) {
      const refused = await client.call(`say_it_deja_vu_${workflowId}`, inputs)
      assert.equal(refused.isError, true)
      assert.equal(refused.structuredContent.error.code, 'INPUT_INVALID')
    }
  })

  test('are invisible to another account, and to clients that did not ask for them', async () => {
    const key = await (await signUp(server)).newKey()
    const name = `say_it_deja_vu_${workflowId}`
    await using stranger = await connect({ url: server.url, key, withWorkflows: true })
    assert.equal((await stranger.list()).tools.length, 18)
    await assert.rejects(stranger.call(name, { words: 'x' }), isInvalid)
    await using plain = await connect({ url: server.url, key: server.ownerKey })
    assert.equal((await plain.list()).tools.length, 18)
    await assert.rejects(plain.call(name, { words: 'x' }), isInvalid)
  })

  test('need the scopes of their operations', async () => {
    const person = await signUp(server)
    const key = await person.newKey({ scopes: ['runs:write'] })
    await using client = await connect({ url: server.url, key, withWorkflows: true })
    await assert.rejects(client.list(), /scope/)
  })

  test('are left out once their schema no longer derives', async () => {
    const called = await addWorkflow(server, echo, 'called')
    const caller = graph([{ id: 'c', type: 'workflow.call', data: { workflowId: called } }])
    caller.nodes[0] = { ...caller.nodes[0], data: { workflowId: called, words: 'x' } } as never
    const callerId = await addWorkflow(server, caller, 'caller')
    const names = async () => (await client.list()).tools.map(({ name }) => name)
    assert.ok((await names()).includes(`caller_${callerId}`))
    await server.call({ method: 'DELETE', path: `${P}/workflows/${called}` })
    assert.deepEqual((await names()).slice(18), [`say_it_deja_vu_${workflowId}`])
  })

  test('come in pages, each once', async () => {
    const person = await signUp(server)
    const key = await person.newKey()
    const mine = { call: (call: object) => server.call({ ...(call as { path: string }), key }) }
    for (let i = 0; i < 53; i++) await addWorkflow(mine as never, echo, `number ${i}`)
    await using client = await connect({ url: server.url, key, withWorkflows: true })
    const { tools, pages } = await allTools(client)
    assert.equal(pages, 2)
    assert.equal(new Set(tools.map(({ name }) => name)).size, 18 + 53)
    await assert.rejects(client.list('workflows-x'), isInvalid)
  })

  test('with large schemas make shorter pages', async () => {
    const person = await signUp(server)
    const key = await person.newKey()
    const mine = { call: (call: object) => server.call({ ...(call as { path: string }), key }) }
    const schema = { type: 'object', description: 'x'.repeat(300_000) }
    const large = graph([{ id: 'in', type: 'input.json', data: { schema } }])
    for (let i = 0; i < 12; i++) await addWorkflow(mine as never, large, `large ${i}`)
    await using client = await connect({ url: server.url, key, withWorkflows: true })
    const { tools, pages } = await allTools(client)
    assert.equal(pages, 3)
    assert.equal(new Set(tools.map(({ name }) => name)).size, 18 + 12)
  })
})

describe('progress of a workflow tool', () => {
  const twoTexts = graph(
    [
      { id: 'in', type: 'input.text' },
      { id: 'a', type: 'text.generate', data: { model: 'test/text' } },
      { id: 'b', type: 'text.generate', data: { model: 'test/text' } },
      { id: 'out', type: 'output' },
    ],
    ['in -> a.prompt', 'a -> b.prompt', 'b -> out'],
  )
  const keyOf = async (bench: Bench) =>
    (await readFile(join(bench.dataDir, 'owner.key'), 'utf8')).trim()

  for (const [how, open] of Object.entries(connections)) {
    test(`${how}: is reported while it runs; the answer is the ended run`, async (t) => {
      const bench = await openBench(t, { doubles: ['openai'], models: testModels })
      const workflowId = await addWorkflow(bench, twoTexts, 'two')
      const client = await open({ url: bench.url, key: await keyOf(bench), withWorkflows: true })
      t.after(() => client[Symbol.asyncDispose]())
      bench.doubles.openai.script('chat', { do: 'answer' }, { do: 'hold' })
      const order = { workflowId, inputs: { in: 'hello' }, idempotencyKey: 'once' }
      const onProgress = () => assert.fail('the ID of a run is answered at once')
      const handle = await client.call('svc_run_workflow', order, { onProgress })
      const { runId } = handle.structuredContent.data
      for (const [name, args] of [
        ['svc_get_workflow_run', { runId }],
        [`two_${workflowId}`, { in: 'hello' }],
      ] as const) {
        const told: { progress: number; total?: number | undefined }[] = []
        const { isError, structuredContent } = await client.call(name, args, {
          onProgress: (progress) => {
            told.push(progress)
            bench.doubles.openai.release()
          },
        })
        assert.ok(!isError, JSON.stringify(structuredContent))
        assert.equal(structuredContent.data.status, 'COMPLETED')
        assert.equal(typeof structuredContent.data.outputs.out, 'string')
        const numbers = told.map(({ progress }) => progress)
        assert.ok(numbers.length > 0 && numbers.every((number) => number < 4), `told ${numbers}`)
        assert.deepEqual(numbers, [...new Set(numbers)].sort())
        assert.ok(told.every(({ total }) => total === 4))
        bench.doubles.openai.reset()
        bench.doubles.openai.script('chat', { do: 'answer' }, { do: 'hold' })
      }
    })
  }

  test('a run that fails is a tool that failed, with its node errors', async (t) => {
    const bench = await openBench(t, { doubles: ['openai'], models: testModels })
    const workflowId = await addWorkflow(bench, twoTexts, 'two')
    const key = await keyOf(bench)
    await using client = await connect({ url: bench.url, key, withWorkflows: true })
    bench.doubles.openai.script('chat', { do: 'refuse', status: 400 })
    const failed = await client.call(`two_${workflowId}`, { in: 'x' }, { onProgress: () => {} })
    assert.equal(failed.isError, true)
    assert.equal(failed.structuredContent.data.status, 'FAILED')
    assert.equal(failed.structuredContent.data.nodeErrors[0].nodeId, 'a')
  })
})
