import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { addWorkflow, ended, graph, readRun, started, until } from '../../journeys/runs/setting.ts'
import { databases } from '../../support/databases.ts'
import type { Body } from '../../support/server.ts'
import { P } from '../../support/server.ts'
import type { ServerProcess } from '../../support/server-process.ts'
import { openWorld, type World } from '../tasks/setting.ts'

const text = (id: string) => ({ id, type: 'text.generate', data: { model: 'test/text' } })
const image = { model: 'fal/flux-schnell' }

/** Holds the first request of each path for ever, answers all others. */
const host = createServer((request, response) => {
  const path = request.url ?? ''
  const count = (seen.get(path) ?? 0) + 1
  seen.set(path, count)
  arrivals.get(path)?.()
  if (count > 1) response.end('"again"')
})
const seen = new Map<string, number>()
const arrivals = new Map<string, () => void>()
const arrived = (path: string) =>
  new Promise<void>((resolve) => {
    if (seen.has(path)) resolve()
    else arrivals.set(path, resolve)
  })
let url = ''

before(async () => {
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
})
after(() => {
  host.close()
  host.closeAllConnections()
})

type Case = {
  name: string
  data(): object
  /** Resolves when the run stands where it is to be killed. */
  reach(world: World, server: ServerProcess, runId: string): Promise<void>
  holds(world: World, run: Body): Promise<void>
}

const chats = async (world: World) => (await world.doubles.openai.state()).counts.chat

const cases: Case[] = [
  {
    name: 'while a text call is out: the call is not repeated, and the run says that its outcome is unknown',
    data: () => graph([{ id: 'in', type: 'input.text' }, text('a')], ['in -> a.prompt']),
    async reach({ doubles }) {
      await doubles.openai.arrived('chat', 1)
    },
    async holds(world, run) {
      assert.equal(run.status, 'FAILED')
      assert.equal(run.nodeErrors[0].code, 'PROVIDER_OUTCOME_UNKNOWN')
      assert.equal(await chats(world), 1)
    },
  },
  {
    name: 'while an image is made: the run waits for its task, and one picture is made',
    data: () =>
      graph(
        [
          { id: 'in', type: 'input.text' },
          { id: 'i', type: 'image.generate', data: image },
        ],
        ['in -> i.prompt'],
      ),
    async reach({ doubles }) {
      await doubles.fal.arrived('poll', 1)
    },
    async holds(world, run) {
      assert.equal(run.status, 'COMPLETED', JSON.stringify(run.nodeErrors))
      assert.equal((await world.doubles.fal.state()).counts.submit, 1)
      assert.equal(run.outputs.i.image.mimeType, 'image/png')
    },
  },
  {
    name: 'while a GET is out: it is repeated',
    data: () =>
      graph(
        [
          { id: 'in', type: 'input.text' },
          { id: 'h', type: 'http.request', data: { url: `${url}/get` } },
          { id: 'o', type: 'output' },
        ],
        ['h -> o'],
      ),
    reach: () => arrived('/get'),
    async holds(_, run) {
      assert.equal(run.status, 'COMPLETED', JSON.stringify(run.nodeErrors))
      assert.deepEqual(run.outputs, { o: '"again"' })
    },
  },
  {
    name: 'while a POST is out: it is not repeated',
    data: () =>
      graph([
        { id: 'in', type: 'input.text' },
        { id: 'h', type: 'http.request', data: { method: 'POST', url: `${url}/post` } },
      ]),
    reach: () => arrived('/post'),
    async holds(_, run) {
      assert.equal(run.status, 'FAILED')
      assert.equal(run.nodeErrors[0].code, 'HTTP_FAILED')
      assert.equal(seen.get('/post'), 1)
    },
  },
  {
    name: 'with a cancel request stored: it is cancelled by whoever takes it',
    data: () =>
      graph(
        [
          { id: 'in', type: 'input.text' },
          { id: 'i', type: 'image.generate', data: image },
        ],
        ['in -> i.prompt'],
      ),
    async reach({ doubles }, server, runId) {
      await doubles.fal.plan('running')
      await doubles.fal.arrived('poll', 1)
      await server.call({ method: 'POST', path: `${P}/workflow-runs/${runId}/cancel` })
    },
    async holds(_, run) {
      assert.equal(run.status, 'CANCELLED')
    },
  },
]

