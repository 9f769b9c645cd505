import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { Client as NewClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport as OldTransport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { type Body, startServer } from '../../../support/server.ts'
import { smallFilm } from '../../../support/small-media.ts'
import { graph } from '../../runs/setting.ts'

const echo = graph(
  [
    { id: 'in', type: 'input.text' },
    { id: 'o', type: 'output' },
  ],
  ['in -> o'],
)

/** A client that asks for progress is answered when what it reads has ended. */
type Waiting = { onprogress?: () => void }

type Called = { isError?: boolean; structuredContent?: Body }

/** The official client of each generation; both check results against the declared schema. */
const generations = {
  2026: async (url: URL, headers: Record<string, string>) => {
    const client = new NewClient(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    )
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
    return {
      list: async () => (await client.listTools()).tools,
      call: (name: string, args: Record<string, unknown>, options: Waiting) =>
        client.callTool({ name, arguments: args }, options) as Promise<Called>,
      close: () => client.close(),
    }
  },
  2025: async (url: URL, headers: Record<string, string>) => {
    const client = new OldClient({ name: 'test', version: '1' })
    await client.connect(new OldHttp(url, { requestInit: { headers } }) as OldTransport)
    return {
      list: async () => (await client.listTools()).tools,
      call: (name: string, args: Record<string, unknown>, options: Waiting) =>
        client.callTool({ name, arguments: args }, undefined, options) as Promise<Called>,
      close: () => client.close(),
    }
  },
}

type Client = Awaited<ReturnType<(typeof generations)[keyof typeof generations]>>

/** Calls tools, and holds what they answer against their own schemas. */
async function checkedTools(client: Client) {
  const ajv = new Ajv2020({ strict: false })
  ajvFormats.default(ajv)
  const tools = await client.list()
  const unused = new Set(tools.map(({ name }) => name))
  const use = async (name: string, args: Record<string, unknown> = {}, waiting: Waiting = {}) => {
    const tool = tools.find((one) => one.name === name)
    assert.ok(tool?.outputSchema, name)
    const result = await client.call(name, args, waiting)
    const check = ajv.compile(tool.outputSchema)
    assert.ok(check(result.structuredContent), `${name} ${ajv.errorsText(check.errors)}`)
    unused.delete(name)
    return result
  }
  return { use, unused }
}

for (const [generation, connect] of Object.entries(generations)) {
  test(`every result matches the outputSchema of its tool, for a client of ${generation}`, async () => {
    await using server = await startServer()
    const headers = { authorization: `Bearer ${server.ownerKey}` }
    await server.call({
      method: 'POST',
      path: '/api/ai-tools/v1/workflows',
      json: { name: 'Echo', data: echo },
    })
    const client = await connect(new URL(`${server.url}/mcp?workflows=1&schemas=1`), headers)
    const { use, unused } = await checkedTools(client)
    const data = async (name: string, args: Record<string, unknown> = {}, waiting?: Waiting) => {
      const { isError, structuredContent } = await use(name, args, waiting)
      assert.ok(!isError, JSON.stringify(structuredContent))
      return structuredContent.data
    }
    const messages = [{ role: 'user', content: 'A blue door' }]

    await data('svc_list_models')
    await data('svc_chat', { model: 'demo-text', messages })
    const { taskId } = await data('svc_generate_image', { model: 'demo-image', messages })
    await data('svc_generate_video', {
      ...{ model: 'demo-video', messages },
      ...smallFilm,
    })
    const made = await data('svc_get_task', { taskId }, { onprogress: () => {} })
    assert.equal(made.imageContent.length, 1, 'it was read when it had ended')
    await data('svc_list_tasks', { page: 1, size: 5 })
    const { workflowId } = await data('svc_create_workflow', { name: 'Mine', data: echo })
    await data('svc_validate_workflow', { data: echo })
    for (const name of ['svc_get_workflow', 'svc_get_workflow_schema'])
      await data(name, { workflowId })
    await data('svc_list_workflows')
    await data('svc_estimate_workflow', { workflowId, inputs: { in: 'hello' } })
    const idempotencyKey = randomUUID()
    const run = { workflowId, idempotencyKey, inputs: { in: 'hello' } }
    const { runId } = await data('svc_run_workflow', run)
    await data('svc_run_workflow', run)
    const ended = await data('svc_get_workflow_run', { runId }, { onprogress: () => {} })
    assert.deepEqual(ended.outputs, { o: 'hello' })
    await data('svc_list_workflow_runs', { workflowId })
    await data('svc_cancel_workflow_run', { runId })
    await data('svc_update_workflow', { workflowId, name: 'Yours' })
    await data('echo_1', { in: 'hello' })
    await data('svc_delete_workflow', { workflowId })
    assert.deepEqual(
      [...unused].filter((name) => name.startsWith('svc_')),
      [],
    )
    assert.ok((await use('svc_get_task', { taskId: randomUUID() })).isError)
    assert.ok((await use('svc_get_task', {})).isError)
    assert.ok((await use('echo_1', { in: 7 })).isError)
    await client.close()
  })
}
