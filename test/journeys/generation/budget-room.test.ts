// Room under a budget: who waits for it, for how long, and what gives it back.
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { P } from '../../support/server.ts'
import { addWorkflow, type Caller, ended, graph, started } from '../runs/setting.ts'
import {
  assertFailure,
  type Bench,
  type BenchOptions,
  type Customer,
  chat,
  eventually,
  generate,
  newCustomer,
  openBench,
  says,
  testModels,
} from './setting.ts'

const hello = { model: 'test/text', messages: [says('Hello')], maxTokens: 100 }
const door = { model: 'fal/flux-schnell', messages: [says('A door')] }
const tagged = ({ key }: Customer) => ({ key, headers: { 'x-atelier-tag': 'a' } })

/** Somebody with a daily budget of a tag. */
async function open(t: TestContext, options: BenchOptions, limit: number) {
  const bench = await openBench(t, { ...options, models: testModels })
  const customer = await newCustomer(bench)
  await customer.ask('PUT', '/budgets', { scope: 'tag', target: 'a', period: 'day', limit })
  const left = async () => {
    const { items } = (await customer.ask('GET', '/budgets')).body.data
    return ['spent', 'reserved', 'left'].map((name) => items[0][name].amount)
  }
  return { bench, customer, left }
}

const sent = ({ doubles: { openai } }: Bench) => openai.counts.chat

for (const { name: database } of databases) {
  describe(`room under a budget on ${database}`, () => {
    test('is waited for: a chat starts once the one in flight is settled', async (t) => {
      // One of them reserves some 900 millionths, and costs far less.
      const { bench, customer } = await open(t, { database, doubles: ['openai'] }, 0.0015)
      const { openai } = bench.doubles
      openai.always('chat', { do: 'hold' })
      const first = chat(bench, hello, tagged(customer))
      await openai.arrived('chat', 1)
      const second = chat(bench, hello, tagged(customer))
      // Another tag has all the room it wants, and its answer shows that the second was judged.
      openai.always('chat', { do: 'answer' })
      assert.equal((await chat(bench, hello, { key: customer.key })).status, 200)
      assert.equal(sent(bench), 2)
      openai.release()
      assert.equal((await first).status, 200)
      assert.equal((await second).status, 200)
      assert.equal(sent(bench), 3)
    })

    test('that does not come in time is answered 503, and nothing was sent or held', async (t) => {
      const env = { SPEND_WAIT_SECONDS: '1' }
      const { bench, customer, left } = await open(
        t,
        { database, doubles: ['openai'], env },
        0.0015,
      )
      const { openai } = bench.doubles
      openai.script('chat', { do: 'hold' })
      const first = chat(bench, hello, tagged(customer))
      await openai.arrived('chat', 1)
      const [, before] = await left()
      const late = await chat(bench, hello, tagged(customer))
      const { retryable } = assertFailure(late, 503, 'SERVICE_UNAVAILABLE')
      assert.equal(retryable, true)
      assert.ok(Number(late.headers['retry-after']) >= 1)
      assert.deepEqual([sent(bench), (await left())[1]], [1, before])
      openai.release()
      assert.equal((await first).status, 200)
      assert.equal((await chat(bench, hello, tagged(customer))).status, 200)
    })

    test('is given back at once by a call that was surely not accepted', async (t) => {
      const { bench, customer, left } = await open(t, { database, doubles: ['openai'] }, 1)
      const { openai } = bench.doubles
      const refusals = [
        { do: 'refuse', status: 400 },
        { do: 'refuse', status: 401 },
        { do: 'cut', when: 'before-reading' },
      ] as const
      for (const behaviour of refusals) {
        openai.script('chat', behaviour)
        const { status } = await chat(bench, hello, tagged(customer))
        assert.ok(status >= 400, String(status))
        const isSent = behaviour.do === 'cut'
        const [spent, reserved] = await left()
        // Nobody knows whether a request that was cut off had been read.
        assert.deepEqual([spent > 0, reserved], [isSent, 0])
      }
      await openai.close()
      const [before] = await left()
      assert.ok((await chat(bench, hello, tagged(customer))).status >= 500)
      assert.deepEqual((await left()).slice(0, 2), [before, 0])
    })

    test('is given back by a task that no worker had begun, once its run is cancelled', async (t) => {
      const env = { MAX_TASKS_IN_FLIGHT: '1' }
      const { bench, customer, left } = await open(t, { database, doubles: ['fal'], env }, 1)
      const { fal } = bench.doubles
      fal.always('submit', { do: 'hold' })
      await generate(bench, 'image', door, tagged(customer))
      await fal.arrived('submit', 1)
      const [, one = 0] = await left()
      const { key } = customer
      const on: Caller = {
        call: (call) => bench.call({ ...(typeof call === 'string' ? { path: call } : call), key }),
      }
      const data = { model: door.model, prompt: 'A window' }
      const flow = await addWorkflow(on, graph([{ id: 'a', type: 'image.generate', data }]))
      const runId = await started(on, flow, { tag: 'a' })
      await eventually(left, ([, reserved]) => reserved === Number((2 * one).toFixed(6)))
      await on.call({ method: 'POST', path: `${P}/workflow-runs/${runId}/cancel`, json: {} })
      await ended(on, runId)
      await eventually(left, ([spent, reserved]) => spent === 0 && reserved === one)
      assert.equal(fal.counts.submit, 1)
      fal.release()
    })
  })
}
