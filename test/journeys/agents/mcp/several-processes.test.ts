import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { databases } from '../../../support/databases.ts'
import { ownMigrations } from '../../../support/migrated.ts'
import { startServer, type TestServer } from '../../../support/server.ts'
import { eventually } from '../../generation/setting.ts'
import { addWorkflow, graph } from '../../runs/setting.ts'
import { connections, type Result } from './clients.ts'
import { send } from './task-wire.ts'

const words = graph(
  [
    { id: 'in', type: 'input.text' },
    { id: 'o', type: 'output' },
  ],
  ['in -> o'],
)

const closing: (() => Promise<unknown>)[] = []
const servers: TestServer[] = []
before(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'atelier-mcp-'))
  closing.push(() => rm(dataDir, { recursive: true, force: true }))
  const database = await databases[1]?.open({ migrations: ownMigrations })
  assert.ok(database && 'url' in database.location)
  closing.push(database.close)
  for (const role of ['all', 'api']) {
    const env = { DATA_DIR: dataDir, DATABASE_URL: database.location.url, ROLE: role }
    const server = await startServer(env)
    closing.push(server.stop)
    servers.push(server)
  }
})
after(async () => {
  for (const close of closing.reverse()) await close()
})

for (const how of ['2026 over HTTP', '2025 over HTTP']) {
  test(`${how}: each request of a client may be answered by another process`, async (t) => {
    const [first] = servers
    assert.ok(first)
    let count = 0
    const inTurn: typeof fetch = (address, init) => {
      const { pathname, search } = new URL(String(address))
      return fetch(new URL(pathname + search, servers[count++ % 2]?.url), init)
    }
    const workflowId = await addWorkflow(first, words, 'say')
    const target = { url: first.url, key: first.ownerKey, withWorkflows: true, fetch: inTurn }
    const client = await connections[how]?.(target)
    assert.ok(client)
    t.after(() => client[Symbol.asyncDispose]())
    for (let i = 0; i < 4; i++) {
      assert.ok((await client.list()).tools.some(({ name }) => name === `say_${workflowId}`))
      const started: Result = await client.call(`say_${workflowId}`, { in: 'x' })
      const { runId } = started.structuredContent.data
      assert.ok(!(await client.call('svc_get_workflow_run', { runId })).isError)
    }
    assert.ok(count > 12)
  })
}

test('a task that one process has created is read and cancelled through another', async () => {
  const [first, second] = servers
  assert.ok(first && second)
  const key = first.ownerKey
  const name = `say_${await addWorkflow(first, words, 'say')}`
  const { result } = await send({ url: first.url, key }, 'tools/call', {
    name,
    arguments: { in: 'x' },
  })
  const other = { url: second.url, key }
  const { taskId } = result
  const task = await eventually(
    async () => (await send(other, 'tasks/get', { taskId })).result,
    ({ status }) => status !== 'working',
  )
  assert.deepEqual(task.result.structuredContent.data.outputs, { o: 'x' })
  assert.equal((await send(other, 'tasks/cancel', { taskId })).error, undefined)
})
