import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { P } from '../../support/server.ts'
import { addWorkflow, at, type Console, dataOf, onBothDatabases, refusedAs } from './setting.ts'

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
  test('every run of a span is compared once, answer by answer', async () => {
    const workflowId = await addWorkflow(on, graph, 'Harbour')
    const runs = []
    for (let count = 0; count < 8; count++) runs.push(await completedRun(on, workflowId))
    // The sums come first: their answer makes few estimates and says where to go on.
    const usage = await dataOf(on.owner, '/usage?split=workflow')
    const span = `from=${usage.from}&to=${usage.to}&tz=${usage.tz}`
    const pages = [usage.estimates]
    for (let cursor = usage.estimatesNext; cursor !== null; ) {
      const page = await dataOf(on.owner, `/usage/estimates?${span}&cursor=${cursor}`)
      pages.push(page.items)
      cursor = page.next
    }
    assert.ok(pages.length > 1)
    const rows = pages.flat()
    assert.deepEqual(new Set(rows.map(({ name }) => name)), new Set(['Harbour']))
    const micros = (amount: number) => Math.round(amount * 1_000_000)
    const sum = (all: number[]) => all.reduce((total, one) => total + one, 0)
    assert.equal(sum(rows.map((row) => row.runs)), 8)
    assert.equal(
      sum(rows.map((row) => micros(row.actual.amount))),
      sum(runs.map((run) => micros(run.cost.amount))),
    )
    const views = await Promise.all(
      runs.map(({ runId }) => dataOf(on.owner, `/runs/${runId}/view`)),
    )
    assert.equal(
      sum(rows.map((row) => micros(row.estimated.amount))),
      sum(views.map((view) => micros(view.estimate.estimatedCost))),
    )
    // What was made is kept: the same question is now answered at once.
    const again = await dataOf(on.owner, '/usage')
    assert.deepEqual([again.estimates[0].runs, again.estimatesNext], [8, null])
    refusedAs(
      await at(
        on.owner,
        `/usage/estimates?from=2020-01-01&to=2020-01-02&cursor=${usage.estimatesNext}`,
      ),
      400,
      'INVALID_REQUEST',
    )
  })

  test('the runs of a workflow are its series, equal to what they cost', async () => {
    const usage = await dataOf(on.owner, '/usage?split=workflow')
    const [series] = usage.series
    assert.equal(series.label, 'Harbour')
    assert.equal(series.calls, 16)
    const calls = await dataOf(
      on.owner,
      `/calls?from=2020-01-01T00:00:00Z&workflowId=${series.key}`,
    )
    assert.equal(calls.items.length, 16)
  })

  test('a stranger, and a span without runs, have none', async () => {
    assert.deepEqual((await dataOf(on.stranger, '/usage')).estimates, [])
    const past = await dataOf(on.owner, '/usage?from=2020-01-01&to=2020-01-02')
    assert.deepEqual([past.estimates, past.total.calls], [[], 0])
  })
})
