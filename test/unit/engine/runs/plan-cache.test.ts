import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createPlanCache, type PinnedRun } from '#engine/runs/run-plan.ts'

/** A store with one graph; `made` counts how often it was read. */
function graphsOf(padding: string) {
  const node = { id: 'a', type: 'input.text', data: { required: false, padding } }
  const data = JSON.stringify({ nodes: [node], connections: [] })
  let made = 0
  const graph = async () => {
    made++
    return { text: data, value: JSON.parse(data) }
  }
  return { plans: createPlanCache({ graph }, () => () => undefined), made: () => made }
}

const run = (account_id: string, workflow_id: number): PinnedRun => ({
  account_id,
  workflow_id,
  data_version: 1,
  called: null,
})

describe('plans', () => {
  test('are made once for runs that begin together and for those that follow', async () => {
    const { plans, made } = graphsOf('')
    const [first, second] = await Promise.all([
      plans.planOf(run('ada', 1)),
      plans.planOf(run('ada', 1)),
    ])
    assert.equal(first, second)
    assert.equal(await plans.planOf(run('ada', 1)), first)
    assert.equal(made(), 1)
  })

  test('of one account evict no plan of another, however many and large they are', async () => {
    const { plans, made } = graphsOf('x'.repeat(100_000))
    const theirs = await plans.planOf(run('bob', 1))
    for (let i = 2; i < 200; i++) await plans.planOf(run('ada', i))
    assert.equal(await plans.planOf(run('bob', 1)), theirs)
    // What was used last is still there, and what was used long ago is not.
    const before = made()
    await plans.planOf(run('ada', 199))
    assert.equal(made(), before)
    await plans.planOf(run('ada', 2))
    assert.equal(made(), before + 1)
  })

  test('too large for an account’s share are made for each run', async () => {
    const { plans, made } = graphsOf('x'.repeat(1_000_000))
    await plans.planOf(run('ada', 1))
    await plans.planOf(run('ada', 1))
    assert.equal(made(), 2)
  })
})
