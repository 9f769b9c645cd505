import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { databases } from '../../support/databases.ts'
import {
  type BatchDouble,
  price,
  startBatchDouble,
} from '../../support/provider-doubles/batches.ts'
import { type Body, P } from '../../support/server.ts'
import { type Bench, eventually, newCustomer, openBench } from '../generation/setting.ts'
import { addWorkflow, type Caller, graph, started, submit, until } from './setting.ts'

const pricing = { inputPerMillionTokens: 2, outputPerMillionTokens: 8 }
const models = {
  models: [
    { id: 'test/batched', provider: 'openai', kind: 'TEXT', pricing, batch: true },
    { id: 'test/claude', provider: 'anthropic', kind: 'TEXT', pricing, batch: true },
    { id: 'test/alone', provider: 'openai', kind: 'TEXT', pricing },
    { id: 'test/flex', provider: 'openai', kind: 'TEXT', pricing, flex: true },
  ],
  routes: [
    { name: 'any', candidates: [{ model: 'test/batched' }, { model: 'test/claude' }] },
    { name: 'quick', candidates: [{ model: 'test/flex' }, { model: 'test/alone' }] },
  ],
}

const write = (model = 'test/batched', data = {}) =>
  graph(
    [
      { id: 'in', type: 'input.text' },
      { id: 'write', type: 'text.generate', data: { model, ...data } },
    ],
    ['in -> write.prompt'],
  )

const writeEach = graph(
  [
    { id: 'in', type: 'input.json' },
    {
      id: 'each',
      type: 'flow.map',
      data: {
        apply: { type: 'text.generate', data: { model: 'test/batched' } },
        concurrency: 2,
        onItemError: 'collect',
      },
    },
  ],
  ['in -> each.items'],
)

/** By a workflow that wants JSON, which the vendor does not write. */
const askedTwice = 'json, and cancelled'

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
const economy = (prompt: unknown, deadlineAt = inSeconds(3_600)) => ({
  inputs: { in: prompt },
  lane: 'economy',
  deadlineAt,
})

