// Random histories of runs with lists, lists in called workflows, conditions and requests, some of
// whose calls fail; of cancellations, retries and kills; and what must hold of their money.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { systemClock } from '#core/clock.ts'
import type { Db } from '#store/db.ts'
import { ledgerIn } from '#store/engine/ledger.ts'
import { openChatIntents } from '#store/journals/chat-intents.ts'
import { requestCancel } from '#store/tables/cancel-run.ts'
import { settleLateCosts } from '#store/tables/run-work.ts'
import type { RunRow } from '#store/tables/runs.ts'
import { fates, type PaidDouble, startPaidDouble } from './paid-double.ts'
import {
  addWorkflow,
  allEnded,
  newAccount,
  type Process,
  rowOf,
  startProcess,
  submit,
} from './setting.ts'

type Fate = (typeof fates)[number]
type Order = {
  flat: Fate[]
  nested: Fate[][]
  hooks: number
  branch: boolean
  maxCost: number | null
}
type Step =
  | { do: 'submit'; order: Order }
  | { do: 'cancel' | 'retry'; run: number }
  | { do: 'kill'; commits: number; moment: 'before' | 'after' }
  | { do: 'turn'; turns: number }

const fate = fc.constantFrom(...fates)
const order: fc.Arbitrary<Order> = fc.record({
  flat: fc.array(fate, { maxLength: 8 }),
  nested: fc.array(fc.array(fate, { maxLength: 4 }), { maxLength: 4 }),
  hooks: fc.nat({ max: 5 }),
  branch: fc.boolean(),
  // Each call reserves a thousand times what it costs.
  maxCost: fc.option(fc.integer({ min: 20_000, max: 200_000 }), { freq: 4 }),
})
const run = fc.nat({ max: 5 })
export const paidHistory: fc.Arbitrary<{ steps: Step[]; delays: number[] }> = fc.record({
  delays: fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 9 }),
  steps: fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.record({ do: fc.constant('submit' as const), order }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), run }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('retry' as const), run }) },
      {
        weight: 1,
        arbitrary: fc.record({
          do: fc.constant('kill' as const),
          commits: fc.integer({ min: 1, max: 12 }),
          moment: fc.constantFrom('before' as const, 'after' as const),
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({ do: fc.constant('turn' as const), turns: fc.nat({ max: 60 }) }),
      },
    ),
    { minLength: 2, maxLength: 10 },
  ),
})

const wire = (source: string, target: string, targetHandle: string, sourceHandle?: string) => ({
  ...{ source, target, targetHandle },
  ...(sourceHandle ? { sourceHandle } : {}),
})
const text = { type: 'text.generate', data: { model: 'm', maxTokens: 10 } }
const each = (id: string, apply: object) => ({
  id,
  type: 'flow.map',
  data: { apply, concurrency: 3, maxItems: 50 },
})
const list = (id: string) => ({ id, type: 'input.json', data: {} })

/** A list inside a called workflow. */
const inner = { nodes: [list('in'), each('m', text)], connections: [wire('in', 'm', 'items')] }

const outer = (innerId: number, url: string) => ({
  nodes: [
    ...['flat', 'nested', 'hooks'].map(list),
    each('texts', text),
    each('calls', { type: 'workflow.call', data: { workflowId: innerId } }),
    each('posts', {
      type: 'http.request',
      data: { method: 'POST', url: `${url}/hook` },
      itemPort: 'body',
    }),
    { id: 'branch', type: 'input.boolean', data: {} },
    { id: 'if', type: 'flow.condition', data: { expression: '$' } },
    { id: 'prompt', type: 'input.text', data: {} },
    { id: 'name', type: 'text.template', data: { template: '{{prompt}} {{if}}' } },
    { id: 'last', ...text },
  ],
  connections: [
    wire('flat', 'texts', 'items'),
    wire('nested', 'calls', 'items'),
    wire('hooks', 'posts', 'items'),
    wire('branch', 'if', 'value'),
    wire('if', 'name', 'if', 'true'),
    wire('prompt', 'name', 'prompt'),
    wire('name', 'last', 'prompt'),
  ],
})

type World = {
  db: Db
  accountId: string
  double: PaidDouble
  workflows: {
    inner: Awaited<ReturnType<typeof addWorkflow>>
    outer: Awaited<ReturnType<typeof addWorkflow>>
  }
  process: Process
  /** Runs in the order of submission, and the family whose prompts they have. */
  runs: { id: string; family: string }[]
}

export async function livePaid(
  db: Db,
  { steps, delays }: { steps: readonly Step[]; delays: readonly number[] },
): Promise<void> {
  let asked = 0
  await using double = await startPaidDouble(() => delays[asked++ % delays.length] ?? 0)
  const accountId = newAccount()
  const called = await addWorkflow(db, accountId, inner)
  const world: World = {
    ...{ db, accountId, double, runs: [] },
    workflows: {
      inner: called,
      outer: await addWorkflow(db, accountId, outer(called.id, double.url)),
    },
    process: await startProcess(db, double.provider, { gateway: double.gateway }),
  }
  try {
    for (const step of steps) {
      await take(world, step)
      if (world.process.store.isDead()) await replace(world)
    }
    await Promise.race([allEnded(db), world.process.store.died])
    if (world.process.store.isDead()) await replace(world)
    await allEnded(db)
    await settle(world)
    await judge(world)
  } finally {
    // One that lived on would claim runs of the next history, and call a vendor that is gone.
    await world.process.bury()
  }
}

async function replace(world: World) {
  await world.process.bury()
  world.process = await startProcess(world.db, world.double.provider, {
    gateway: world.double.gateway,
  })
}

