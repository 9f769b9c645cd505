import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../journeys/generation/setting.ts'
import { addWorkflow, ended, graph, started, until } from '../../journeys/runs/setting.ts'
import { P } from '../../support/server.ts'
import { openWorld } from '../tasks/setting.ts'

test('the picture of a run cancelled after its worker died is paid by it, and kept for later ones', async () => {
  await using world = await openWorld('postgres')
  const { fal } = world.doubles
  await fal.plan('running', 'running', 'running', 'running', 'succeeded')
  const api = await world.start({ ROLE: 'api' })
  const worker = await world.start({ ROLE: 'worker' })
  const picture = graph(
    [
      { id: 'in', type: 'input.text' },
      { id: 'i', type: 'image.generate', data: { model: 'fal/flux-schnell' } },
    ],
    ['in -> i.prompt'],
  )
  const workflowId = await addWorkflow(api, picture)
  const inputs = { in: 'task x' }
  const runId = await started(api, workflowId, { inputs })
  await fal.arrived('poll', 1)
  await worker.kill()
  // Before anybody can ask for it.
  await fal.script('cancel', { do: 'refuse', status: 400 })
  await api.call({ method: 'POST', path: `${P}/workflow-runs/${runId}/cancel` })
  await world.start({ ROLE: 'worker' })
  const run = await ended(api, runId)
  assert.equal(run.status, 'CANCELLED')
  await eventually(
    () => world.db.query<{ outcome: string }>('select outcome from ledger'),
    (rows) => rows.every(({ outcome }) => outcome === 'SUCCEEDED'),
  )
  const settled = await until(api, runId, (seen) => !seen.inFlightTaskMayComplete)
  assert.ok(settled.cost.amount > 0)
  const again = await ended(api, await started(api, workflowId, { inputs, reuse: 'exact' }))
  assert.equal(again.status, 'COMPLETED')
  assert.equal(again.cost.amount, 0)
  const { counts } = await fal.state()
  assert.equal(counts.submit, 1)
})