for (const { name: database } of databases) {
  describe(`runs with a deadline on ${database}`, () => {
    const closing: (() => Promise<unknown>)[] = []
    let bench: Bench
    let vendor: BatchDouble
    const flows = new Map<string, number>()

    before(async () => {
      vendor = await startBatchDouble()
      const env = { ...vendor.env, BATCH_WINDOW_SECONDS: '600' }
      const closes = { after: (close: () => Promise<unknown>) => void closing.push(close) }
      bench = await openBench(closes as never, { database, doubles: [], models, env })
      for (const model of ['test/batched', 'test/claude', 'test/alone', 'test/flex'])
        flows.set(model, await addWorkflow(bench, write(model)))
      flows.set('each', await addWorkflow(bench, writeEach))
      flows.set('json', await addWorkflow(bench, write('test/batched', { responseFormat: 'json' })))
    })
    after(async () => {
      for (const close of closing) await close()
      await vendor[Symbol.asyncDispose]()
    })

    const begin = (prompt: unknown, flow = 'test/batched', deadlineAt?: string) =>
      started(bench, flows.get(flow) ?? 0, economy(prompt, deadlineAt))
    const ended = (runId: string): Promise<Body> =>
      until(bench, runId, (run) => run.completedAt !== null)
    const accepted = (prompt: string) =>
      eventually(
        async () => vendor.accepted.get(prompt) ?? 0,
        (count) => count > 0,
      )
    const ledgerOf = (runId: string) =>
      bench.db.query<{ outcome: string; cost_micros: number; reserved_micros: number }>(
        `select outcome, cost_micros, reserved_micros from ledger where run_id = $1
         order by created_at, attempt`,
        [runId],
      )
    const costOf = ({ cost }: Body) => Math.round(cost.amount * 1e6)

    it('are told apart in the list of calls: batch, flex tier or neither', async () => {
      const customer = await newCustomer(bench)
      const { key, ask } = customer
      const on: Caller = {
        call: (call) => bench.call({ ...(typeof call === 'string' ? { path: call } : call), key }),
      }
      const tiersOf = async (prompt: string, model: string) => {
        const runId = await started(on, await addWorkflow(on, write(model)), economy(prompt))
        const run = await until(on, runId, ({ completedAt }) => completedAt !== null)
        assert.equal(run.status, 'COMPLETED', JSON.stringify(run.nodeErrors))
        const { items } = (await ask('GET', `/calls?runId=${runId}`)).body.data
        return items.map((call: Body) => [call.tier, call.outcome, call.route])
      }
      vendor.batchMs = 0
      assert.deepEqual(await tiersOf('told', 'test/batched'), [['batch', 'SUCCEEDED', null]])
      assert.deepEqual(await tiersOf('by route', 'route:any'), [['batch', 'SUCCEEDED', 'any']])
      vendor.fateOf = (prompt) => (prompt === 'told back' ? 'expire' : 'answer')
      assert.deepEqual(await tiersOf('told back', 'test/batched'), [
        [null, 'SUCCEEDED', null],
        ['batch', 'REJECTED', null],
      ])
      vendor.fateOf = () => 'answer'
      assert.deepEqual(await tiersOf('told flex', 'test/flex'), [['flex', 'SUCCEEDED', null]])
      assert.deepEqual(await tiersOf('quick', 'route:quick'), [['flex', 'SUCCEEDED', null]])
      vendor.flexes.push('default')
      assert.deepEqual(await tiersOf('not flex', 'test/flex'), [[null, 'SUCCEEDED', null]])
      assert.deepEqual(await tiersOf('alone', 'test/alone'), [[null, 'SUCCEEDED', null]])
    })

    for (const model of ['test/batched', 'test/claude']) {
      it(`sleep in one batch of ${model} and cost half`, async () => {
        vendor.batchMs = Number.POSITIVE_INFINITY
        const prompts = ['one', 'two', 'three'].map((word) => `${word} ${model}`)
        const runs = await Promise.all(prompts.map((prompt) => begin(prompt, model)))
        for (const prompt of prompts) await accepted(prompt)
        for (const runId of runs) {
          const run = await until(bench, runId, ({ nodes }) => nodes[1].status === 'WAITING')
          assert.equal(run.waitingFor, undefined)
          await eventually(
            () => bench.db.query('select 1 from runs where id = $1 and wake_at > 0', [runId]),
            (rows) => rows.length === 1,
          )
        }
        vendor.batchMs = 0
        for (const [index, runId] of runs.entries()) {
          const run = await ended(runId)
          assert.equal(run.status, 'COMPLETED', JSON.stringify(run.nodeErrors))
          assert.deepEqual(run.outputs, { write: `Answer to ${prompts[index]}` })
          assert.equal(costOf(run), price.batched)
          assert.deepEqual(run.economy, {
            queued: 0,
            submitted: 0,
            batched: 1,
            flex: 0,
            normal: [],
          })
          const [row] = await ledgerOf(runId)
          assert.equal(row?.cost_micros, price.batched)
          assert.ok((row?.reserved_micros ?? 0) >= price.alone)
          assert.equal(vendor.alone.get(prompts[index] ?? ''), undefined)
        }
      })

      it(`${model}: a batch whose acceptance nobody heard is found, not sent again`, async () => {
        vendor.submissions = ['lose']
        const prompt = `lost ${model}`
        const run = await ended(await begin(prompt, model))
        assert.deepEqual(run.outputs, { write: `Answer to ${prompt}` })
        assert.equal(vendor.accepted.get(prompt), 1)
        assert.equal(costOf(run), price.batched)
      })
    }

    it('one that was surely not accepted is sent again', async () => {
      vendor.submissions = ['busy', 'drop']
      const run = await ended(await begin('dropped'))
      assert.deepEqual(run.outputs, { write: 'Answer to dropped' })
      assert.equal(vendor.accepted.get('dropped'), 1)
    })

    it('what the vendor does not take or returns unprocessed goes at the normal price', async () => {
      vendor.fateOf = (prompt) => (prompt.startsWith('expires') ? 'expire' : 'answer')
      const expired = await ended(await begin('expires'))
      const claude = await ended(await begin('expires too', 'test/claude'))
      vendor.submissions = ['refuse']
      const refused = await ended(await begin('refused'))
      const alone = await ended(await begin('no batch', 'test/alone'))
      const late = await ended(await begin('too late', 'test/batched', inSeconds(300)))
      const reasons = ['UNPROCESSED', 'UNPROCESSED', 'REFUSED', 'NO_BATCH', 'TOO_LATE']
      for (const [index, run] of [expired, claude, refused, alone, late].entries()) {
        assert.equal(run.status, 'COMPLETED', JSON.stringify(run.nodeErrors))
        assert.equal(costOf(run), price.alone)
        assert.deepEqual(
          run.economy.normal.map(({ reason }: Body) => reason),
          [reasons[index]],
        )
      }
      assert.equal(vendor.alone.get('expires'), 1)
      assert.equal(vendor.batched.get('expires'), undefined)
    })

    it('a call without a batch goes by the flex tier, at its price if the vendor says so', async () => {
      const served = await ended(await begin('served by flex', 'test/flex'))
      assert.equal(served.outputs.write, 'Answer to served by flex')
      assert.equal(costOf(served), price.batched)
      assert.equal(served.economy.flex, 1)
      assert.deepEqual(served.economy.normal, [])
      const [row] = await bench.db.query<{ unit_price: string }>(
        'select unit_price from ledger where run_id = $1',
        [served.runId],
      )
      assert.equal(JSON.parse(row?.unit_price ?? '{}').inputPerMillionTokens, 1)
      vendor.flexes = ['default']
      const billed = await ended(await begin('served otherwise', 'test/flex'))
      assert.equal(costOf(billed), price.alone)
      const late = await ended(await begin('too late for flex', 'test/flex', inSeconds(300)))
      assert.equal(vendor.alone.get('too late for flex'), 1)
      for (const [run, reason] of [
        [billed, 'NO_FLEX'],
        [late, 'NO_BATCH'],
      ] as const) {
        assert.equal(run.economy.flex, 0)
        assert.equal(run.economy.normal[0].reason, reason)
      }
    })

    it('a call that the flex tier refuses is tried again, or made at the normal price', async () => {
      vendor.flexes = ['full', 'full']
      const again = await ended(await begin('full twice', 'test/flex'))
      assert.equal(costOf(again), price.batched)
      assert.equal(vendor.flexed.get('full twice'), 1)
      const tries = await ledgerOf(again.runId)
      assert.deepEqual(
        tries.map(({ outcome }) => outcome),
        ['REJECTED', 'REJECTED', 'SUCCEEDED'],
      )
      vendor.flexes = ['unknown']
      const other = await ended(await begin('no such tier', 'test/flex'))
      assert.equal(costOf(other), price.alone)
      assert.equal(other.economy.normal[0].reason, 'NO_FLEX')
    })

    it('a call that the vendor judged invalid, or blocked, fails and is not sent again', async () => {
      vendor.fateOf = (prompt) =>
        prompt === 'bad' ? 'invalid' : prompt === 'unsafe' ? 'blocked' : 'answer'
      const bad = await ended(await begin('bad'))
      assert.equal(bad.nodeErrors[0].code, 'INVALID_REQUEST')
      assert.equal(costOf(bad), 0)
      const unsafe = await ended(await begin('unsafe'))
      assert.equal(unsafe.nodeErrors[0].code, 'CONTENT_REJECTED')
      assert.equal(costOf(unsafe), price.batched)
      assert.equal(vendor.alone.get('bad') ?? vendor.alone.get('unsafe'), undefined)
    })

    it('all items of a list share a batch, whatever its concurrency', async () => {
      vendor.batchMs = Number.POSITIVE_INFINITY
      vendor.fateOf = (prompt) => (prompt === 'item 3' ? 'invalid' : 'answer')
      const items = Array.from({ length: 12 }, (_, i) => `item ${i}`)
      const runId = await begin(items, 'each')
      for (const item of items) await accepted(item)
      vendor.batchMs = 0
      const run = await ended(runId)
      assert.equal(run.status, 'COMPLETED', JSON.stringify(run.nodeErrors))
      const { results, errors } = run.outputs.each
      assert.equal(results[11], 'Answer to item 11')
      assert.equal(errors[0].index, 3)
      assert.equal(costOf(run), 11 * price.batched)
    })

    it('a cancellation drops what was not submitted, and says what may be billed', async () => {
      vendor.batchMs = Number.POSITIVE_INFINITY
      const cancel = (runId: string) =>
        bench.call({ method: 'POST', path: `${P}/workflow-runs/${runId}/cancel`, json: {} })
      const sent = await begin('sent and cancelled')
      await accepted('sent and cancelled')
      await until(bench, sent, ({ economy }) => economy.submitted === 1)
      const { body } = await cancel(sent)
      assert.equal(body.data.inFlightTaskMayComplete, true)
      vendor.submissions = Array(50).fill('busy')
      const unsent = await begin('never sent')
      await until(bench, unsent, ({ nodes }) => nodes[1].status === 'WAITING')
      await eventually(
        async () => (await cancel(unsent)).body.data.status,
        (status) => status === 'CANCELLED',
      )
      vendor.submissions = []
      vendor.batchMs = 0
      const paid = await until(bench, sent, ({ inFlightTaskMayComplete: may }) => !may)
      assert.equal(costOf(paid), price.batched)
      const flow = flows.get('test/batched') ?? 0
      const again = { ...economy('sent and cancelled'), reuse: 'exact' }
      assert.equal(costOf(await ended(await started(bench, flow, again))), 0)
      assert.equal(vendor.accepted.get('sent and cancelled'), 1)
      await eventually(
        () => ledgerOf(unsent),
        (rows) => rows.every(({ outcome }) => outcome === 'REJECTED'),
      )
      assert.equal(vendor.accepted.get('never sent'), undefined)
    })

    it('a late answer that is not the JSON asked for is nobody’s', async () => {
      vendor.batchMs = Number.POSITIVE_INFINITY
      const cancelled = await begin(askedTwice, 'json')
      await until(bench, cancelled, ({ economy }) => economy.submitted === 1)
      await bench.call({ method: 'POST', path: `${P}/workflow-runs/${cancelled}/cancel`, json: {} })
      vendor.batchMs = 0
      await until(bench, cancelled, ({ inFlightTaskMayComplete: may }) => !may)
      const json = { ...economy(askedTwice), reuse: 'exact' }
      await ended(await started(bench, flows.get('json') ?? 0, json))
      assert.equal(vendor.accepted.get(askedTwice), 2)
    })

    it('answers are reused like all others', async () => {
      vendor.fateOf = () => 'answer'
      const first = await ended(await begin('again'))
      assert.equal(costOf(first), price.batched)
      const flow = flows.get('test/batched') ?? 0
      const again = await started(bench, flow, { ...economy('again'), reuse: 'exact' })
      assert.equal(costOf(await ended(again)), 0)
      assert.equal(vendor.accepted.get('again'), 1)
    })

    it('a submission needs lane and deadline together, and a deadline that can be met', async () => {
      const flow = flows.get('test/batched') ?? 0
      const refuse = async (json: object) => {
        const answer = await submit(bench, flow, { inputs: { in: 'x' }, ...json })
        assert.equal(answer.status, 422, answer.text)
        return answer.body.error.code
      }
      const past = '2020-01-01T00:00:00Z'
      assert.equal(await refuse({ lane: 'economy' }), 'INPUT_INVALID')
      assert.equal(await refuse({ deadlineAt: inSeconds(60) }), 'INPUT_INVALID')
      assert.equal(await refuse({ lane: 'economy', deadlineAt: past }), 'INPUT_INVALID')
      const far = inSeconds(40 * 86_400)
      assert.equal(await refuse({ lane: 'economy', deadlineAt: far }), 'INPUT_INVALID')
      // A repeated submission finds its run, and another deadline is another submission.
      const key = randomUUID()
      const json = economy('idempotent')
      const { body } = await submit(bench, flow, json, { key })
      const repeated = await submit(bench, flow, json, { key })
      assert.equal(repeated.body.data.runId, body.data.runId)
      const other = await submit(bench, flow, economy('idempotent', inSeconds(7_200)), { key })
      assert.equal(other.body.error.code, 'IDEMPOTENCY_KEY_REUSED')
      await ended(body.data.runId)
    })

    it('an estimate shows both prices', async () => {
      const estimate = async (flow: string, deadlineAt = inSeconds(3_600)) => {
        const path = `${P}/workflows/${flows.get(flow)}/estimate`
        const json = economy('hello', deadlineAt)
        return (await bench.call({ method: 'POST', path, json })).body.data
      }
      const both = await estimate('test/batched')
      const flex = await estimate('test/flex')
      for (const seen of [both, flex]) {
        const half = Math.round((seen.estimatedCost * 1e6) / 2)
        assert.ok(Math.abs(seen.economy.estimatedCost * 1e6 - half) <= 1, JSON.stringify(seen))
        assert.deepEqual(seen.economy.normalNodes, [])
      }
      assert.deepEqual((await estimate('test/alone')).economy.normalNodes, ['write'])
      assert.deepEqual((await estimate('test/flex', inSeconds(600))).economy.normalNodes, ['write'])
      const late = await estimate('test/batched', inSeconds(60))
      assert.equal(late.economy.estimatedCost, late.estimatedCost)
      assert.deepEqual(late.economy.normalNodes, ['write'])
    })

    it('the ledger says what the vendor billed', async () => {
      const [row] = await bench.db.query<{ spent: number }>(
        'select sum(cost_micros) as spent from ledger',
      )
      assert.equal(Number(row?.spent), vendor.billedMicros())
      for (const [prompt, count] of vendor.batched)
        assert.equal(count, prompt === askedTwice ? 2 : 1, prompt)
    })
  })
}
