// The lane of a provider key is for calls that can be made: what waits for room under a budget of its
// own account stands aside, so that others go.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { freePort } from '../../support/free-port.ts'
import { addWorkflow, type Caller, ended, graph, readRun, started } from '../runs/setting.ts'
import {
  type Bench,
  type Customer,
  chat,
  eventually,
  newCustomer,
  openBench,
  says,
  testModels,
} from './setting.ts'

/** At another vendor, whose lane is free. */
const elsewhere = { ...testModels.models[0], id: 'test/elsewhere', provider: 'anthropic' }
const vectors = {
  ...{ id: 'test/vectors', provider: 'local', kind: 'EMBEDDING' },
  pricing: { inputPerMillionTokens: 2 },
}
const models = {
  models: [...testModels.models, elsewhere, vectors],
  limits: [{ provider: 'local', concurrency: 1 }],
}
const hello = { model: 'test/text', messages: [says('Hello')], maxTokens: 100 }

const as = (bench: Bench, { key }: Customer): Caller => ({
  call: (call) => bench.call({ ...(typeof call === 'string' ? { path: call } : call), key }),
})

/** Somebody whose spend limit has room for one call, which is held at another vendor. */
async function open(t: TestContext, database: 'sqlite' | 'postgres') {
  const metrics = `127.0.0.1:${await freePort()}`
  const waits = { PROVIDER_WAIT_SECONDS: '60', SPEND_WAIT_SECONDS: '60' }
  const env = { ...waits, METRICS_LISTEN: metrics }
  const doubles = ['openai', 'anthropic'] as const
  const bench = await openBench(t, { doubles, models, database, env })
  const poor = await newCustomer(bench, { spendLimit: 0.0015 })
  const other = await newCustomer(bench)
  bench.doubles.anthropic.script('chat', { do: 'hold' })
  const held = chat(bench, { ...hello, model: 'test/elsewhere' }, poor)
  await bench.doubles.anthropic.arrived('chat', 1)
  const areWaiting = (model: string, count: number) =>
    eventually(
      async () => (await fetch(`http://${metrics}/metrics`)).text(),
      (text) =>
        text.includes(`lane_waiting{provider="local",model="${model}",kind="people"} ${count}`),
    )
  return { bench, poor, other, held, areWaiting, on: as(bench, poor) }
}

const waitsForRoom = async (on: Caller) => {
  const data = { model: 'test/text', prompt: 'x', maxTokens: 100 }
  const flow = await addWorkflow(on, graph([{ id: 'a', type: 'text.generate', data }]))
  const runId = await started(on, flow)
  await eventually(
    () => readRun(on, runId),
    ({ nodes }) => nodes[0].waitReason?.kind === 'BUDGET',
  )
  return runId
}

for (const { name: database } of databases) {
  describe(`a call that waits for room under its limit on ${database}`, () => {
    test('lets the calls of others go, and is made once there is room and its turn', async (t) => {
      const { bench, poor, other, held, on } = await open(t, database)
      const { openai, anthropic } = bench.doubles
      const runId = await waitsForRoom(on)
      const late = chat(bench, { ...hello, messages: [says('Mine')] }, poor)
      for (const _ of 'abc') assert.equal((await chat(bench, hello, other)).status, 200)
      assert.equal(openai.counts.chat, 3)
      // The lane is full when room comes: both take their turn.
      openai.script('chat', { do: 'hold' })
      const others = chat(bench, hello, other)
      await openai.arrived('chat', 4)
      anthropic.release()
      assert.equal((await held).status, 200)
      openai.release()
      assert.equal((await others).status, 200)
      assert.equal((await late).status, 200)
      assert.equal((await ended(on, runId)).status, 'COMPLETED')
      assert.deepEqual([openai.counts.chat, openai.counts.accepted], [6, 6])
    })

    test('lets them go also if it is an embedding', async (t) => {
      const { bench, poor, other, held, areWaiting } = await open(t, database)
      const { openai, anthropic } = bench.doubles
      openai.script('chat', { do: 'hold' })
      const first = chat(bench, hello, other)
      await openai.arrived('chat', 1)
      const json = { model: 'test/vectors', input: 'word '.repeat(90) }
      const late = bench.call({ method: 'POST', path: '/v1/embeddings', key: poor.key, json })
      await areWaiting('test/vectors', 1)
      const next = chat(bench, hello, other)
      await areWaiting('test/text', 1)
      // It is the embedding's turn, for which there is no room.
      openai.release()
      assert.equal((await first).status, 200)
      assert.equal((await next).status, 200)
      assert.equal(openai.counts.call, 0)
      anthropic.release()
      assert.equal((await held).status, 200)
      const { status, text } = await late
      assert.equal(status, 200, text)
    })
  })
}
