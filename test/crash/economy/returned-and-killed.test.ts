// The vendor returned a call unprocessed, and the process died before its run went on.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { eventually } from '../../journeys/generation/setting.ts'
import { addWorkflow, ended, graph, started } from '../../journeys/runs/setting.ts'
import { databases } from '../../support/databases.ts'
import { price, startBatchDouble } from '../../support/provider-doubles/batches.ts'
import { openWorld } from '../tasks/setting.ts'

const models = {
  models: [
    {
      ...{ id: 'test/batched', provider: 'openai', kind: 'TEXT', batch: true },
      pricing: { inputPerMillionTokens: 2, outputPerMillionTokens: 8 },
    },
  ],
}

/** Takes requests and never answers them. */
async function startSilence(t: TestContext) {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, asked: () => once(server, 'request') }
}

for (const { name: database } of databases) {
  test(`a call that came back before a kill is asked once, at the normal price, on ${database}`, async (t) => {
    await using vendor = await startBatchDouble()
    const silence = await startSilence(t)
    const env = { ...vendor.env, MAX_ACTIVE_RUNS: '1', OUTBOUND_ALLOW: '127.0.0.1/32' }
    await using world = await openWorld(database, env)
    await writeFile(join(world.dataDir, 'models.json'), JSON.stringify(models))
    vendor.batchMs = Number.POSITIVE_INFINITY
    vendor.fateOf = () => 'expire'
    let server = await world.start()
    const write = { type: 'text.generate', data: { model: 'test/batched', prompt: 'a' } }
    const flow = await addWorkflow(server, graph([{ id: 'write', ...write }]))
    const deadlineAt = new Date(Date.now() + 600_000).toISOString()
    const runId = await started(server, flow, { lane: 'economy', deadlineAt })
    const statusOf = async () => {
      const [call] = await world.db.query<{ status: string }>(
        `select e.status from economy_calls e join runs r on r.id = e.run_id
         where r.wake_at is not null or e.status = 'RETURNED'`,
      )
      return call?.status
    }
    await eventually(statusOf, (status) => status === 'SENT')
    // The only slot is taken by a run that gets no answer, so that the other one cannot go on.
    const asked = silence.asked()
    const request = { type: 'http.request', data: { method: 'POST', url: silence.url } }
    await started(server, await addWorkflow(server, graph([{ id: 'post', ...request }])))
    await asked
    vendor.batchMs = 0
    await eventually(statusOf, (status) => status === 'RETURNED')
    assert.equal(vendor.alone.size, 0)
    await server.kill()
    server = await world.start()
    const run = await ended(server, runId)
    assert.equal(run.status, 'COMPLETED', JSON.stringify(run.nodeErrors))
    assert.equal(Math.round(run.cost.amount * 1e6), price.alone)
    assert.deepEqual([...vendor.alone], [['a', 1]])
    assert.deepEqual([vendor.batched.size, vendor.accepted.get('a')], [0, 1])
    assert.equal(run.economy.normal[0].reason, 'UNPROCESSED')
  })

  test(`a call that was out alone at a kill counts under maxCost, after a batch returned it, on ${database}`, async () => {
    await using vendor = await startBatchDouble()
    await using world = await openWorld(database, vendor.env)
    await writeFile(join(world.dataDir, 'models.json'), JSON.stringify(models))
    vendor.fateOf = () => 'expire'
    vendor.silent.add('a')
    let server = await world.start()
    const apply = { type: 'text.generate', data: { model: 'test/batched', maxTokens: 100 } }
    const each = { id: 'each', type: 'flow.map', data: { apply, onItemError: 'collect' } }
    const list = graph([{ id: 'in', type: 'input.json' }, each], ['in -> each.items'])
    const flow = await addWorkflow(server, list)
    const deadlineAt = new Date(Date.now() + 600_000).toISOString()
    // One call may cost 800 and its input, so that there is no room for a second.
    const limits = { lane: 'economy', deadlineAt, maxCost: 0.0015 }
    const runId = await started(server, flow, { inputs: { in: ['a', 'b'] }, ...limits })
    await eventually(
      async () => vendor.alone.get('a'),
      (times) => times === 1,
    )
    await server.kill()
    server = await world.start()
    const run = await ended(server, runId)
    assert.equal(run.nodeErrors[0]?.code, 'COST_LIMIT_REACHED', JSON.stringify(run.nodeErrors))
    assert.deepEqual([...vendor.alone], [['a', 1]])
  })
}
