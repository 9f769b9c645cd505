import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { signUp } from '../../support/console.ts'
import { P, startServer, type TestServer } from '../../support/server.ts'
import { addWorkflow, ended, graph, started } from '../runs/setting.ts'

let server: TestServer
before(async () => {
  server = await startServer({ SIGN_UP: 'open' })
})
after(() => server.stop())

const read = (path: string, tag?: string | string[]) =>
  server.call({ path, ...(tag === undefined ? {} : { headers: { 'if-none-match': tag } }) })

async function unchanged(path: string): Promise<string> {
  const first = await read(path)
  assert.equal(first.status, 200, first.text)
  const tag = String(first.headers.etag)
  assert.match(tag, /^"[\x21\x23-\x7e]+"$/)
  const second = await read(path, tag)
  assert.deepEqual([second.status, second.text, second.headers.etag], [304, '', tag])
  assert.equal(second.headers['content-type'], undefined)
  return tag
}

const small = graph(
  [
    { id: 'in', type: 'input.text' },
    { id: 'out', type: 'output' },
  ],
  ['in -> out'],
)

test('models, lists, a workflow, a task and a run that have not changed are not sent again', async () => {
  const workflowId = await addWorkflow(server, small)
  const runId = await started(server, workflowId, { inputs: { in: 'x' } })
  await ended(server, runId)
  const task = await server.call({
    method: 'POST',
    path: `${P}/images/generations`,
    json: { model: 'demo-image', messages: [{ role: 'user', content: 'a tag' }] },
  })
  const taskPath = `${P}/tasks/${task.body.taskId}`
  while ((await read(taskPath)).body.data.completedAt === null) await pause(20)
  for (const path of [
    `${P}/models`,
    `${P}/tasks`,
    `${P}/workflows`,
    `${P}/workflows/${workflowId}`,
    `${P}/workflows/${workflowId}/runs`,
    `${P}/workflow-runs/${runId}`,
    taskPath,
  ]) {
    await unchanged(path)
  }
})

test('what has changed is sent whole, with another tag', async () => {
  const workflowId = await addWorkflow(server, small)
  const path = `${P}/workflows/${workflowId}/runs`
  const tag = await unchanged(path)
  await ended(server, await started(server, workflowId, { inputs: { in: 'y' } }))
  const now = await read(path, tag)
  assert.equal(now.status, 200)
  assert.notEqual(now.headers.etag, tag)
  assert.equal(now.body.data.total, 1)
})

test('a list of tags, a weak tag and * are understood; anything else is just not equal', async () => {
  const tag = await unchanged(`${P}/models`)
  for (const given of [`"other", ${tag}`, `W/${tag}`, '*', ['"other"', tag]]) {
    assert.equal((await read(`${P}/models`, given)).status, 304, String(given))
  }
  for (const given of ['"other"', 'garbage', '""', tag.slice(1, -1)]) {
    assert.equal((await read(`${P}/models`, given)).status, 200, given)
  }
})

test('a tag says nothing to a stranger, and is no way past a credential', async () => {
  const workflowId = await addWorkflow(server, small)
  const path = `${P}/workflows/${workflowId}`
  const tag = await unchanged(path)
  const headers = { 'if-none-match': tag }
  assert.equal((await server.call({ path, key: null, headers })).status, 401)
  const stranger = await (await signUp(server)).newKey()
  assert.equal((await server.call({ path, key: stranger, headers })).status, 404)
})

test('a run read twice with one tag is the same run', async () => {
  const data = graph(
    [
      { id: 'draw', type: 'image.generate', data: { model: 'demo-image', prompt: 'a boat' } },
      { id: 'out', type: 'output' },
    ],
    ['draw -> out'],
  )
  const runId = await started(server, await addWorkflow(server, data))
  const path = `${P}/workflow-runs/${runId}`
  const seen = new Map<string, string>()
  for (;;) {
    const { body, headers } = await read(path)
    const { outputs: _, ...run } = body.data
    const known = seen.get(String(headers.etag))
    if (known !== undefined) assert.equal(JSON.stringify(run), known)
    seen.set(String(headers.etag), JSON.stringify(run))
    if (run.completedAt !== null) break
  }
  assert.ok(seen.size >= 2, `${seen.size} tags`)
  await unchanged(path)
})
