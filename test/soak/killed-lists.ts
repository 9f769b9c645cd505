// A list of 10,000 items whose server is killed again and again, and what such a list needs in
// memory. The provider counts over a socket how often it was asked for each item.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Db } from '#store/db.ts'
import { openWorld, type World } from '../crash/tasks/setting.ts'
import { eventually } from '../journeys/generation/setting.ts'
import { addWorkflow, graph, readRun, started } from '../journeys/runs/setting.ts'
import { respond } from '../support/provider-doubles/openai-responses.ts'
import type { Body } from '../support/server.ts'
import type { ServerProcess } from '../support/server-process.ts'

const concurrency = 10

const list = graph(
  [
    { id: 'in', type: 'input.json' },
    {
      id: 'each',
      type: 'flow.map',
      data: {
        apply: { type: 'text.generate', data: { model: 'test/text' } },
        concurrency,
        maxItems: 10_000,
        onItemError: 'collect',
      },
    },
  ],
  ['in -> each.items'],
)

const patienceMs = 3_600_000

const ended = (server: ServerProcess, runId: string): Promise<Body> =>
  eventually(
    () => readRun(server, runId),
    (run) => run.completedAt !== null,
    patienceMs,
  )

const itemsOf = (count: number) => Array.from({ length: count }, (_, i) => `item ${i}`)

/** Answers every chat at once. */
async function startCounter() {
  const asked = new Map<string, number>()
  let total = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = JSON.parse(Buffer.concat(chunks).toString())
    const prompt = String(body.input.at(-1).content)
    asked.set(prompt, (asked.get(prompt) ?? 0) + 1)
    total++
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(respond(body).body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    asked,
    total: () => total,
    env: { OPENAI_BASE_URL: url, OUTBOUND_ALLOW: '127.0.0.1/32' },
    [Symbol.dispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Kills the server each time the provider was asked for some more. */
export async function killLists(
  database: Db['kind'],
  { items, kills }: { items: number; kills: number },
): Promise<object> {
  using provider = await startCounter()
  await using world = await openWorld(database, provider.env)
  let server = await world.start()
  const runId = await started(server, await addWorkflow(server, list), {
    inputs: { in: itemsOf(items) },
  })
  for (let kill = 1; kill <= kills; kill++) {
    // What was about to be sent when a server died is never sent: each kill may cost some calls.
    const enough = Math.floor(((items - kill * concurrency) * kill) / (kills + 1))
    await eventually(
      async () => provider.total(),
      (asked) => asked >= enough,
      patienceMs,
    )
    await server.kill()
    // So many deaths in a row would be held against the run.
    await forgive(world)
    server = await world.start()
  }
  const run = await ended(server, runId)
  assert.equal(run.status, 'COMPLETED', JSON.stringify(run.nodeErrors))
  return { kills, ...assertPaidOnce(run, provider.asked, items) }
}

const forgive = (world: World) => world.write('update runs set deaths = 0')

/** Items whose answers were lost with a server were sent once at most, and say so. */
function assertPaidOnce(run: Body, asked: ReadonlyMap<string, number>, items: number): object {
  const { results, errors } = run.outputs.each
  const lost = new Set<number>()
  for (const { index, code } of errors) {
    assert.equal(code, 'PROVIDER_OUTCOME_UNKNOWN')
    lost.add(index)
  }
  for (const [index, item] of itemsOf(items).entries()) {
    const count = asked.get(item) ?? 0
    assert.ok(lost.has(index) ? count <= 1 : count === 1, `${item}: ${count}`)
    assert.equal(typeof results[index], lost.has(index) ? 'object' : 'string')
  }
  return { items, calls: asked.size, lost: lost.size }
}

const reportsPeak = `data:text/javascript,${encodeURIComponent(`
  import { writeFileSync } from 'node:fs'
  import { isMainThread } from 'node:worker_threads'
  const { ATELIER_TEST_PEAK: path } = process.env
  if (isMainThread && path) process.on('exit', () =>
    writeFileSync(path, String(process.resourceUsage().maxRSS)))
`)}`

/** The most memory a server had that made such a list, and one that took it over at its end. */
export async function peakOfList(items: number): Promise<object> {
  using provider = await startCounter()
  await using world = await openWorld('sqlite', provider.env)
  const path = join(world.dataDir, 'peak')
  const start = () => world.start({ ATELIER_TEST_PEAK: path }, ['--import', reportsPeak])
  const peakMb = () => Math.round(Number(readFileSync(path, 'utf8')) / 1024)
  const first = await start()
  const runId = await started(first, await addWorkflow(first, list), {
    inputs: { in: itemsOf(items) },
  })
  assert.equal((await ended(first, runId)).status, 'COMPLETED')
  assert.equal(await first.stop(), 0)
  const whole = peakMb()
  await world.write(
    `update runs set status = 'RUNNING', completed_at = null, outputs = null, owner = null`,
  )
  const second = await start()
  assert.equal((await ended(second, runId)).status, 'COMPLETED')
  assert.equal(await second.stop(), 0)
  assert.equal(provider.total(), items, 'nothing was called again')
  return { items, wholeMb: whole, takenOverMb: peakMb() }
}
