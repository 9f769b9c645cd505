// A batch that is not back after the vendor's window is cancelled by the server. What it had answered
// is kept, and what it had not goes at the normal price, once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { price, startBatchDouble } from '../../support/provider-doubles/batches.ts'
import { openBench } from '../generation/setting.ts'
import { addWorkflow, ended, graph, started } from './setting.ts'

const pricing = { inputPerMillionTokens: 2, outputPerMillionTokens: 8 }
const models = {
  models: [
    { id: 'test/batched', provider: 'openai', kind: 'TEXT', pricing, batch: true },
    { id: 'test/claude', provider: 'anthropic', kind: 'TEXT', pricing, batch: true },
  ],
}

for (const { name: database } of databases) {
  for (const { id: model } of models.models) {
    test(`a late batch of ${model} is cancelled, and paid for what it answered, on ${database}`, async (t) => {
      const vendor = await startBatchDouble()
      t.after(() => vendor[Symbol.asyncDispose]())
      vendor.batchMs = Number.POSITIVE_INFINITY
      vendor.early.add('early')
      const env = { ...vendor.env, BATCH_WINDOW_SECONDS: '4' }
      const bench = await openBench(t, { database, doubles: [], models, env })
      const apply = { type: 'text.generate', data: { model } }
      const flow = await addWorkflow(
        bench,
        graph(
          [
            { id: 'in', type: 'input.json' },
            { id: 'each', type: 'flow.map', data: { apply } },
          ],
          ['in -> each.items'],
        ),
      )
      const deadlineAt = new Date(Date.now() + 120_000).toISOString()
      const inputs = { in: ['early', 'slow', 'slower'] }
      const runId = await started(bench, flow, { inputs, lane: 'economy', deadlineAt })
      const run = await ended(bench, runId)
      assert.equal(run.status, 'COMPLETED', JSON.stringify(run.nodeErrors))
      assert.deepEqual(
        run.outputs.each,
        inputs.in.map((prompt) => `Answer to ${prompt}`),
      )
      assert.ok(vendor.batches.every(({ isCancelled }) => isCancelled))
      assert.deepEqual(
        [...vendor.accepted.values(), ...vendor.alone.values(), ...vendor.batched.values()],
        Array(6).fill(1),
      )
      assert.deepEqual(
        [[...vendor.alone.keys()].sort(), [...vendor.batched.keys()]],
        [['slow', 'slower'], ['early']],
      )
      assert.equal(vendor.billedMicros(), price.batched + 2 * price.alone)
      assert.equal(Math.round(run.cost.amount * 1e6), vendor.billedMicros())
      const [{ reason, calls }] = run.economy.normal
      assert.deepEqual([run.economy.batched, reason, calls], [1, 'UNPROCESSED', 2])
    })
  }
}
