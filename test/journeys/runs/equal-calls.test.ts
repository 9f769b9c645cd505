// A run that reuses answers takes over those of its own equal calls, too: whether a later one is
// paid depends on when the first has ended.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { P } from '../../support/server.ts'
import { openBench, testModels } from '../generation/setting.ts'
import { addWorkflow, ended, graph, started } from './setting.ts'

const image = (id: string) => ({
  ...{ id, type: 'image.generate' },
  data: { model: 'fal/flux-schnell' },
})
const later = { id: 'later', type: 'wait.delay', data: { seconds: 3 } }

for (const { name: database } of databases) {
  test(`an equal call later in a run may cost nothing in the estimate (${database})`, async (t) => {
    const bench = await openBench(t, { database, doubles: ['fal'], models: testModels })
    const twice = graph(
      [{ id: 'topic', type: 'input.text' }, later, image('a'), image('b')],
      ['topic -> a.prompt', 'topic -> later.value', 'later.value -> b.prompt'],
    )
    const workflowId = await addWorkflow(bench, twice)
    const body = { inputs: { topic: 'tea' }, reuse: 'exact' }
    const path = `${P}/workflows/${workflowId}/estimate`
    const estimate = (await bench.call({ method: 'POST', path, json: body })).body.data
    const run = await ended(bench, await started(bench, workflowId, body))
    const { amount } = run.cost
    assert.equal(run.savedCost.amount, amount)
    assert.deepEqual(
      [estimate.lowCost, estimate.highCost, estimate.exact],
      [amount, 2 * amount, false],
    )
  })
}
