import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { type Body, P } from '../../support/server.ts'
import { type Bench, newCustomer, openBench, testModels } from '../generation/setting.ts'
import { addWorkflow, type Caller, ended, graph, started, submit } from './setting.ts'

const text = (id: string, data: object = {}) => ({
  id,
  type: 'text.generate',
  data: { model: 'test/text', ...data },
})

/** topic -> draft -> picture -> seen -> out; the draft is also counted, by a node without calls. */
const story = graph(
  [
    { id: 'topic', type: 'input.text' },
    text('draft'),
    { id: 'picture', type: 'image.generate', data: { model: 'fal/flux-schnell' } },
    text('seen', { prompt: 'What is it?' }),
    { id: 'length', type: 'json.transform', data: { expression: '$length($)' } },
    { id: 'out', type: 'output' },
  ],
  [
    'topic -> draft.prompt',
    'draft -> picture.prompt',
    'draft -> length',
    'picture -> seen.image',
    'seen -> out',
  ],
)

const made = ({ doubles }: Bench) => ({
  text: doubles.openai?.counts.chat ?? 0,
  pictures: doubles.fal?.counts.submit ?? 0,
})

const statuses = (run: Body) =>
  Object.fromEntries(run.nodes.map(({ nodeId, status }: Body) => [nodeId, status]))

async function outputsAt(bench: Bench, runId: string, nodeId: string): Promise<Body> {
  const { body } = await bench.call(`${P}/workflow-runs/${runId}/nodes/${nodeId}`)
  return body.data.outputs
}

for (const { name: database } of databases) {
  describe(`pinned results on ${database}`, () => {
    const open = async (t: Parameters<typeof openBench>[0]) => {
      const bench = await openBench(t, { database, doubles: ['openai', 'fal'], models: testModels })
      const workflowId = await addWorkflow(bench, story)
      const run = async (body: object) =>
        ended(bench, await started(bench, workflowId, { inputs: { topic: 'tea' }, ...body }))
      return { bench, workflowId, run }
    }

    test('take the place of their nodes and of all that only these need', async (t) => {
      const { bench, run } = await open(t)
      const first = await run({})
      assert.equal(first.status, 'COMPLETED', JSON.stringify(first.nodeErrors))
      const before = made(bench)

      const inputs = { topic: 'coffee' }
      const pins = { picture: first.runId, length: first.runId }
      const second = await run({ inputs, pins })
      assert.equal(second.status, 'COMPLETED', JSON.stringify(second.nodeErrors))
      assert.deepEqual(made(bench), { ...before, text: before.text + 1 })
      assert.deepEqual(second.pins, pins)
      assert.deepEqual(statuses(second), {
        ...{ topic: 'SKIPPED', draft: 'SKIPPED', picture: 'COMPLETED' },
        ...{ seen: 'COMPLETED', length: 'COMPLETED', out: 'COMPLETED' },
      })
      // A record of its own, so that it lives as long as this run; the bytes are the same.
      const [old, kept] = await Promise.all(
        [first, second].map(async ({ runId }) => {
          const { image } = await outputsAt(bench, runId, 'picture')
          return { url: image.url, bytes: (await bench.call(new URL(image.url).pathname)).text }
        }),
      )
      assert.notEqual(old?.url, kept?.url)
      assert.equal(old?.bytes, kept?.bytes)
      assert.deepEqual(
        await outputsAt(bench, second.runId, 'length'),
        await outputsAt(bench, first.runId, 'length'),
      )
    })

    test('are estimated at nothing, kept by a retry, and refused where they are not known', async (t) => {
      const { bench, workflowId, run } = await open(t)
      const first = await run({})
      const pins = { draft: first.runId }
      const estimate = async (json: object) => {
        const path = `${P}/workflows/${workflowId}/estimate`
        const { status, body } = await bench.call({ method: 'POST', path, json })
        if (status !== 200) return body.error.details.issues[0].path
        const nodes: Body[] = body.data.nodeEstimates
        return nodes.filter(({ calls }) => calls > 0).map(({ nodeId }) => nodeId)
      }
      assert.deepEqual(await estimate({ pins }), ['picture', 'seen'])
      // Identifiers are the same in capitals.
      const capitals = { draft: first.runId.toUpperCase() }
      assert.deepEqual(await estimate({ pins: capitals }), ['picture', 'seen'])
      assert.equal(await estimate({ pins: { nobody: first.runId } }), '/pins/nobody')
      assert.equal(await estimate({ pins: { topic: first.runId } }), '/pins/topic')
      assert.equal(await estimate({ pins: { draft: randomUUID() } }), '/pins/draft')
      const { key: other } = await newCustomer(bench)
      const stranger: Caller = {
        call: (call) =>
          bench.call({ ...(typeof call === 'string' ? { path: call } : call), key: other }),
      }
      const theirs = await submit(stranger, await addWorkflow(stranger, story), { pins })
      assert.equal(theirs.body.error.details.issues[0].path, '/pins/draft')
      const key = randomUUID()
      const pinned = await submit(bench, workflowId, { pins }, { key })
      assert.equal(pinned.status, 202)
      assert.equal((await submit(bench, workflowId, {}, { key })).status, 409)
      await ended(bench, pinned.body.data.runId)

      bench.doubles.openai?.script('chat', { do: 'refuse', status: 400 })
      const failed = await run({ inputs: { topic: 'coffee' }, pins, targets: ['seen'] })
      assert.equal(failed.status, 'FAILED')
      for (const version of ['same', 'newest']) {
        const retry = await bench.call({
          ...{ method: 'POST', path: `${P}/workflow-runs/${failed.runId}/retry` },
          ...{ headers: { 'idempotency-key': randomUUID() }, json: { version } },
        })
        const again = await ended(bench, retry.body.data.runId)
        assert.equal(again.status, 'COMPLETED', JSON.stringify(again.nodeErrors))
        assert.deepEqual(again.pins, pins)
        assert.equal(statuses(again).topic, 'SKIPPED')
      }
    })

    test('a node can be executed anew while the others are reused', async (t) => {
      const { bench, run } = await open(t)
      await run({ reuse: 'exact' })
      const before = made(bench)
      const again = await run({ reuse: 'exact', targets: ['draft'], fresh: ['draft'] })
      assert.equal(again.status, 'COMPLETED', JSON.stringify(again.nodeErrors))
      assert.deepEqual(made(bench), { ...before, text: before.text + 1 })
      await run({ reuse: 'exact', targets: ['draft'] })
      assert.deepEqual(made(bench), { ...before, text: before.text + 1 })
    })
  })
}