for (const { name: database } of databases) {
  describe(database, () => {
    for (const one of cases) {
      test(`killed ${one.name}`, async () => {
        seen.clear()
        await using world = await openWorld(database, { OUTBOUND_ALLOW: '127.0.0.1/32' })
        await world.doubles.fal.plan('running', 'running', 'succeeded')
        if (one.name.includes('text call'))
          await world.doubles.openai.script('chat', { do: 'hold' })
        const first = await world.start()
        const workflowId = await addWorkflow(first, one.data())
        const runId = await started(first, workflowId, { inputs: { in: 'task x' } })
        await one.reach(world, first, runId)
        await first.kill()
        const second = await world.start()
        const run = await ended(second, runId)
        await one.holds(world, run)
      })
    }

    test('killed after the first of two calls: the first is not made again', async () => {
      seen.clear()
      await using world = await openWorld(database, { OUTBOUND_ALLOW: '127.0.0.1/32' })
      const data = graph(
        [
          { id: 'in', type: 'input.text' },
          text('a'),
          { id: 'h', type: 'http.request', data: { url: `${url}/second` } },
          text('b'),
          { id: 'o', type: 'output' },
        ],
        ['in -> a.prompt', 'a -> h.vars', 'h -> b.prompt', 'b -> o'],
      )
      const first = await world.start()
      const runId = await started(first, await addWorkflow(first, data), { inputs: { in: 'x' } })
      await arrived('/second')
      await first.kill()
      const second = await world.start()
      const run = await ended(second, runId)
      assert.equal(run.status, 'COMPLETED', JSON.stringify(run.nodeErrors))
      assert.equal(await chats(world), 2)
    })

    test('killed in a map: items that were done are not done again', async () => {
      seen.clear()
      await using world = await openWorld(database, { OUTBOUND_ALLOW: '127.0.0.1/32' })
      const data = graph([
        {
          id: 'm',
          type: 'flow.map',
          data: {
            items: [{ n: 0 }, { n: 1 }, { n: 2 }],
            concurrency: 1,
            apply: { type: 'http.request', data: { url: `${url}/item/{{n}}` } },
          },
        },
      ])
      // Items 0 and 2 were asked for once before, so that they are answered.
      seen.set('/item/0', 1)
      seen.set('/item/2', 1)
      const first = await world.start()
      const runId = await started(first, await addWorkflow(first, data))
      await arrived('/item/1')
      await first.kill()
      const second = await world.start()
      const run = await ended(second, runId)
      assert.deepEqual(run.outputs, { m: ['"again"', '"again"', '"again"'] })
      assert.deepEqual([seen.get('/item/0'), seen.get('/item/1'), seen.get('/item/2')], [2, 2, 2])
    })
  })
}

test('a worker paused past its lease loses the run to another and writes nothing afterwards', async () => {
  await using world = await openWorld('postgres')
  const { openai } = world.doubles
  await openai.script('chat', { do: 'hold' })
  const api = await world.start({ ROLE: 'api' })
  const slow = await world.start({ ROLE: 'worker' })
  const data = graph(
    [{ id: 'in', type: 'input.text' }, text('a'), text('b')],
    ['in -> a.prompt', 'a -> b.prompt'],
  )
  const runId = await started(api, await addWorkflow(api, data), { inputs: { in: 'x' } })
  await openai.arrived('chat', 1)
  slow.pause()
  await world.start({ ROLE: 'worker' })
  const run = await ended(api, runId)
  assert.equal(run.nodeErrors[0].code, 'PROVIDER_OUTCOME_UNKNOWN')
  const steps = await world.db.query('select * from steps order by path')
  await openai.release()
  slow.resume()
  // It has seen that its lease is gone once it registers anew.
  await until(api, runId, () => true)
  const deadline = Date.now() + 20_000
  for (;;) {
    const rows = await world.db.query('select id from workers')
    if (rows.length === 2) break
    assert.ok(Date.now() < deadline, 'the paused worker did not come back')
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  assert.deepEqual(await readRun(api, runId), run)
  assert.deepEqual(await world.db.query('select * from steps order by path'), steps)
  assert.equal(await chats(world), 1)
})
