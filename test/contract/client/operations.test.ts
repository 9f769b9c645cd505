import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { operations } from '#api/public/registry.ts'
import { AtelierError, type Client, createClient, type Run } from '../../../src/client/client.ts'
import { P, startServer, type TestServer } from '../../support/server.ts'
import { smallFilm } from '../../support/small-media.ts'

const echo = {
  nodes: [
    { id: 'in', type: 'input.text', data: {} },
    { id: 'out', type: 'output', data: {} },
  ],
  connections: [{ source: 'in', target: 'out' }],
}
// Fails at once: nothing may be called there.
const failing = {
  nodes: [
    { id: 'get', type: 'http.request', data: { url: 'http://127.0.0.1:9/' } },
    { id: 'out', type: 'output', data: {} },
  ],
  connections: [{ source: 'get', target: 'out' }],
}
const messages = [{ role: 'user' as const, content: 'Say hello' }]

let server: TestServer
let client: Client
const made = new Set<string>()
before(async () => {
  server = await startServer()
  client = createClient({
    baseUrl: server.url,
    apiKey: server.ownerKey,
    fetch(input, init) {
      made.add(`${init?.method} ${new URL(String(input)).pathname.replace(P, '')}`)
      return fetch(input, init)
    },
  })
})
after(() => server.stop())

test('models are listed and chat answers', async () => {
  const { items } = await client.models.list()
  const model = items.find(({ kind }) => kind === 'TEXT')?.id ?? ''
  const { content, usage } = await client.chat.create({ model, messages })
  assert.equal(content, 'hello')
  assert.ok(usage.totalTokens > 0)
})

test('an image and a video are waited for', async () => {
  const image = await client.images.generate({ model: 'demo-image', messages })
  const film = await client.videos.generate({
    ...{ model: 'demo-video', messages },
    ...smallFilm,
  })
  const seen: string[] = []
  const done = await client.tasks.wait(image.taskId, {
    onProgress: (task) => seen.push(task.status),
  })
  assert.equal(done.status, 'COMPLETED')
  assert.equal(done.imageContent?.[0]?.mimeType, 'image/png')
  assert.equal(seen.at(-1), 'COMPLETED')
  const { videoContent } = await client.tasks.wait(film.taskId)
  assert.equal(videoContent?.[0]?.mimeType, 'video/mp4')
  const { items } = await client.tasks.list({ page: 1, size: 1 })
  assert.deepEqual(
    items.map(({ taskId }) => taskId),
    [film.taskId],
  )
  assert.equal((await client.tasks.get(film.taskId)).status, 'COMPLETED')
})

test('a workflow is checked, stored, changed, described, priced and deleted', async () => {
  const [template] = (await client.templates.list()).items
  assert.ok(template)
  assert.equal((await client.workflows.validate(template.data, { workflowId: 1 })).valid, true)
  assert.equal((await client.workflows.validate(echo)).valid, true)
  const { id } = await client.workflows.create({ name: 'echo', data: echo })
  assert.equal((await client.workflows.update(id, { name: 'again' }, { ifMatch: 1 })).version, 2)
  const { data, name } = await client.workflows.get(id)
  assert.deepEqual([name, data.nodes.length], ['again', 2])
  const stale = client.workflows.delete(id, { ifMatch: 1 })
  await assert.rejects(stale, { code: 'PRECONDITION_FAILED', status: 412, retryable: false })
  const { inputSchema } = await client.workflows.schema(id)
  assert.deepEqual(inputSchema.required, ['in'])
  assert.equal((await client.workflows.estimate(id, { inputs: { in: 'x' } })).estimatedCost, 0)
  assert.equal((await client.workflows.list({ size: 1 })).total, 1)
  assert.equal((await client.workflows.delete(id)).deleted, true)
})