async function take(world: World, step: Step): Promise<void> {
  const { process, accountId } = world
  const chosen = 'run' in step ? world.runs[step.run % Math.max(1, world.runs.length)] : undefined
  switch (step.do) {
    case 'submit':
      return begin(world, {
        family: `f${world.runs.length}`,
        ...inputsOf(step.order, world.runs.length),
      })
    case 'cancel': {
      if (!chosen) return
      const request = process.store.process.transaction(async (tx) => {
        tx.notify('run-cancels')
        await requestCancel(tx, accountId, chosen.id, { reason: null, nowMs: Date.now() })
      })
      return void (await Promise.race([request, process.store.died]))
    }
    case 'retry':
      return chosen && retry(world, chosen)
    case 'kill':
      return process.store.killAt(step.commits, step.moment)
    case 'turn':
      for (let i = 0; i < step.turns; i++) await new Promise((resolve) => setImmediate(resolve))
      return
    default:
      return step satisfies never
  }
}

function inputsOf({ flat, nested, hooks, branch, maxCost }: Order, index: number) {
  const family = `f${index}`
  let calls = 0
  const prompt = (one: Fate) => `${family} ${one} ${'x'.repeat(calls++ % 6)}`
  const inputs = {
    flat: flat.map(prompt),
    nested: nested.map((items) => items.map(prompt)),
    hooks: Array.from({ length: hooks }, () => prompt('ok')),
    branch,
    prompt: prompt('ok'),
  }
  return { inputs: JSON.stringify(inputs), maxCostMicros: maxCost }
}

type Begin = { family: string } & Partial<Pick<RunRow, 'inputs'>> & {
    maxCostMicros: number | null
  } & Pick<Parameters<typeof submit>[3], 'retryOf' | 'steps'>

async function begin(world: World, { family, ...change }: Begin): Promise<void> {
  const { inner: called, outer: workflow } = world.workflows
  const send = () =>
    submit(world.process, world.accountId, workflow, {
      ...change,
      key: `${world.runs.length}`,
      called: [[called.id, 1]],
    })
  let heard = await Promise.race([send(), world.process.store.died])
  if (!heard) {
    // The run may exist all the same: as a client would, it is asked for again under its key.
    await replace(world)
    heard = await send()
  }
  world.runs.push({ id: heard.id, family })
}

/** As the operation does: results that are known are not asked for again. */
async function retry(world: World, { id, family }: World['runs'][number]): Promise<void> {
  const { status, inputs, max_cost_micros: maxCostMicros } = await rowOf(world.db, id)
  const isLatest = world.runs.findLast((one) => one.family === family)?.id === id
  if (!isLatest || (status !== 'FAILED' && status !== 'CANCELLED')) return
  const all = await Promise.race([world.process.steps.ofRun(id), world.process.store.died])
  if (!all) return
  const steps = all.flatMap((step) =>
    step.status === 'DONE' && step.result !== null
      ? [
          {
            ...{ path: step.path, kind: step.kind, attempts: step.attempts, taskId: null },
            ...{ startedAtMs: step.started_at, endedAtMs: step.ended_at, result: step.result },
          },
        ]
      : [],
  )
  return begin(world, { family, inputs, maxCostMicros, retryOf: id, steps })
}

/** As upkeep does in time: calls of dead processes count as lost, late costs are added. */
async function settle({ db }: World): Promise<void> {
  const open = () => db.query(`select attempt from ledger where outcome = 'PENDING'`)
  for (let turn = 0; turn < 200 && (await open()).length > 0; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const ledger = ledgerIn(db, openChatIntents(db, systemClock), systemClock)
  await ledger.settleAbandoned(-3_600_000, Date.now())
  await settleLateCosts(db, Date.now() + 3_600_000)
}

type Sums = { run_id: string; micros: number | null; unknown: number }

async function judge({ db, double, runs }: World): Promise<void> {
  const sums = await db.query<Sums>(
    `select run_id, sum(cost_micros) as micros,
       sum(case when outcome = 'UNKNOWN' then 1 else 0 end) as unknown
     from ledger where run_id is not null group by run_id`,
  )
  const byRun = new Map(sums.map((one) => [one.run_id, one]))
  const families = Map.groupBy(runs, ({ family }) => family)
  for (const [family, members] of families) {
    let micros = 0
    let unknown = 0
    for (const { id } of members) {
      const row = await rowOf(db, id)
      const ledger = byRun.get(id)
      assert.equal(row.cost_micros, Number(ledger?.micros ?? 0), `${row.status}: cost and ledger`)
      micros += row.cost_micros
      unknown += Number(ledger?.unknown ?? 0)
    }
    const billed = double.billed.get(family) ?? 0
    if (unknown === 0) assert.equal(micros, billed, `${family}: the ledger and the vendor`)
    else assert.ok(micros >= billed, `${family}: ${billed} billed, ${micros} in the ledger`)
    await assertQuiet(
      db,
      members,
      double.starts.filter((start) => start.family === family),
    )
  }
}

/** No call began after the first failure was known, or after the end. */
async function assertQuiet(db: Db, members: World['runs'], starts: PaidDouble['starts']) {
  const rows = await Promise.all(members.map(({ id }) => rowOf(db, id)))
  for (const { atMs } of starts) {
    const row = rows.findLast(({ created_at }) => created_at <= atMs)
    const failedAtMs = Date.parse(row?.node_errors?.[0]?.at ?? '')
    const lineMs = Math.min(failedAtMs || Infinity, row?.completed_at ?? Infinity)
    assert.ok(atMs <= lineMs, `a call began ${atMs - lineMs} ms after its run had ended or failed`)
  }
}
