import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Db } from '#store/db.ts'
import { databases } from '../../support/databases.ts'
import {
  addRun,
  addWorkflow,
  allEnded,
  countingProvider,
  migrations,
  newAccount,
  type Provided,
  rowOf,
  startProcess,
  until,
} from './setting.ts'

type Graph = Parameters<typeof addWorkflow>[2]

const list = (name: string) => ({ id: name, type: 'input.json', data: {} })
const wire = (source: string, target: string, targetHandle: string) => ({
  source,
  target,
  targetHandle,
})

const forEach = (id: string, apply: object, concurrency: number) => ({
  id,
  type: 'flow.map',
  data: { apply, concurrency, maxItems: 200 },
})
const generate = { type: 'text.generate', data: { model: 'm' } }

/** A text for each item of a list. */
const texts: Graph = {
  nodes: [list('in'), forEach('each', generate, 4)],
  connections: [wire('in', 'each', 'items')],
}

const prompts = (name: string, count: number) => Array.from({ length: count }, (_, i) => name + i)

/** A run of the graph, which calls the other workflows, with a worker that executes it. */
async function begin(
  db: Db,
  { graph, called = [], inputs }: { graph: Graph; called?: readonly Graph[]; inputs: object },
  prepare: (provider: Provided) => void,
) {
  const provider = countingProvider()
  prepare(provider)
  const account = newAccount()
  const pinned: [number, number][] = []
  for (const inner of called) pinned.push([(await addWorkflow(db, account, inner)).id, 1])
  const text = JSON.stringify(graph).replaceAll('"called"', String(pinned[0]?.[0]))
  const workflow = await addWorkflow(db, account, JSON.parse(text))
  const process = await startProcess(db, provider)
  const id = await addRun(db, account, workflow, {
    inputs: JSON.stringify(inputs),
    called: pinned.length > 0 ? pinned : null,
  })
  return { provider, process, id }
}

const failureStored = (db: Db, id: string) =>
  until(async () => (await rowOf(db, id)).node_errors !== null)

async function assertPaid(db: Db, id: string, provider: Provided, refused: number) {
  const { status, cost_micros, in_flight } = await rowOf(db, id)
  const [ledger] = await db.query<{ micros: number }>(
    'select sum(cost_micros) as micros from ledger where run_id = $1',
    [id],
  )
  const billed = 2 * (provider.asked.size - refused)
  assert.deepEqual(
    { status, cost_micros, in_flight, ledger: Number(ledger?.micros) },
    { status: 'FAILED', cost_micros: billed, in_flight: 0, ledger: billed },
  )
}

for (const { name, open } of databases) {
  describe(`once something has failed, on ${name}`, () => {
    test('a list takes no further item, and the run ends after those in flight, at their cost', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const items = prompts('x', 20)
      const { provider, process, id } = await begin(
        db,
        { graph: texts, inputs: { in: items } },
        (p) => {
          for (const item of items) p.held.add(item)
          p.refused.add('x0')
        },
      )
      await until(() => provider.asked.size === 4)
      provider.open('x0')
      await failureStored(db, id)
      assert.equal((await rowOf(db, id)).status, 'RUNNING', 'calls are in flight')
      for (const item of items) provider.open(item)
      await allEnded(db)
      assert.deepEqual([...provider.asked.keys()].sort(), items.slice(0, 4))
      await assertPaid(db, id, provider, 1)
      const steps = await process.steps.headsOf(id)
      assert.deepEqual(steps.map(({ status }) => status).sort(), ['DONE', 'DONE', 'DONE', 'FAILED'])
      await process.worker.stop()
    })

    test('a list beside it takes no further item', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const items = prompts('x', 20)
      const graph: Graph = {
        nodes: [
          ...texts.nodes,
          { id: 'bad', type: 'input.text', data: {} },
          { id: 'g', ...generate },
        ],
        connections: [...texts.connections, wire('bad', 'g', 'prompt')],
      }
      const { provider, process, id } = await begin(
        db,
        { graph, inputs: { in: items, bad: 'bad' } },
        (p) => {
          for (const prompt of [...items, 'bad']) p.held.add(prompt)
          p.refused.add('bad')
        },
      )
      await until(() => provider.asked.size === 5)
      provider.open('bad')
      await failureStored(db, id)
      for (const item of items) provider.open(item)
      await allEnded(db)
      assert.equal(provider.asked.size, 5)
      await assertPaid(db, id, provider, 1)
      assert.deepEqual(
        (await rowOf(db, id)).node_errors?.map(({ nodeId, code }) => [nodeId, code]),
        [['g', 'CONTENT_REJECTED']],
      )
      await process.worker.stop()
    })

    test('workflows called for other items begin no further node', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const inner: Graph = {
        nodes: [
          { id: 'p', type: 'input.text', data: {} },
          { id: 'a', ...generate },
          { id: 'b', ...generate },
        ],
        connections: [wire('p', 'a', 'prompt'), wire('a', 'b', 'prompt')],
      }
      const call = { type: 'workflow.call', data: { workflowId: 'called' } }
      const graph: Graph = {
        nodes: [list('in'), forEach('each', call, 3)],
        connections: [wire('in', 'each', 'items')],
      }
      const items = prompts('x', 9)
      const { provider, process, id } = await begin(
        db,
        { graph, called: [inner], inputs: { in: items } },
        (p) => {
          for (const item of items) p.held.add(item)
          p.refused.add('x0')
        },
      )
      await until(() => provider.asked.size === 3)
      provider.open('x0')
      await failureStored(db, id)
      for (const item of items) provider.open(item)
      await allEnded(db)
      assert.deepEqual([...provider.asked.keys()].sort(), ['x0', 'x1', 'x2'])
      await assertPaid(db, id, provider, 1)
      const [error] = (await rowOf(db, id)).node_errors ?? []
      assert.match(error?.message ?? '', /^Workflow \d+, node "a": CONTENT_REJECTED: /)
      await process.worker.stop()
    })
  })
}