test('a run is submitted, followed to its end, read node by node and listed', async () => {
  const { id } = await client.workflows.create({ name: 'echo', data: echo })
  const seen: Run[] = []
  const run = await client.runs.submitAndWait(
    id,
    { inputs: { in: 'Grüße' } },
    { idempotencyKey: 'one', onProgress: (record) => seen.push(record) },
  )
  assert.deepEqual([run.status, run.outputs], ['COMPLETED', { out: 'Grüße' }])
  assert.deepEqual(seen.at(-1), run)
  const again = await client.runs.submit(id, { inputs: { in: 'Grüße' } }, { idempotencyKey: 'one' })
  assert.deepEqual([again.runId, again.idempotentReplay], [run.runId, true])
  assert.deepEqual((await client.runs.node(run.runId, 'out')).inputs, { value: 'Grüße' })
  await assert.rejects(client.runs.items(run.runId, 'out'), { code: 'NODE_NOT_FOUND' })
  assert.equal((await client.runs.list(id)).total, 1)
  assert.equal((await client.runs.get(run.runId)).runId, run.runId)
  assert.equal((await client.runs.cancel(run.runId, { reason: 'late' })).accepted, false)
})

test('a failed run is given, not thrown, and can be retried', async () => {
  const { id } = await client.workflows.create({ name: 'fails', data: failing })
  const run = await client.runs.submitAndWait(id)
  assert.deepEqual([run.status, run.nodeErrors[0]?.code], ['FAILED', 'ADDRESS_BLOCKED'])
  const retry = await client.runs.retry(run.runId, { version: 'newest' })
  assert.notEqual(retry.runId, run.runId)
  assert.equal((await client.runs.wait(retry.runId)).retryOf, run.runId)
})

test('what runs wait for is listed, and answered only by a key that was given the right', async () => {
  const { items, count } = await client.waits.list({ mine: true, size: 1 })
  assert.deepEqual([items, count], [[], 0])
  const none = '00000000-0000-7000-8000-000000000000'
  await assert.rejects(client.waits.get(none, none), { code: 'WAIT_NOT_FOUND' })
  const answer = client.waits.answer(none, none, { decision: 'approve' })
  await assert.rejects(answer, { code: 'INSUFFICIENT_SCOPE', details: { scope: 'waits:answer' } })
})

test('a trigger is made, read, changed, fired, followed and deleted', async () => {
  const { id } = await client.workflows.create({ name: 'echo', data: echo })
  const schedule = { name: 'weekly', kind: 'SCHEDULE', cron: '0 9 * * 1' } as const
  const { triggerId } = await client.triggers.create(id, { ...schedule, inputs: { in: 'x' } })
  const fired = await client.triggers.fire(id, triggerId, { idempotencyKey: 'one' })
  const again = await client.triggers.fire(id, triggerId, { idempotencyKey: 'one' })
  assert.equal(again.runId, fired.runId)
  assert.deepEqual((await client.runs.wait(fired.runId ?? '')).outputs, { out: 'x' })
  const { items } = await client.triggers.firings(id, triggerId, { size: 10 })
  assert.deepEqual(
    items.map(({ runId, runStatus }) => [runId, runStatus]),
    [[fired.runId, 'COMPLETED']],
  )
  assert.equal((await client.triggers.update(id, triggerId, { enabled: false })).enabled, false)
  assert.equal((await client.triggers.get(id, triggerId)).lastFiring?.runId, fired.runId)
  assert.equal((await client.triggers.list(id)).items.length, 1)
  assert.equal((await client.triggers.list(null)).next, null)
  assert.equal((await client.triggers.delete(id, triggerId)).deleted, true)
})

test('a failure has the code, status, advice, details and request of the answer', async () => {
  const error = await client.workflows.get(999_999).catch((caught: unknown) => caught)
  assert.ok(error instanceof AtelierError)
  assert.deepEqual([error.code, error.status, error.retryable], ['WORKFLOW_NOT_FOUND', 404, false])
  assert.match(error.requestId ?? '', /^req_/)
  const invalid = await client.workflows
    .create({ name: '', data: echo })
    .catch((caught: unknown) => caught)
  assert.ok(invalid instanceof AtelierError)
  assert.equal(invalid.code, 'WORKFLOW_INVALID')
  assert.match(JSON.stringify(invalid.details), /"path":"\/name"/)
})

test('the tests above have called every operation that needs a credential', () => {
  const missed = operations
    .filter(({ scope }) => scope !== 'public')
    .filter(({ method, path }) => {
      const form = new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
      return ![...made].some((call) => form.test(call))
    })
  assert.deepEqual(
    missed.map(({ id }) => id),
    [],
  )
})
