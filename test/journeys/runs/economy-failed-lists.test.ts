// A batch answers many calls of a run at once. If one of them fails the run, the others were paid for
// all the same, and a retry does not pay for them again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { price, startBatchDouble } from '../../support/provider-doubles/batches.ts'
import { P } from '../../support/server.ts'
import { openBench } from '../generation/setting.ts'
import { addWorkflow, ended, graph, started, until } from './setting.ts'

const pricing = { inputPerMillionTokens: 2, outputPerMillionTokens: 8 }
const models = {
  models: [{ id: 'test/batched', provider: 'openai', kind: 'TEXT', pricing, batch: true }],
}
const items = Array.from({ length: 8 }, (_, i) => `item ${i}`)
const apply = { type: 'text.generate', data: { model: 'test/batched' } }

for (const { name: database } of databases) {
  test(`what a batch answered for a list that failed is not paid for again, on ${database}`, async (t) => {
    const vendor = await startBatchDouble()
    t.after(() => vendor[Symbol.asyncDispose]())
    vendor.batchMs = Number.POSITIVE_INFINITY
    vendor.fateOf = (prompt) => (prompt === 'item 1' ? 'invalid' : 'answer')
    const env = { ...vendor.env, BATCH_WINDOW_SECONDS: '600' }
    const bench = await openBench(t, { database, doubles: [], models, env })
    const flow = await addWorkflow(
      bench,
      graph(
        [
          { id: 'in', type: 'input.json' },
          { id: 'each', type: 'flow.map', data: { apply, concurrency: 2 } },
        ],
        ['in -> each.items'],
      ),
    )
    const deadlineAt = new Date(Date.now() + 3_600_000).toISOString()
    const runId = await started(bench, flow, {
      ...{ inputs: { in: items }, lane: 'economy', deadlineAt },
    })
    await until(bench, runId, ({ economy }) => economy?.submitted === items.length)
    vendor.batchMs = 0
    const run = await ended(bench, runId)
    assert.deepEqual([run.status, run.nodeErrors[0].code], ['FAILED', 'INVALID_REQUEST'])
    const settled = await until(bench, runId, (seen) => !seen.inFlightTaskMayComplete)
    assert.equal(Math.round(settled.cost.amount * 1e6), 7 * price.batched)
    vendor.fateOf = () => 'answer'
    const answer = await bench.call({
      ...{ method: 'POST', path: `${P}/workflow-runs/${runId}/retry`, json: {} },
      headers: { 'idempotency-key': 'again' },
    })
    assert.equal(answer.status, 202, answer.text)
    const retry = await ended(bench, answer.body.data.runId)
    assert.deepEqual([retry.status, retry.nodeErrors], ['COMPLETED', []])
    assert.deepEqual(
      items.map((item) => [item, vendor.accepted.get(item)]),
      items.map((item) => [item, item === 'item 1' ? 2 : 1]),
    )
  })
}
