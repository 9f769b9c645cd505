// A copy that is restored while batches are at their vendor asks for their results, which costs
// nothing, and submits nothing: the original may have.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { price, startBatchDouble } from '../../support/provider-doubles/batches.ts'
import { startServer } from '../../support/server.ts'
import { eventually } from '../generation/setting.ts'
import { addWorkflow, graph, readRun, started, until } from '../runs/setting.ts'
import { cli, newFolder, newPlace, rowsOf } from './setting.ts'

const pricing = { inputPerMillionTokens: 2, outputPerMillionTokens: 8 }
const models = [{ id: 'test/batched', provider: 'openai', kind: 'TEXT', pricing, batch: true }]
const write = graph(
  [
    { id: 'in', type: 'input.text' },
    { id: 'write', type: 'text.generate', data: { model: 'test/batched' } },
  ],
  ['in -> write.prompt'],
)

test('a restored copy asks for batches that were submitted, and submits nothing', async (t) => {
  await using vendor = await startBatchDouble()
  vendor.batchMs = Number.POSITIVE_INFINITY
  const folder = await newFolder(t)
  const MODELS_FILE = join(folder, 'models.json')
  await writeFile(MODELS_FILE, JSON.stringify({ models }))
  const env = { ...vendor.env, MODELS_FILE, BATCH_WINDOW_SECONDS: '600' }
  const original = await newPlace(t, 'sqlite')
  const server = await startServer({ ...original, ...env })
  t.after(() => server.stop())
  const flow = await addWorkflow(server, write)
  const begin = (prompt: string) => {
    const deadlineAt = new Date(Date.now() + 86_400_000).toISOString()
    return started(server, flow, { inputs: { in: prompt }, lane: 'economy', deadlineAt })
  }
  const sent = await begin('sent')
  // What is told as submitted may be on its way yet.
  await eventually(
    () => rowsOf(original, `select id from vendor_batches where status = 'SUBMITTED'`),
    (rows) => rows.length === 1,
  )
  vendor.submissions = Array(1_000).fill('busy')
  const queued = await begin('queued')
  await until(server, queued, ({ nodes }) => nodes[1].status === 'WAITING')
  await cli(['backup', join(folder, 'copy')], original)
  await server.stop()
  vendor.submissions = []
  vendor.batchMs = 0
  const copy = await newPlace(t, 'sqlite')
  await cli(['restore', join(folder, 'copy'), '--trust'], copy)
  await using restored = await startServer({ ...copy, ...env })
  const settled = await eventually(
    () =>
      rowsOf<{ run_id: string; outcome: string; cost_micros: number }>(
        copy,
        'select run_id, outcome, cost_micros from ledger',
      ),
    (rows) => rows.every(({ outcome }) => outcome !== 'PENDING'),
  )
  const outcomes = new Map(settled.map((row) => [row.run_id, [row.outcome, row.cost_micros]]))
  assert.deepEqual(outcomes.get(sent), ['SUCCEEDED', price.batched])
  assert.deepEqual(outcomes.get(queued), ['REJECTED', 0])
  for (const runId of [sent, queued])
    assert.equal((await readRun(restored, runId)).status, 'FAILED')
  assert.deepEqual([...vendor.accepted], [['sent', 1]])
  assert.equal(vendor.alone.size, 0)
})
