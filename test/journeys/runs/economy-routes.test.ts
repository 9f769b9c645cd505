// Calls of runs with a deadline over routes: the same candidate is asked as without a deadline, if it
// takes batches or has a flex tier.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startBatchDouble } from '../../support/provider-doubles/batches.ts'
import { type Bench, openBench } from '../generation/setting.ts'
import { addWorkflow, ended, graph, started } from './setting.ts'

const model = (id: string, more: object, output = 8) => ({
  ...{ id, provider: 'openai', kind: 'TEXT', ...more },
  pricing: { inputPerMillionTokens: 2, outputPerMillionTokens: output },
})
const even = (...models: string[]) => models.map((id) => ({ model: id, weight: 1 }))
const models = {
  models: [
    model('test/one', { batch: true }),
    { ...model('test/two', { batch: true }), provider: 'anthropic' },
    model('test/dear', { batch: true }, 80),
    model('test/alone', {}, 1),
    model('test/quick', { flex: true }),
    model('test/quicker', { flex: true }),
  ],
  routes: [
    { name: 'batched', candidates: even('test/one', 'test/two') },
    { name: 'flexible', candidates: even('test/quick', 'test/quicker') },
    {
      name: 'mixed',
      candidates: [
        { model: 'test/alone', weight: 1_000 },
        { model: 'test/one', weight: 1 },
      ],
    },
    {
      ...{ name: 'cheapest', sort: 'price' },
      candidates: ['test/dear', 'test/one', 'test/alone'].map((id) => ({ model: id })),
    },
  ],
}
/** So many that no route places them all alike. */
const prompts = Array.from({ length: 40 }, (_, index) => `prompt ${index}`)
const economy = { lane: 'economy', deadlineAt: new Date(Date.now() + 3_600_000).toISOString() }

async function open(t: TestContext) {
  const vendor = await startBatchDouble()
  t.after(() => vendor[Symbol.asyncDispose]())
  const env = { ...vendor.env, BATCH_WINDOW_SECONDS: '600' }
  return openBench(t, { doubles: [], models, env })
}

/** The model that was asked for each item. */
async function placed(bench: Bench, route: string, more: object, items = prompts) {
  const apply = { type: 'text.generate', data: { model: `route:${route}` } }
  const each = { id: 'each', type: 'flow.map', data: { apply, concurrency: 10 } }
  const data = graph([{ id: 'in', type: 'input.json' }, each], ['in -> each.items'])
  const flow = await addWorkflow(bench, data)
  const run = await ended(bench, await started(bench, flow, { inputs: { in: items }, ...more }))
  assert.equal(run.status, 'COMPLETED', JSON.stringify(run.nodeErrors))
  const rows = await bench.db.query<{ node_id: string; model: string }>(
    `select node_id, model from ledger where run_id = $1 and outcome = 'SUCCEEDED'`,
    [run.runId],
  )
  const models = new Map(rows.map(({ node_id, model }) => [node_id.replace(/#.*/, ''), model]))
  return { run, models }
}

for (const [route, count] of [
  ['batched', 'batched'],
  ['flexible', 'flex'],
] as const) {
  test(`a weighted route places each call as without a deadline: ${route}`, async (t) => {
    const bench = await open(t)
    const usual = await placed(bench, route, {})
    const late = await placed(bench, route, economy)
    assert.equal(late.run.economy[count], prompts.length)
    assert.deepEqual(late.models, usual.models)
    assert.equal(new Set(late.models.values()).size, 2)
  })
}

test('a candidate that takes no batches is left out, and the cheapest of the others asked', async (t) => {
  const bench = await open(t)
  for (const route of ['mixed', 'cheapest']) {
    const { run, models } = await placed(bench, route, economy, ['a', 'b'])
    assert.equal(run.economy.batched, 2)
    assert.deepEqual([...models.values()], ['test/one', 'test/one'], route)
  }
})
