import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, P } from '../../support/server.ts'
import {
  assertFailure,
  type Bench,
  eventually,
  openBench,
  testModels,
} from '../generation/setting.ts'
import { addWorkflow, type Caller, ended, graph, readRun, started, until } from './setting.ts'

const models = {
  models: [
    ...testModels.models,
    {
      id: 'test/image',
      provider: 'fal',
      kind: 'IMAGE',
      providerModel: 'fal-ai/flux/schnell',
      pricing: { perImage: 0.01 },
    },
  ],
}

const cancel = async (on: Caller, runId: string, json?: unknown): Promise<Body> => {
  const answer = await on.call({
    method: 'POST',
    path: `${P}/workflow-runs/${runId}/cancel`,
    ...(json === undefined ? {} : { json }),
  })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

const textThen = (rest: string) =>
  graph(
    [
      { id: 'in', type: 'input.text' },
      { id: 'g', type: 'text.generate', data: { model: 'test/text' } },
      { id: 'next', type: 'text.generate', data: { model: 'test/text' } },
      { id: 'o', type: 'output' },
    ],
    ['in -> g.prompt', `${rest} -> next.prompt`, 'next -> o'],
  )

async function textRun(bench: Bench) {
  bench.doubles.openai.script('chat', { do: 'hold' })
  const workflowId = await addWorkflow(bench, textThen('g'))
  const runId = await started(bench, workflowId, { inputs: { in: 'hello' } })
  await bench.doubles.openai.arrived('chat', 1)
  return runId
}

for (const database of ['sqlite', 'postgres'] as const) {
  test(`${database}: a call that was sent is not awaited; its cost is added once it is settled, its answer kept for others`, async (t) => {
    const bench = await openBench(t, { doubles: ['openai'], models, database })
    const runId = await textRun(bench)
    const asked = await cancel(bench, runId, { reason: 'no\u0000 longer' })
    assert.equal(asked.accepted, true)
    assert.equal(asked.cancelReason, 'no\u0000 longer')
    assert.equal(asked.inFlightTaskMayComplete, true)
    const run = await ended(bench, runId)
    assert.equal(run.status, 'CANCELLED')
    assert.equal(run.inFlightTaskMayComplete, true)
    assert.equal(run.cost.amount, 0)
    assert.deepEqual(
      run.nodes.map((node: Body) => node.status),
      ['COMPLETED', 'CANCELLED', 'CANCELLED', 'CANCELLED'],
    )
    bench.doubles.openai.release()
    const settled = await until(bench, runId, (seen) => !seen.inFlightTaskMayComplete)
    assert.ok(settled.cost.amount > 0)
    assert.equal(settled.status, 'CANCELLED')
    assert.deepEqual([settled.outputs, settled.nodes[1].status], [null, 'CANCELLED'])
    const node = await eventually(
      () => bench.call(`${P}/workflow-runs/${runId}/nodes/g`),
      ({ body }) => body.data.calls[0].completedAt !== null,
    )
    assert.equal(node.body.data.outputs.text, 'You said: hello')
    assert.equal(bench.doubles.openai.counts.chat, 1)
    const { body } = await bench.call({
      method: 'POST',
      path: `${P}/workflow-runs/${runId}/retry`,
      headers: { 'idempotency-key': 'again' },
      json: {},
    })
    assert.equal((await ended(bench, body.data.runId)).status, 'COMPLETED')
    assert.equal(bench.doubles.openai.counts.chat, 2, 'what was paid for is not asked again')
  })

  test(`${database}: cancelling again changes nothing, also after the end`, async (t) => {
    const bench = await openBench(t, { doubles: ['openai'], models, database })
    const runId = await textRun(bench)
    await cancel(bench, runId, { reason: 'first' })
    const again = await cancel(bench, runId, { reason: 'second' })
    assert.equal(again.cancelReason, 'first')
    const run = await ended(bench, runId)
    const late = await cancel(bench, runId, { reason: 'third' })
    assert.deepEqual(
      [late.accepted, late.status, late.cancelReason, late.retryAfterSeconds],
      [false, 'CANCELLED', 'first', 0],
    )
    assert.equal(late.cancelRequestedAt, run.cancelRequestedAt)
  })

  test(`${database}: a provider that can cancel is asked to, and unsent tasks end`, async (t) => {
    const env = { MAX_TASKS_IN_FLIGHT: '1' }
    const bench = await openBench(t, { doubles: ['fal'], models, database, env })
    bench.doubles.fal.plan('running')
    const nodes = ['a', 'b'].map((id) => ({
      id,
      type: 'image.generate',
      data: { model: 'test/image', prompt: id },
    }))
    const runId = await started(bench, await addWorkflow(bench, graph(nodes)))
    await bench.doubles.fal.arrived('poll', 1)
    await eventually(
      () => bench.call(`${P}/tasks`),
      ({ body }) => body.data.total === 2,
    )
    await cancel(bench, runId)
    const run = await ended(bench, runId)
    assert.equal(run.status, 'CANCELLED')
    await bench.doubles.fal.arrived('cancel', 1)
    await until(bench, runId, (seen) => !seen.inFlightTaskMayComplete)
    const { body } = await bench.call(`${P}/tasks`)
    const states = body.data.items.map((task: Body) => task.status).sort()
    assert.deepEqual(states, ['CANCELLED', 'FAILED'])
    assert.equal(bench.doubles.fal.counts.submit, 1)
  })
}

test('a cancellation reaches maps and called workflows: nothing further is called', async (t) => {
  const bench = await openBench(t, { doubles: ['openai'], models })
  bench.doubles.openai.always('chat', { do: 'hold' })
  const inner = await addWorkflow(bench, textThen('g'))
  const apply = { type: 'workflow.call', data: { workflowId: inner } }
  const outer = graph([
    { id: 'm', type: 'flow.map', data: { items: ['a', 'b', 'c', 'd'], concurrency: 2, apply } },
  ])
  const runId = await started(bench, await addWorkflow(bench, outer))
  await bench.doubles.openai.arrived('chat', 2)
  await cancel(bench, runId)
  assert.equal((await ended(bench, runId)).status, 'CANCELLED')
  bench.doubles.openai.release()
  await until(bench, runId, (seen) => !seen.inFlightTaskMayComplete)
  assert.equal(bench.doubles.openai.counts.chat, 2)
})

test('a run that has ended is not cancelled', async (t) => {
  const bench = await openBench(t)
  const runId = await started(bench, await addWorkflow(bench, graph([])))
  await ended(bench, runId)
  const late = await cancel(bench, runId)
  assert.deepEqual([late.accepted, late.status, late.cancelRequestedAt], [false, 'COMPLETED', null])
})

test('a failure stored before the request makes the run FAILED, not CANCELLED', async (t) => {
  const bench = await openBench(t, { doubles: ['openai'], models })
  bench.doubles.openai.script('chat', { do: 'hold' })
  const data = graph([
    { id: 'held', type: 'text.generate', data: { model: 'test/text', prompt: 'x' } },
    { id: 'bad', type: 'json.transform', data: { input: 1, expression: '$error("no")' } },
  ])
  const runId = await started(bench, await addWorkflow(bench, data))
  await bench.doubles.openai.arrived('chat', 1)
  await until(bench, runId, (seen) => seen.nodeErrors.length > 0)
  assert.equal((await readRun(bench, runId)).status, 'RUNNING')
  await cancel(bench, runId)
  const run = await ended(bench, runId)
  assert.equal(run.status, 'FAILED')
  assert.equal(run.nodeErrors[0].nodeId, 'bad')
})

test('cancel takes a reason of up to 500 characters and nothing else', async (t) => {
  const bench = await openBench(t)
  const runId = await started(bench, await addWorkflow(bench, graph([])))
  const path = `${P}/workflow-runs/${runId}/cancel`
  for (const json of [{ reason: 'x'.repeat(501) }, { reason: 7 }, { other: 1 }]) {
    assertFailure(await bench.call({ method: 'POST', path, json }), 400, 'INVALID_REQUEST')
  }
})
