// What runs with a deadline meet: limits of money, keys of accounts, other workflows, loops, triggers
// and retries. What holds on each database is in economy.test.ts.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { price, promptOf, startBatchDouble } from '../../support/provider-doubles/batches.ts'
import { type Body, P } from '../../support/server.ts'
import {
  type Bench,
  type Customer,
  eventually,
  newCustomer,
  openBench,
} from '../generation/setting.ts'
import { addWorkflow, type Caller, ended, graph, readRun, started, until } from './setting.ts'

const pricing = { inputPerMillionTokens: 2, outputPerMillionTokens: 8 }
const models = {
  models: [{ id: 'test/batched', provider: 'openai', kind: 'TEXT', pricing, batch: true }],
}
const generate = { type: 'text.generate', data: { model: 'test/batched', maxTokens: 100 } }

const write = (data: object = {}) =>
  graph(
    [
      { id: 'in', type: 'input.text' },
      { id: 'write', type: 'text.generate', data: { ...generate.data, ...data } },
      { id: 'out', type: 'output' },
    ],
    ['in -> write.prompt', 'write -> out'],
  )

const economy = (prompt: unknown, more: object = {}) => ({
  ...{ inputs: { in: prompt }, lane: 'economy' },
  deadlineAt: new Date(Date.now() + 86_400_000).toISOString(),
  ...more,
})

const as = (bench: Bench, { key }: Pick<Customer, 'key'>): Caller => ({
  call: (call) => bench.call({ ...(typeof call === 'string' ? { path: call } : call), key }),
})

async function open(t: TestContext, env: Record<string, string> = {}) {
  const vendor = await startBatchDouble()
  t.after(() => vendor[Symbol.asyncDispose]())
  const all = { ...vendor.env, BATCH_WINDOW_SECONDS: '600', ...env }
  const bench = await openBench(t, { doubles: [], models, env: all })
  return { vendor, bench }
}

const costOf = ({ cost }: Body) => Math.round(cost.amount * 1e6)

test('what is gathered holds its normal price of a budget, and a cancellation frees it', async (t) => {
  const { vendor, bench } = await open(t, { BATCH_GATHER_SECONDS: '7200' })
  const customer = await newCustomer(bench)
  const on = as(bench, customer)
  const flow = await addWorkflow(on, write())
  // One call may cost 800 and its input.
  const limit = { scope: 'workflow', target: String(flow), period: 'day', limit: 0.0015 }
  await customer.ask('PUT', '/budgets', limit)
  const first = await started(on, flow, economy('first'))
  await until(on, first, ({ economy }) => economy.queued === 1)
  const second = await started(on, flow, economy('second'))
  await until(on, second, ({ nodes }) => nodes[1].waitReason?.kind === 'BUDGET')
  assert.equal((await readRun(on, second)).economy.queued, 0)
  await on.call({ method: 'POST', path: `${P}/workflow-runs/${first}/cancel`, json: {} })
  await until(on, second, ({ economy }) => economy.queued === 1)
  const cancelled = await readRun(on, first)
  assert.deepEqual([cancelled.status, costOf(cancelled)], ['CANCELLED', 0])
  const [row] = await bench.db.query<{ outcome: string; reserved_micros: number }>(
    'select outcome, reserved_micros from ledger where run_id = $1',
    [first],
  )
  assert.equal(row?.outcome, 'REJECTED')
  assert.ok(Number(row?.reserved_micros) >= 800)
  assert.equal(vendor.accepted.size, 0)
})

test('a run pays half under a maxCost and a spend limit that its normal price fits, and nothing above', async (t) => {
  const { vendor, bench } = await open(t)
  const on = as(bench, await newCustomer(bench, { spendLimit: 0.002 }))
  const flow = await addWorkflow(on, write())
  const fits = await ended(on, await started(on, flow, economy('fits', { maxCost: 0.0015 })))
  assert.equal(fits.status, 'COMPLETED', JSON.stringify(fits.nodeErrors))
  assert.equal(costOf(fits), price.batched)
  const dear = await ended(on, await started(on, flow, economy('dear', { maxCost: 0.0005 })))
  assert.equal(dear.nodeErrors[0].code, 'COST_LIMIT_REACHED')
  const long = await addWorkflow(on, write({ maxTokens: 1_000 }))
  const above = await ended(on, await started(on, long, economy('above')))
  assert.equal(above.nodeErrors[0].code, 'SPEND_LIMIT_REACHED')
  assert.deepEqual([...vendor.accepted.keys()], ['fits'])
})

test('answers of a batch without usage count as the most they can cost under a limit', async (t) => {
  const { vendor, bench } = await open(t)
  vendor.fateOf = () => 'uncounted'
  const flow = await addWorkflow(bench, write())
  const free = await ended(bench, await started(bench, flow, economy('free')))
  assert.equal(free.status, 'COMPLETED', JSON.stringify(free.nodeErrors))
  assert.equal(costOf(free), 0)
  const bounded = await ended(bench, await started(bench, flow, economy('x', { maxCost: 0.0015 })))
  // 100 tokens of output at half of 8, and the prompt.
  assert.ok(costOf(bounded) > 400 && costOf(bounded) < 750, String(costOf(bounded)))
  const limited = as(bench, await newCustomer(bench, { spendLimit: 0.0013 }))
  const own = await addWorkflow(limited, write())
  const one = await ended(limited, await started(limited, own, economy('y')))
  assert.equal(costOf(one), costOf(bounded))
  const next = await ended(limited, await started(limited, own, economy('z')))
  assert.equal(next.nodeErrors[0]?.code, 'SPEND_LIMIT_REACHED', next.status)
})

