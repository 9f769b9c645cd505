// What a loop has passed before its run slept stays as it was, whatever a later version of the server
// would make of it.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { unpackNodes } from '#core/run-nodes.ts'
import type { RunWorkerOptions } from '#engine/runs/run-worker.ts'
import { databases } from '../../support/databases.ts'
import {
  addRun,
  addWorkflow,
  countingProvider,
  migrations,
  newAccount,
  rowOf,
  startProcess,
  until,
} from './setting.ts'
import { answer, isAsleep } from './sleeping.ts'

type Evaluate = RunWorkerOptions['deps']['evaluate']
type Graph = Parameters<typeof addWorkflow>[2]
type Scope = { value: unknown; index: number }

const repeat = (apply: object) => ({
  id: 'again',
  type: 'flow.repeat',
  data: { apply, until: 'until', maxIterations: 5 },
})
const approval = { type: 'wait.approval', data: { title: 'Good?' } }
const wires = (...pairs: [string, string, string?][]) =>
  pairs.map(([source, target, targetHandle]) => {
    const [id = '', sourceHandle] = source.split('.')
    return {
      source: id,
      target,
      ...(sourceHandle && { sourceHandle }),
      ...(targetHandle && { targetHandle }),
    }
  })
const start = { id: 'in', type: 'input.text', data: { default: 'a', required: false } }
const output = (id: string) => ({ id, type: 'output', data: {} })

/** Asks in each pass. */
const asking: Graph = {
  nodes: [start, repeat(approval), output('out'), output('all')],
  connections: wires(['in', 'again'], ['again.value', 'out'], ['again.iterations', 'all']),
}
const grow = { expression: 'grow' }
const transforming = repeat({ type: 'json.transform', data: grow })
/** Asks once, after all passes; what they made is read behind it. */
const readLater: Graph = {
  nodes: [
    ...[start, transforming, { id: 'ask', ...approval }],
    { id: 'items', type: 'input.json', data: { default: ['x', 'y'], required: false } },
    { id: 'each', type: 'flow.map', data: { apply: { type: 'json.transform', data: grow } } },
    { id: 'both', type: 'text.template', data: { template: '{{yes}} {{made}} {{list}}' } },
    output('out'),
  ],
  connections: wires(
    ['in', 'again'],
    ['in', 'ask'],
    ['ask.approved', 'both', 'yes'],
    ['again.value', 'both', 'made'],
    ['items', 'each'],
    ['each.results', 'both', 'list'],
    ['both', 'out'],
  ),
}
/** The same, but all of it was read before. */
const readBefore: Graph = {
  nodes: [
    start,
    repeat({ type: 'text.generate', data: { model: 'm' } }),
    { id: 'ask', ...approval },
    output('out'),
  ],
  connections: wires(['in', 'again'], ['again.value', 'ask'], ['ask.approved', 'out']),
}

/** Ends after two passes; each makes the value longer. */
const earlier: Evaluate = async ({ expression, input }) => {
  if (expression === 'grow') return { value: `${input}1` }
  return { value: (input as Scope).index === 1 }
}

for (const { name, open } of databases) {
  describe(`passes of a loop before a sleep (${name})`, () => {
    async function slept(graph: Graph, later: Evaluate) {
      const database = await open({ migrations })
      const { db } = database
      const account = newAccount()
      const provider = countingProvider()
      const first = await startProcess(db, provider, { evaluate: earlier })
      const id = await addRun(db, account, await addWorkflow(db, account, graph))
      const asleep = () => until(() => isAsleep(db, id))
      await asleep()
      const approve = () => until(() => answer(db, account, id, { decision: 'approve' }))
      const upgrade = async () => {
        await first.worker.stop()
        const second = await startProcess(db, provider, { evaluate: later })
        return second.worker
      }
      const ended = async () => {
        await until(async () => (await rowOf(db, id)).completed_at !== null)
        const row = await rowOf(db, id)
        assert.equal(row.status, 'COMPLETED', JSON.stringify(row.node_errors))
        return JSON.parse(row.outputs ?? '')
      }
      const items = async () => {
        const row = await rowOf(db, id)
        const counts = unpackNodes(row.nodes?.value ?? [], 0).map((node) => node.items)
        const named = graph.nodes.map((node, i) => [node.id, counts[i]] as const)
        return Object.fromEntries(named.filter(([, count]) => count !== null))
      }
      return { database, provider, asleep, approve, upgrade, ended, items }
    }

    test('are not decided again while others follow', async () => {
      const asked: number[] = []
      const run = await slept(asking, async ({ input }) => {
        const { index } = input as Scope
        asked.push(index)
        return { value: true }
      })
      await using _ = run.database
      await run.approve()
      await run.asleep()
      // The first pass was not the last one. A later version would say that it was.
      const worker = await run.upgrade()
      await run.approve()
      assert.deepEqual(await run.ended(), { out: 'a', all: ['a', 'a'] })
      assert.deepEqual(asked, [1])
      await worker.stop()
    })

    test('keep their results while others still read them', async () => {
      const run = await slept(readLater, async () => ({ value: 'of a later version' }))
      await using _ = run.database
      const worker = await run.upgrade()
      await run.approve()
      assert.deepEqual(await run.ended(), { out: 'a a11 ["x1","y1"]' })
      assert.deepEqual(await run.items(), { again: 2, each: 2 })
      await worker.stop()
    })

    test('are as many as they were, though all has been read: no call is made anew', async () => {
      const run = await slept(readBefore, async () => ({ value: false }))
      await using _ = run.database
      const worker = await run.upgrade()
      await run.approve()
      assert.deepEqual(await run.ended(), { out: 'a++' })
      assert.deepEqual(
        [...run.provider.asked],
        [
          ['a', 1],
          ['a+', 1],
        ],
      )
      await worker.stop()
    })
  })
}
