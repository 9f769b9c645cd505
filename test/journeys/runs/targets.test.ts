import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { type Body, P } from '../../support/server.ts'
import { type Bench, openBench, testModels } from '../generation/setting.ts'
import { addWorkflow, ended, graph, started, submit } from './setting.ts'

const text = (id: string, data: object = {}) => ({
  id,
  type: 'text.generate',
  data: { model: 'test/text', ...data },
})

const prompts = (bench: Bench): string[] =>
  bench.doubles.openai.requests.map(({ body }) => (body as Body).messages.at(-1).content)

const statuses = (run: Body) =>
  Object.fromEntries(run.nodes.map(({ nodeId, status }: Body) => [nodeId, status]))

/** Two branches: topic -> draft -> out, and other -> second -> aside, which join in `both`. */
const forked = (called: number) =>
  graph(
    [
      { id: 'topic', type: 'input.text', data: { required: true } },
      { id: 'other', type: 'input.text', data: { required: true } },
      text('draft'),
      { id: 'second', type: 'workflow.call', data: { workflowId: called } },
      { id: 'both', type: 'flow.merge', data: { mode: 'list' } },
      { id: 'out', type: 'output' },
      { id: 'aside', type: 'output' },
    ],
    [
      'topic -> draft.prompt',
      'other -> second.in',
      'draft -> both',
      'second -> both',
      'draft -> out',
      'both -> aside',
    ],
  )

for (const { name: database } of databases) {
  describe(`a run of some nodes on ${database}`, () => {
    test('executes them and what they need, and is estimated, read and retried as such', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models: testModels })
      const inner = graph([{ id: 'in', type: 'input.text' }, text('t')], ['in -> t.prompt'])
      const called = await addWorkflow(bench, inner)
      const workflowId = await addWorkflow(bench, forked(called))
      const body = { inputs: { topic: 'tea' }, targets: ['draft'] }

      // Only `topic` is needed, whereas the whole graph needs both inputs.
      assert.equal((await submit(bench, workflowId, { inputs: body.inputs })).status, 422)
      const run = await ended(bench, await started(bench, workflowId, body))
      assert.equal(run.status, 'COMPLETED', JSON.stringify(run.nodeErrors))
      const skipped = { other: 'SKIPPED', second: 'SKIPPED', both: 'SKIPPED' }
      const only = { topic: 'COMPLETED', draft: 'COMPLETED', ...skipped }
      assert.deepEqual(statuses(run), { ...only, out: 'SKIPPED', aside: 'SKIPPED' })
      assert.deepEqual(run.outputs, {})
      assert.deepEqual(run.targets, ['draft'])
      assert.deepEqual(prompts(bench), ['tea'])
      const node = await bench.call(`${P}/workflow-runs/${run.runId}/nodes/draft`)
      assert.equal(typeof node.body.data.outputs.text, 'string')

      const toOutput = await ended(
        bench,
        await started(bench, workflowId, { ...body, targets: ['out'] }),
      )
      assert.deepEqual(Object.keys(toOutput.outputs), ['out'])
      assert.deepEqual(statuses(toOutput), { ...only, out: 'COMPLETED', aside: 'SKIPPED' })

      const estimate = async (json: object) => {
        const path = `${P}/workflows/${workflowId}/estimate`
        const answer = await bench.call({ method: 'POST', path, json })
        return answer.status === 200
          ? answer.body.data.nodeEstimates.flatMap(({ nodeId, calls }: Body) =>
              calls > 0 ? [nodeId] : [],
            )
          : answer.status
      }
      assert.deepEqual(await estimate(body), ['draft'])
      assert.deepEqual(await estimate({ inputs: body.inputs }), ['draft', 'second'])

      // A called workflow runs whole: the targets are nodes of the run's own graph.
      const whole = { inputs: { topic: 'tea', other: 'milk' }, targets: ['second'] }
      const second = await ended(bench, await started(bench, workflowId, whole))
      assert.equal(statuses(second).second, 'COMPLETED')
      assert.equal(statuses(second).draft, 'SKIPPED')
      assert.equal(prompts(bench).at(-1), 'milk')

      assert.equal(await estimate({ targets: ['nobody'] }), 422)
      const refused = await submit(bench, workflowId, { ...body, targets: ['draft', 'nobody'] })
      assert.equal(refused.status, 422)
      assert.equal(refused.body.error.details.issues[0].path, '/targets/1')

      bench.doubles.openai.script('chat', { do: 'refuse', status: 400 })
      const failed = await ended(bench, await started(bench, workflowId, body))
      const retry = await bench.call({
        method: 'POST',
        path: `${P}/workflow-runs/${failed.runId}/retry`,
        headers: { 'idempotency-key': randomUUID() },
        json: {},
      })
      const again = await ended(bench, retry.body.data.runId)
      assert.deepEqual(statuses(again), statuses(run))
    })

    test('has another fingerprint than one of all nodes, which keeps its own', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models: testModels })
      const workflowId = await addWorkflow(bench, graph([text('a', { prompt: 'a' })]))
      const key = randomUUID()
      assert.equal((await submit(bench, workflowId, { targets: ['a'] }, { key })).status, 202)
      assert.equal((await submit(bench, workflowId, { targets: ['a'] }, { key })).status, 200)
      assert.equal((await submit(bench, workflowId, {}, { key })).status, 409)
    })
  })
}
