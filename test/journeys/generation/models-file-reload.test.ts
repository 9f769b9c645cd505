import assert from 'node:assert/strict'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { startDouble } from '../../support/provider-doubles/double.ts'
import { wires } from '../../support/provider-doubles/wires.ts'
import { type Body, P } from '../../support/server.ts'
import { graph } from '../runs/setting.ts'
import {
  assertFailure,
  type Bench,
  chat,
  ended,
  eventually,
  newCustomer,
  openBench,
  says,
  submitted,
} from './setting.ts'

/** As editors and clusters do it: the new file takes the place of the old one. */
async function write(bench: Bench, content: object | string): Promise<void> {
  const path = join(bench.dataDir, 'models.json')
  await writeFile(`${path}.new`, typeof content === 'string' ? content : JSON.stringify(content))
  await rename(`${path}.new`, path)
}

const listed = async (bench: Bench): Promise<Body[]> =>
  (await bench.call(`${P}/models`)).body.data.items
const idsOf = async (bench: Bench) => (await listed(bench)).map(({ id }) => id)
const hello = [says('Hello')]

describe('MODELS_FILE that changes while the server runs', () => {
  test('adds, changes and takes away models and servers without a restart', async (t) => {
    const first = await startDouble(wires.openai, { key: 'first-key' })
    const second = await startDouble(wires.openai, { key: 'second-key' })
    t.after(() => Promise.all([first.close(), second.close()]))
    const endpoint = ({ url, key }: typeof first) => ({ name: 'here', baseUrl: url, apiKey: key })
    const model = { id: 'llama', provider: 'here', kind: 'TEXT' }
    const bench = await openBench(t)
    await write(bench, { endpoints: [endpoint(first)], models: [model] })
    await eventually(
      () => idsOf(bench),
      (ids) => ids.includes('llama'),
    )
    assert.equal((await chat(bench, { model: 'llama', messages: hello })).status, 200)
    const dear = { ...model, pricing: { inputPerMillionTokens: 1, outputPerMillionTokens: 2 } }
    await write(bench, { endpoints: [endpoint(second)], models: [dear] })
    await eventually(
      () => listed(bench),
      (models) => models.some(({ id, pricing }) => id === 'llama' && pricing !== null),
    )
    const answer = await chat(bench, { model: 'llama', messages: hello })
    assert.ok(answer.body.data.cost.amount > 0)
    assert.deepEqual([first.counts.accepted, second.counts.accepted], [1, 1])
    await write(bench, {})
    await eventually(
      () => idsOf(bench),
      (ids) => !ids.includes('llama'),
    )
    const gone = await chat(bench, { model: 'llama', messages: hello })
    assertFailure(gone, 400, 'MODEL_NOT_FOUND')
  })

  test('is kept as it was where the new one is no good, and the operator can see that', async (t) => {
    const bench = await openBench(t, { models: { models: [{ id: 'demo-text', name: 'Ours' }] } })
    const { ask } = await newCustomer(bench)
    const facts = async () => (await ask('GET', '/server')).body.data.modelsFile
    assert.equal((await facts()).isRefused, false)
    for (const bad of ['{ "models": [', { models: [{ id: 'demo-text', nmae: 'x' }] }]) {
      await write(bench, bad)
      await eventually(facts, ({ isRefused }) => isRefused)
      const [text] = await listed(bench)
      assert.equal(text?.name, 'Ours')
      assert.equal((await chat(bench, { model: 'demo-text', messages: hello })).status, 200)
      await write(bench, { models: [{ id: 'demo-text', name: 'Ours' }] })
      await eventually(facts, ({ isRefused }) => !isRefused)
    }
  })

  test('lets a job that was already submitted come to its end', async (t) => {
    const double = await startDouble(wires.openai, { key: 'a-key' })
    t.after(() => double.close())
    const endpoints = [{ name: 'here', baseUrl: double.url, apiKey: double.key }]
    const models = { endpoints, models: [{ id: 'wan', provider: 'here', kind: 'VIDEO' }] }
    const bench = await openBench(t, { models })
    double.script('poll', { do: 'hold' })
    double.plan('succeeded')
    const taskId = await submitted(bench, 'video', { model: 'wan' })
    await double.arrived('poll', 1)
    await write(bench, {})
    await eventually(
      () => idsOf(bench),
      (ids) => !ids.includes('wan'),
    )
    double.release()
    assert.equal((await ended(bench, taskId)).status, 'COMPLETED')
  })

  test('counts at once for workflows that were checked before', async (t) => {
    const off = { models: [{ id: 'demo-image', enabled: false }] }
    const bench = await openBench(t, { models: off })
    const nodes = [
      { id: 'p', type: 'image.generate', data: { model: 'demo-image', prompt: 'A door' } },
      { id: 'o', type: 'output' },
    ]
    const json = { name: 'w', data: graph(nodes, ['p.image -> o']) }
    const made = await bench.call({ method: 'POST', path: `${P}/workflows`, json })
    const path = `${P}/workflows/${made.body.data.id}/runs`
    const run = (key: string) =>
      bench.call({ method: 'POST', path, headers: { 'idempotency-key': key }, json: {} })
    assertFailure(await run('a'), 422, 'UNSUPPORTED_NODES')
    await write(bench, {})
    await eventually(
      () => idsOf(bench),
      (ids) => ids.includes('demo-image'),
    )
    const accepted = await run('b')
    assert.equal(accepted.status, 202, accepted.text)
    const look = async () =>
      (await bench.call(`${P}/workflow-runs/${accepted.body.data.runId}`)).body.data
    const ran = await eventually(look, ({ completedAt }) => completedAt !== null)
    assert.equal(ran.status, 'COMPLETED')
  })
})
