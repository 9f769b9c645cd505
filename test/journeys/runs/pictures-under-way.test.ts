// Whoever wants a picture that is being made already waits for it, and nobody pays for it again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, P } from '../../support/server.ts'
import { type Bench, openBench, testModels } from '../generation/setting.ts'
import { addWorkflow, ended, graph, readRun, started, until } from './setting.ts'

const price = 0.01
const models = {
  models: [
    ...testModels.models,
    {
      id: 'test/image',
      provider: 'fal',
      kind: 'IMAGE',
      providerModel: 'fal-ai/flux/schnell',
      pricing: { perImage: price },
    },
  ],
}

const pictures = (...prompts: string[]) =>
  graph(
    prompts.map((prompt, at) => ({
      ...{ id: `i${at}`, type: 'image.generate' },
      data: { model: 'test/image', prompt },
    })),
  )

const cancelled = (bench: Bench, runId: string) =>
  bench.call({ method: 'POST', path: `${P}/workflow-runs/${runId}/cancel` })

async function retried(bench: Bench, runId: string): Promise<string> {
  const answer = await bench.call({
    ...{ method: 'POST', path: `${P}/workflow-runs/${runId}/retry`, json: {} },
    headers: { 'idempotency-key': `retry-${runId}` },
  })
  assert.equal(answer.status, 202, answer.text)
  return answer.body.data.runId
}

/** A picture that the vendor is making, and goes on making whoever asks it to stop. */
async function pictureUnderWay(bench: Bench, data: object, end: 'succeeded' | 'failed') {
  const { fal } = bench.doubles
  fal.plan(end)
  fal.always('cancel', { do: 'refuse', status: 400 })
  fal.always('poll', { do: 'hold' })
  const workflowId = await addWorkflow(bench, data)
  const runId = await started(bench, workflowId)
  await fal.arrived('poll', 1)
  const run = await until(bench, runId, ({ nodes }) => nodes[0].taskId)
  return { workflowId, runId, taskId: run.nodes[0].taskId as string }
}

const waitsFor = (bench: Bench, runId: string, taskId: string) =>
  until(bench, runId, ({ nodes }) => nodes[0].taskId === taskId)

for (const database of ['sqlite', 'postgres'] as const) {
  test(`the picture of a cancelled run is what its retry and runs that reuse wait for, on ${database}`, async (t) => {
    const bench = await openBench(t, { doubles: ['fal'], models, database })
    const { fal } = bench.doubles
    const { workflowId, runId, taskId } = await pictureUnderWay(bench, pictures('x'), 'succeeded')
    await cancelled(bench, runId)
    assert.equal((await ended(bench, runId)).inFlightTaskMayComplete, true)
    const first = await retried(bench, runId)
    await waitsFor(bench, first, taskId)
    await cancelled(bench, first)
    await ended(bench, first)
    const retry = await retried(bench, first)
    const later = await started(bench, workflowId, { reuse: 'exact' })
    for (const id of [retry, later]) {
      assert.equal((await waitsFor(bench, id, taskId)).status, 'RUNNING')
    }
    const estimate = await bench.call({
      ...{ method: 'POST', path: `${P}/workflows/${workflowId}/estimate` },
      json: { reuse: 'exact' },
    })
    const { lowCost, estimatedCost } = estimate.body.data
    assert.deepEqual([lowCost, estimatedCost], [0, price], 'it may yet fail')
    fal.release()
    for (const id of [retry, later]) {
      const run = await ended(bench, id)
      assert.deepEqual([run.status, run.cost.amount], ['COMPLETED', 0])
      const node = await bench.call(`${P}/workflow-runs/${id}/nodes/i0`)
      assert.match(node.body.data.outputs.image.url, /^http/)
    }
    assert.equal((await readRun(bench, later)).savedCost.amount, price)
    assert.equal((await readRun(bench, later)).nodes[0].reusedFrom.runId, runId)
    const settled = await until(bench, runId, (run) => !run.inFlightTaskMayComplete)
    assert.deepEqual([settled.status, settled.cost.amount], ['CANCELLED', price])
    assert.equal(fal.counts.submit, 1)
  })

  test(`of two runs at once the second waits for the first one's picture, on ${database}`, async (t) => {
    const bench = await openBench(t, { doubles: ['fal'], models, database })
    const { workflowId, runId, taskId } = await pictureUnderWay(bench, pictures('x'), 'succeeded')
    const second = await started(bench, workflowId, { reuse: 'exact' })
    await waitsFor(bench, second, taskId)
    bench.doubles.fal.release()
    const runs = [await ended(bench, runId), await ended(bench, second)]
    assert.deepEqual(
      runs.map((run) => [run.status, run.cost.amount]),
      [
        ['COMPLETED', price],
        ['COMPLETED', 0],
      ],
    )
    assert.equal(bench.doubles.fal.counts.submit, 1)
  })
}

test('a run orders its own picture if the one it waited for came to nothing', async (t) => {
  const bench = await openBench(t, { doubles: ['fal'], models })
  const { fal } = bench.doubles
  const { workflowId, runId, taskId } = await pictureUnderWay(bench, pictures('x'), 'failed')
  const second = await started(bench, workflowId, { reuse: 'exact' })
  await waitsFor(bench, second, taskId)
  fal.plan('succeeded')
  fal.release()
  assert.equal((await ended(bench, runId)).status, 'FAILED')
  const run = await ended(bench, second)
  assert.deepEqual([run.status, run.cost.amount], ['COMPLETED', price])
  assert.equal(fal.counts.submit, 2)
})

test('who waits may be cancelled, and the picture is made for the other all the same', async (t) => {
  const bench = await openBench(t, { doubles: ['fal'], models })
  const { workflowId, runId, taskId } = await pictureUnderWay(bench, pictures('x'), 'succeeded')
  const second = await started(bench, workflowId, { reuse: 'exact' })
  await waitsFor(bench, second, taskId)
  await cancelled(bench, second)
  const given = await ended(bench, second)
  assert.deepEqual([given.status, given.inFlightTaskMayComplete], ['CANCELLED', false])
  assert.equal(bench.doubles.fal.counts.cancel, 0)
  bench.doubles.fal.release()
  assert.equal((await ended(bench, runId)).status, 'COMPLETED')
})

test('a run that does not reuse, and an equal node of a retry, make pictures of their own', async (t) => {
  const bench = await openBench(t, { doubles: ['fal'], models })
  const { fal } = bench.doubles
  const { workflowId, runId } = await pictureUnderWay(bench, pictures('x', 'x'), 'succeeded')
  await fal.arrived('submit', 2)
  await started(bench, workflowId)
  await fal.arrived('submit', 4)
  await cancelled(bench, runId)
  await ended(bench, runId)
  const retry = await retried(bench, runId)
  const { nodes } = await until(bench, retry, (run) => run.nodes.every((n: Body) => n.taskId))
  const before = await readRun(bench, runId)
  const tasks = (run: Body) => run.nodes.map(({ taskId }: Body) => taskId)
  assert.deepEqual(tasks({ nodes }), tasks(before))
  fal.release()
  await ended(bench, retry)
  assert.equal(fal.counts.submit, 4)
})
