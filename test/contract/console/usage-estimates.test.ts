import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { P } from '../../support/server.ts'
import { addWorkflow, type Console, dataOf, onBothDatabases } from './setting.ts'

const graph = {
  nodes: [
    { id: 'prompt', type: 'input.text', data: {} },
    { id: 'text', type: 'text.generate', data: { model: 'demo-text' } },
    { id: 'picture', type: 'image.generate', data: { model: 'demo-image' } },
    { id: 'out', type: 'output', data: {} },
  ],
  connections: [
    { source: 'prompt', target: 'text', targetHandle: 'prompt' },
    { source: 'text', sourceHandle: 'text', target: 'picture', targetHandle: 'prompt' },
    { source: 'picture', sourceHandle: 'image', target: 'out' },
  ],
}

async function completedRun(on: Console, workflowId: number) {
  const accepted = await on.api({
    method: 'POST',
    path: `${P}/workflows/${workflowId}/runs`,
    headers: { 'idempotency-key': crypto.randomUUID() },
    json: { inputs: { prompt: 'A quiet harbour' } },
  })
  const path = `${P}/workflow-runs/${accepted.body.data.runId}`
  for (;;) {
    const { data } = (await on.api(path)).body
    if (data.completedAt !== null) return data
    await pause(20)
  }
}

onBothDatabases('estimates against actual cost', (on) => {
  test('the newest run of each workflow is compared, and whatever somebody has looked at', async () => {
    const workflowId = await addWorkflow(on, graph, 'Harbour')
    const first = await completedRun(on, workflowId)
    await completedRun(on, workflowId)
    const newest = await completedRun(on, workflowId)
    assert.equal(newest.status, 'COMPLETED')
    const [fresh, ...others] = (await dataOf(on.owner, '/usage?split=workflow')).estimates
    assert.deepEqual(others, [])
    assert.deepEqual([fresh.workflowId, fresh.name, fresh.runs], [workflowId, 'Harbour', 1])
    assert.deepEqual(fresh.actual, newest.cost)
    const view = await dataOf(on.owner, `/runs/${newest.runId}/view`)
    assert.equal(fresh.estimated.amount, view.estimate.estimatedCost)
    const looked = await dataOf(on.owner, `/runs/${first.runId}/view`)
    const [both] = (await dataOf(on.owner, '/usage')).estimates
    assert.equal(both.runs, 2)
    const micros = (amount: number) => Math.round(amount * 1_000_000)
    assert.equal(
      micros(both.estimated.amount),
      micros(view.estimate.estimatedCost) + micros(looked.estimate.estimatedCost),
    )
    assert.equal(micros(both.actual.amount), micros(newest.cost.amount) + micros(first.cost.amount))
  })

  test('the runs of a workflow are its series, equal to what they cost', async () => {
    const usage = await dataOf(on.owner, '/usage?split=workflow')
    const [series] = usage.series
    assert.equal(series.label, 'Harbour')
    assert.equal(series.calls, 6)
    const calls = await dataOf(
      on.owner,
      `/calls?from=2020-01-01T00:00:00Z&workflowId=${series.key}`,
    )
    assert.equal(calls.items.length, 6)
  })

  test('a stranger, and a span without runs, have none', async () => {
    assert.deepEqual((await dataOf(on.stranger, '/usage')).estimates, [])
    const past = await dataOf(on.owner, '/usage?from=2020-01-01&to=2020-01-02')
    assert.deepEqual([past.estimates, past.total.calls], [[], 0])
  })
})
