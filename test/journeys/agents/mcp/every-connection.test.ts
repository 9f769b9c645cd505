import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { toolList } from '#agents/tools/tool-list.ts'
import { operations } from '#api/public/registry.ts'
import { P, startServer, type TestServer } from '../../../support/server.ts'
import { graph } from '../../runs/setting.ts'
import { connections, type McpClient } from './clients.ts'

const hello = { model: 'demo-text', messages: [{ role: 'user', content: 'hello' }] }
const echo = graph(
  [
    { id: 'in', type: 'input.text' },
    { id: 'o', type: 'output' },
  ],
  ['in -> o'],
)

const codeOf = (error: unknown) => (error as { code: unknown }).code

for (const [how, connect] of Object.entries(connections)) {
  describe(how, () => {
    let server: TestServer
    let client: McpClient
    before(async () => {
      server = await startServer()
      client = await connect({ url: server.url, key: server.ownerKey })
    })
    after(async () => {
      await client[Symbol.asyncDispose]()
      await server.stop()
    })

    test('the client speaks the generation it is of', () => {
      assert.equal(client.protocolVersion()?.slice(0, 4), how.slice(0, 4))
    })

    test('the tools are the 18, with the schemas and hints of the registry', async () => {
      const { tools, nextCursor } = await client.list()
      assert.equal(tools.length, 18)
      assert.equal(nextCursor, undefined)
      assert.deepEqual(
        tools.map(({ name, description, inputSchema, annotations }) => ({
          name,
          description,
          inputSchema,
          annotations,
        })),
        toolList(operations).map(({ name, description, parameters, hints }) => ({
          name,
          description,
          inputSchema: parameters,
          annotations: hints,
        })),
      )
    })

    test('the list takes little of a context; schemas of results come on request', async () => {
      const { tools } = await client.list()
      assert.ok(tools.every((tool) => tool.outputSchema === undefined))
      const tokens = countTokens(JSON.stringify({ tools }))
      assert.ok(tokens <= 4_000, `${tokens} tokens`)
      const target = { url: server.url, key: server.ownerKey, withSchemas: true }
      await using asking = await connect(target)
      const complete = (await asking.list()).tools
      assert.deepEqual(
        complete.map(({ outputSchema }) => outputSchema),
        toolList(operations).map(({ result }) => result),
      )
      assert.deepEqual(
        complete.map(({ outputSchema: _, ...tool }) => tool),
        tools,
      )
    })

    test('an answer is the body of the HTTP answer, as data and as text', async () => {
      const models = await client.call('svc_list_models')
      assert.deepEqual(models.structuredContent, (await server.call(`${P}/models`)).body)
      assert.equal(models.content.length, 1)
      assert.equal(models.content[0].type, 'text')
      assert.deepEqual(JSON.parse(models.content[0].text), models.structuredContent)
      assert.ok(!models.isError)
    })

    test('a chat answers with text', async () => {
      const { structuredContent } = await client.call('svc_chat', hello)
      assert.match(structuredContent.data.content, /Hello/)
    })

    test('an image is a task, and the task can be read and listed', async () => {
      const request = { ...hello, model: 'demo-image' }
      const { taskId } = (await client.call('svc_generate_image', request)).structuredContent
      const read = (await client.call('svc_get_task', { taskId })).structuredContent
      assert.equal(read.data.taskId, taskId)
      const list = (await client.call('svc_list_tasks', { page: 1, size: 1 })).structuredContent
      assert.deepEqual([list.data.size, list.data.items[0].taskId], [1, taskId])
    })

    test('a workflow lives and dies by tools alone, and its run is the one of its key', async () => {
      const data = async (name: string, args: object) => {
        const { isError, structuredContent } = await client.call(name, args)
        assert.ok(!isError, JSON.stringify(structuredContent))
        return structuredContent.data
      }
      assert.equal((await data('svc_validate_workflow', { data: echo })).valid, true)
      const { workflowId } = await data('svc_create_workflow', { name: 'echo', data: echo })
      assert.equal((await data('svc_update_workflow', { workflowId, name: 'two' })).version, 2)
      assert.equal((await data('svc_get_workflow', { workflowId })).name, 'two')
      const { inputSchema } = await data('svc_get_workflow_schema', { workflowId })
      assert.deepEqual(inputSchema.required, ['in'])
      assert.equal((await data('svc_estimate_workflow', { workflowId })).estimatedCost, 0)
      const order = { workflowId, idempotencyKey: randomUUID(), inputs: { in: 'hi' } }
      const { runId, idempotentReplay } = await data('svc_run_workflow', order)
      assert.equal(idempotentReplay, false)
      const again = await data('svc_run_workflow', order)
      assert.deepEqual([again.runId, again.idempotentReplay], [runId, true])
      assert.equal((await data('svc_get_workflow_run', { runId })).runId, runId)
      assert.equal((await data('svc_list_workflow_runs', { workflowId })).items[0].runId, runId)
      assert.equal((await data('svc_cancel_workflow_run', { runId })).runId, runId)
      assert.equal((await data('svc_list_workflows', {})).total, 1)
      assert.equal((await data('svc_delete_workflow', { workflowId })).deleted, true)
    })

    test('a refusal of the route is a result that says so, with the same body', async () => {
      const taskId = randomUUID()
      const refused = await client.call('svc_get_task', { taskId })
      assert.equal(refused.isError, true)
      const overHttp = await server.call(`${P}/tasks/${taskId}`)
      assert.deepEqual(refused.structuredContent, overHttp.body)
      assert.equal(refused.content[0].text, overHttp.text)
    })

    test('bad arguments are a result that names them, and reach no route', async () => {
      const refused = await client.call('svc_chat', { ...hello, maxTokens: 0, stream: true })
      assert.equal(refused.isError, true)
      const { success, error } = refused.structuredContent
      assert.deepEqual([success, error.code, error.retryable], [false, 'INVALID_REQUEST', false])
      assert.deepEqual(error.details.issues.map((issue: { path: string }) => issue.path).sort(), [
        '/maxTokens',
        '/stream',
      ])
    })

    test('a tool that does not exist is an error of the protocol', async () => {
      for (const name of ['svc_nothing', 'echo_1', 'ünknown']) {
        await assert.rejects(client.call(name), (error) => codeOf(error) === -32602)
      }
    })

    test('thirty calls at once each get their own answer', async () => {
      const texts = Array.from({ length: 30 }, (_, i) => `number ${i}`)
      const answers = await Promise.all(
        texts.map((name) => client.call('svc_create_workflow', { name, data: echo })),
      )
      assert.deepEqual(
        answers.map(({ structuredContent }) => structuredContent.data.name),
        texts,
      )
    })
  })
}
