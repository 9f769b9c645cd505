import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { eventually } from '../../journeys/generation/setting.ts'
import {
  addWorkflow,
  ended,
  type GraphNode,
  graph,
  readRun,
  started,
} from '../../journeys/runs/setting.ts'
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

const chats = async (world: World) => (await world.doubles.openai.state()).counts.chat
const withText = (...nodes: GraphNode[]) => [{ id: 'in', type: 'input.text' }, ...nodes]
const httpNode = (id: string, data: object) => ({ id, type: 'http.request', data: { ...data } })

/** Runs at every kind of place where a kill can find them, all at once. */
async function reachAll({ doubles }: World, server: ServerProcess) {
  const run = async (data: object, inputs: object = {}) =>
    started(server, await addWorkflow(server, data), { inputs })
  const twoCalls = await run(
    graph(
      withText(text('a'), httpNode('h', { url: `${url}/second` }), text('b'), {
        id: 'o',
        type: 'output',
      }),
      ['in -> a.prompt', 'a -> h.vars', 'h -> b.prompt', 'b -> o'],
    ),
    { in: 'x' },
  )
  await arrived('/second')
  // Items 0 and 2 count as asked for before, so that they are answered.
  seen.set('/item/0', 1)
  seen.set('/item/2', 1)
  const items = [{ n: 0 }, { n: 1 }, { n: 2 }]
  const apply = { type: 'http.request', data: { url: `${url}/item/{{n}}` } }
  const map = await run(
    graph([{ id: 'm', type: 'flow.map', data: { items, concurrency: 1, apply } }]),
  )
  const post = await run(graph([httpNode('h', { method: 'POST', url: `${url}/post` })]))
  await Promise.all([arrived('/item/1'), arrived('/post')])
  const picture = graph(withText({ id: 'i', type: 'image.generate', data: image }), [
    'in -> i.prompt',
  ])
  await doubles.fal.plan('running', 'running', 'succeeded')
  const made = await run(picture, { in: 'task made' })
  await doubles.fal.arrived('poll', 1)
  await doubles.fal.plan('running')
  const cancelled = await run(picture, { in: 'task cancelled' })
  await doubles.fal.arrived('submit', 2)
  await doubles.openai.script('chat', { do: 'hold' })
  const lost = await run(graph(withText(text('a')), ['in -> a.prompt']), { in: 'y' })
  await doubles.openai.arrived('chat', 2)
  const done = await run(graph([]))
  await ended(server, done)
  // The server has no time to act on it.
  const asked = server.call({ method: 'POST', path: `${P}/workflow-runs/${cancelled}/cancel` })
  await asked
  return { twoCalls, map, post, made, cancelled, lost, done }
}

for (const { name: database } of databases) {
  test(`${database}: killed in the middle of everything, every run ends as it should and nothing is done twice`, async () => {
    seen.clear()
    await using world = await openWorld(database, { OUTBOUND_ALLOW: '127.0.0.1/32' })
    const first = await world.start()
    const ids = await reachAll(world, first)
    const before = await readRun(first, ids.done)
    await first.kill()
    const second = await world.start()
    const runs: Record<string, Body> = {}
    for (const [name, id] of Object.entries(ids)) runs[name] = await ended(second, id)
    const told = JSON.stringify(runs)
    assert.equal(runs.twoCalls.status, 'COMPLETED', told)
    assert.equal(runs.lost.nodeErrors[0].code, 'PROVIDER_OUTCOME_UNKNOWN', told)
    // One for each of the two calls of the first run, one whose answer was lost.
    assert.equal(await chats(world), 3)
    assert.deepEqual(runs.map.outputs, { m: ['"again"', '"again"', '"again"'] }, told)
    assert.deepEqual([seen.get('/item/0'), seen.get('/item/1'), seen.get('/item/2')], [2, 2, 2])
    assert.equal(runs.post.nodeErrors[0].code, 'HTTP_FAILED', told)
    assert.equal(seen.get('/post'), 1)
    assert.equal(runs.made.status, 'COMPLETED', told)
    assert.equal(runs.made.outputs.i.image.mimeType, 'image/png')
    assert.equal(runs.cancelled.status, 'CANCELLED', told)
    assert.equal((await world.doubles.fal.state()).counts.submit, 2)
    assert.deepEqual(runs.done, before)
    // What the killed process had paid for serves later runs too.
    const again = { inputs: { in: 'x' }, reuse: 'exact' }
    const reusing = await ended(second, await started(second, runs.twoCalls.workflowId, again))
    assert.deepEqual([reusing.status, reusing.cost.amount], ['COMPLETED', 0], told)
    assert.equal(await chats(world), 3)
  })
}

test('a worker paused past its lease loses the run to another and writes nothing afterwards but the cost', async () => {
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
  const deadline = Date.now() + 20_000
  for (;;) {
    const rows = await world.db.query('select id from workers')
    if (rows.length === 2) break
    assert.ok(Date.now() < deadline, 'the paused worker did not come back')
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  // Nobody else knows what its call cost: the ledger learns it, and the run adds it up again.
  const exact = { amount: 0.000106, currency: 'USD' }
  const settled = await eventually(
    () => readRun(api, runId),
    ({ cost, inFlightTaskMayComplete }) => cost.amount === exact.amount && !inFlightTaskMayComplete,
  )
  assert.deepEqual(settled, { ...run, cost: exact })
  assert.deepEqual(await world.db.query('select * from steps order by path'), steps)
  assert.equal(await chats(world), 1)
})
