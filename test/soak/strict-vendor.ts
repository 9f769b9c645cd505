// Three servers on one database call a vendor that refuses whatever is over its limits. They are told
// the limits, and none of their calls is refused.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { openWorld } from '../crash/tasks/setting.ts'
import { eventually } from '../journeys/generation/setting.ts'
import { addWorkflow, graph, readRun, started } from '../journeys/runs/setting.ts'
import { respond } from '../support/provider-doubles/openai-responses.ts'
import { type Body, P } from '../support/server.ts'
import type { ServerProcess } from '../support/server-process.ts'

const minuteMs = 60_000
const limits = { concurrency: 8, requestsPerMinute: 600 }

/** Counts in every sixty seconds, wherever they begin. */
async function startVendor() {
  const seen = { served: 0, most: 0, mostPerMinute: 0 }
  const refused: string[] = []
  const arrivals: number[] = []
  const startedMs = performance.now()
  let now = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = JSON.parse(Buffer.concat(chunks).toString())
    const atMs = performance.now()
    while ((arrivals[0] ?? atMs) <= atMs - minuteMs) arrivals.shift()
    response.setHeader('content-type', 'application/json')
    if (now >= limits.concurrency || arrivals.length >= limits.requestsPerMinute) {
      const afterSeconds = Math.round((atMs - startedMs) / 1000)
      refused.push(`${now} at once, ${arrivals.length} in a minute, after ${afterSeconds} s`)
      response.statusCode = 429
      return response.end(JSON.stringify({ error: { message: 'slow down' } }))
    }
    arrivals.push(atMs)
    now++
    seen.most = Math.max(seen.most, now)
    seen.mostPerMinute = Math.max(seen.mostPerMinute, arrivals.length)
    await new Promise((resolve) => setTimeout(resolve, 50 + 250 * Math.random()))
    now--
    seen.served++
    response.end(JSON.stringify(respond(body).body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    ...{ seen, refused },
    env: { OPENAI_BASE_URL: url, OUTBOUND_ALLOW: '127.0.0.1/32' },
    [Symbol.dispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

const model = 'test/text'
const list = graph(
  [
    { id: 'in', type: 'input.json' },
    {
      id: 'each',
      type: 'flow.map',
      data: { apply: { type: 'text.generate', data: { model } }, concurrency: 10, maxItems: 1_000 },
    },
  ],
  ['in -> each.items'],
)

/** One person after the other asks, until the time is over. */
async function askAway(server: ServerProcess, untilMs: number) {
  const statuses: number[] = []
  while (performance.now() < untilMs) {
    const json = { model, messages: [{ role: 'user', content: 'Hello' }] }
    const path = `${P}/chat/completions`
    statuses.push((await server.call({ method: 'POST', path, json })).status)
  }
  return statuses
}

/** People at every server, and lists of runs beside them. */
export async function meetStrictVendor(forMs: number): Promise<object> {
  using vendor = await startVendor()
  await using world = await openWorld('postgres', vendor.env)
  const models = { models: [{ id: model, provider: 'openai', kind: 'TEXT' }] }
  const file = JSON.stringify({ ...models, limits: [{ provider: 'openai', ...limits }] })
  await writeFile(join(world.dataDir, 'models.json'), file)
  const servers = [await world.start(), await world.start(), await world.start()]
  const [first] = servers
  assert.ok(first)
  const workflow = await addWorkflow(first, list)
  const items = Array.from({ length: 150 }, (_, index) => `item ${index}`)
  const runs = await Promise.all(
    servers.map((server) => started(server, workflow, { inputs: { in: items } })),
  )
  const untilMs = performance.now() + forMs
  const asked = await Promise.all(
    servers.flatMap((server) => [1, 2, 3].map(() => askAway(server, untilMs))),
  )
  for (const runId of runs) {
    const { status, nodeErrors }: Body = await eventually(
      (): Promise<Body> => readRun(first, runId),
      (run) => run.completedAt !== null,
      10 * minuteMs,
    )
    assert.equal(status, 'COMPLETED', JSON.stringify(nodeErrors))
  }
  const statuses = Object.groupBy(asked.flat(), String)
  const chats = Object.fromEntries(
    Object.entries(statuses).map(([status, all = []]) => [status, all.length]),
  )
  assert.deepEqual(vendor.refused, [])
  assert.deepEqual(Object.keys(chats), ['200'])
  return { ...vendor.seen, chats, items: runs.length * items.length }
}
