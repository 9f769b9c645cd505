// A fallback may be dearer than the model in whose place it answers: limits and estimates know that.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { P } from '../../support/server.ts'
import {
  assertFailure,
  attempts,
  ended,
  generate,
  newCustomer,
  openBench,
  says,
  submitted,
} from './setting.ts'

const [cheap, dear] = ['test/cheap', 'test/dear']
const image = { kind: 'IMAGE', capabilities: { inputModalities: ['text'] } }
const models = {
  models: [
    {
      ...{ ...image, id: cheap, provider: 'fal', providerModel: 'fal-ai/flux/schnell' },
      ...{ pricing: { perImage: 0.003 }, fallbacks: [dear] },
    },
    {
      ...{ ...image, id: dear, provider: 'replicate', pricing: { perImage: 0.25 } },
      providerModel: 'black-forest-labs/flux-schnell',
    },
  ],
}

test('a picture that a dearer fallback may make needs room for it, as long as it may', async (t) => {
  const bench = await openBench(t, { doubles: ['fal', 'replicate'], models })
  const order = { model: cheap, messages: [says('A door')] }
  const poor = await newCustomer(bench, { spendLimit: 0.2 })
  const refused = await generate(bench, 'image', order, { key: poor.key })
  const { details } = assertFailure(refused, 403, 'SPEND_LIMIT_REACHED')
  assert.equal(details.needed.amount, 0.25)

  const { key, accountId } = await newCustomer(bench, { spendLimit: 0.3 })
  bench.doubles.fal.script('submit', { do: 'refuse', status: 429 })
  bench.doubles.replicate.plan('succeeded')
  const task = await ended(bench, await submitted(bench, 'image', { model: cheap }, { key }), {
    key,
  })
  assert.deepEqual([task.status, task.cost.amount], ['COMPLETED', 0.25], JSON.stringify(task.error))
  const own = (await attempts(bench)).filter((one) => one.account_id === accountId)
  assert.deepEqual(
    own.map((one) => [one.model, one.outcome, one.reserved_micros, one.cost_micros]),
    [
      [cheap, 'REJECTED', 250_000, 0],
      [dear, 'SUCCEEDED', 250_000, 250_000],
    ],
  )
})

test('the estimate of a picture has the price of each model that may make it', async (t) => {
  const bench = await openBench(t, { doubles: ['fal', 'replicate'], models })
  const data = {
    nodes: [{ id: 'i', type: 'image.generate', data: { model: cheap, prompt: 'A door' } }],
  }
  const made = await bench.call({
    method: 'POST',
    path: `${P}/workflows`,
    json: { name: 'w', data: { ...data, connections: [] } },
  })
  const { workflowId } = made.body.data
  const { body } = await bench.call({
    method: 'POST',
    path: `${P}/workflows/${workflowId}/estimate`,
    json: { inputs: {} },
  })
  const { lowCost, estimatedCost, highCost, exact, assumptions } = body.data
  assert.deepEqual([lowCost, estimatedCost, highCost, exact], [0.003, 0.003, 0.25, false])
  assert.match(assumptions.join(), /If "test\/cheap" is down, test\/dear may answer/)
})