test('a batch has calls of one account and one credential', async (t) => {
  const { vendor, bench } = await open(t)
  vendor.batchMs = Number.POSITIVE_INFINITY
  const [mine, other] = [await newCustomer(bench), await newCustomer(bench)]
  for (const name of ['one', 'two'])
    await mine.ask('POST', '/credentials', {
      ...{ name, kind: 'provider', provider: 'openai', secret: `secret-of-${name}-0123456789` },
    })
  const runs: [Customer, string, object][] = [
    [mine, 'by one', { credential: 'one' }],
    [mine, 'by two', { credential: 'two' }],
    [mine, 'by the server', {}],
    [other, 'of another', {}],
  ]
  const begun: (() => Promise<Body>)[] = []
  for (const [customer, prompt, data] of runs) {
    const on = as(bench, customer)
    const runId = await started(on, await addWorkflow(on, write(data)), economy(prompt))
    begun.push(() => ended(on, runId))
  }
  await eventually(
    async () => vendor.accepted.size,
    (size) => size === runs.length,
  )
  const seen = vendor.batches.map(({ key, items }) => [
    key.replace(/^Bearer (secret-of-|key-of-)|-\d+$/g, ''),
    items.map(({ body }) => promptOf(body)),
  ])
  assert.deepEqual(
    seen.sort(([, one], [, two]) => (String(one) < String(two) ? -1 : 1)),
    [
      ['one', ['by one']],
      ['openai', ['by the server']],
      ['two', ['by two']],
      ['openai', ['of another']],
    ],
  )
  vendor.batchMs = 0
  for (const end of begun) assert.equal(costOf(await end()), price.batched)
})

test('calls of called workflows, of their items and of every pass of a loop go by batch', async (t) => {
  const { vendor, bench } = await open(t)
  const child = await addWorkflow(bench, write())
  const data = graph(
    [
      { id: 'in', type: 'input.json' },
      {
        id: 'each',
        type: 'flow.map',
        data: { apply: { type: 'workflow.call', data: { workflowId: child } } },
      },
      { id: 'first', type: 'json.transform', data: { expression: '$[0]' } },
      { id: 'again', type: 'flow.repeat', data: { apply: generate, until: 'index = 1' } },
    ],
    ['in -> each.items', 'each -> first', 'first -> again.value'],
  )
  const flow = await addWorkflow(bench, data)
  const run = await ended(bench, await started(bench, flow, economy(['a', 'b'])))
  assert.equal(run.status, 'COMPLETED', JSON.stringify(run.nodeErrors))
  assert.equal(run.outputs.again.value, 'Answer to Answer to Answer to a')
  assert.equal(costOf(run), 4 * price.batched)
  assert.equal(run.economy.batched, 4)
  assert.deepEqual([vendor.batched.size, vendor.alone.size], [4, 0])
})

test('a trigger with economySeconds begins runs with a deadline', async (t) => {
  const { bench } = await open(t)
  const flow = await addWorkflow(bench, write())
  const path = `${P}/workflows/${flow}/triggers`
  const json = {
    ...{ name: 't', kind: 'ONCE', at: '2999-01-01T00:00:00Z' },
    ...{ economySeconds: 7_200, inputs: { in: 'fired' } },
  }
  const made = await bench.call({ method: 'POST', path, json })
  assert.equal(made.status, 200, made.text)
  await bench.call({ method: 'POST', path: `${path}/${made.body.data.triggerId}/fire` })
  const firings = await eventually(
    () => bench.call(`${path}/${made.body.data.triggerId}/firings`),
    ({ body }) => body.data?.items?.[0]?.runId,
  )
  const run = await ended(bench, firings.body.data.items[0].runId)
  assert.equal(run.lane, 'economy')
  assert.ok(Date.parse(run.deadlineAt) > Date.now() + 3_600_000)
  assert.equal(costOf(run), price.batched)
})

test('a retry keeps its deadline, and after that is made at the normal price', async (t) => {
  const { vendor, bench } = await open(t)
  vendor.fateOf = () => 'invalid'
  const flow = await addWorkflow(bench, write())
  const failed = await ended(bench, await started(bench, flow, economy('again')))
  const retry = async () => {
    const path = `${P}/workflow-runs/${failed.runId}/retry`
    const headers = { 'idempotency-key': randomUUID() }
    const { body } = await bench.call({ method: 'POST', path, headers, json: {} })
    return ended(bench, body.data.runId)
  }
  const kept = await retry()
  assert.deepEqual([kept.status, kept.deadlineAt], ['FAILED', failed.deadlineAt])
  bench.clock.advance(2 * 86_400_000)
  const late = await retry()
  assert.deepEqual([late.status, late.lane], ['COMPLETED', undefined])
  assert.equal(costOf(late), price.alone)
  assert.equal(vendor.alone.get('again'), 1)
})
