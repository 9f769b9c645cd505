import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { waitsOfRun } from '#store/tables/waits.ts'
import { databases } from '../../support/databases.ts'
import {
  begin,
  billedMicros,
  call,
  forEach,
  type Graph,
  generate,
  outputsOf,
  wire,
} from './loops.ts'
import { allEnded, migrations, rowOf, until } from './setting.ts'

const prompts = (count: number) => Array.from({ length: count }, (_, i) => `x${i}`)

for (const { name, open } of databases) {
  describe(`an item that fails, on ${name}`, () => {
    test('is left out or null, listed with its reason, and stops nothing', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const items = prompts(12)
      for (const onItemError of ['collect', 'skip'] as const) {
        const run = await begin(
          db,
          { graph: forEach({ onItemError }), inputs: { in: items } },
          ({ refused }) => {
            refused.add('x3')
            refused.add('x0')
          },
        )
        await allEnded(db)
        const { status, cost_micros, nodes } = await rowOf(db, run.id)
        assert.deepEqual([status, cost_micros], ['COMPLETED', 20])
        assert.equal(await billedMicros(db, run.id), 20)
        assert.equal(nodes?.value[1]?.[7], 12, 'how many items it had is kept for estimates')
        const { each } = await outputsOf(db, run.id)
        const made = items.map((item) => (run.provider.refused.has(item) ? null : `${item}+`))
        const kept = onItemError === 'skip' ? made.filter((one) => one !== null) : made
        assert.deepEqual(each.results, kept)
        assert.deepEqual(
          each.errors.map(({ index, code }: { index: number; code: string }) => [index, code]),
          [
            [0, 'CONTENT_REJECTED'],
            [3, 'CONTENT_REJECTED'],
          ],
        )
        for (const count of run.provider.asked.values()) assert.equal(count, 1)
        await run.process.worker.stop()
      }
    })

    test('in a called workflow begins nothing more of itself, and its calls in flight are awaited', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const prefixed = (id: string) => ({
        id,
        type: 'text.template',
        data: { template: `${id} {{p}}` },
      })
      const inner: Graph = {
        nodes: [
          { id: 'p', type: 'input.text', data: {} },
          prefixed('bad'),
          prefixed('slow'),
          { id: 'a', ...generate },
          { id: 'b', ...generate },
          { id: 'after', ...generate },
          { id: 'hold', type: 'wait.approval', data: { title: 'Go on?', value: 'x' } },
          { id: 'o', type: 'output', data: {} },
        ],
        connections: [
          wire('p', 'bad', 'p'),
          wire('p', 'slow', 'p'),
          wire('bad', 'a', 'prompt'),
          wire('slow', 'b', 'prompt'),
          wire('b', 'after', 'prompt'),
          wire('after', 'o', 'value'),
        ],
      }
      const run = await begin(
        db,
        {
          graph: forEach({ apply: call, onItemError: 'collect', concurrency: 1 }),
          called: [inner],
          inputs: { in: ['x0', 'x1'] },
        },
        ({ refused, held }) => {
          refused.add('bad x0')
          refused.add('bad x1')
          held.add('bad x0')
          held.add('slow x0')
        },
      )
      const waits = () => waitsOfRun(db, run.account, run.id)
      await until(async () => run.provider.asked.size === 2 && (await waits()).length === 1)
      run.provider.open('bad x0')
      await until(async () => (await waits())[0]?.status === 'CANCELLED')
      assert.equal(run.provider.asked.has('slow x1'), false, 'the next item waits for this one')
      run.provider.open('slow x0')
      await allEnded(db)
      const { status, cost_micros } = await rowOf(db, run.id)
      assert.equal(status, 'COMPLETED')
      assert.equal(cost_micros, await billedMicros(db, run.id))
      const { each } = await outputsOf(db, run.id)
      assert.deepEqual(each.results, [null, null])
      assert.match(each.errors[1].message, /^Workflow \d+, node "a": CONTENT_REJECTED: /)
      assert.equal(run.provider.asked.has('slow x0+'), false, 'nothing follows in a failed item')
      await run.process.worker.stop()
    })

    test('for lack of money is none: the run ends', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const inner: Graph = {
        nodes: [
          { id: 'p', type: 'input.text', data: {} },
          { id: 'a', ...generate },
        ],
        connections: [wire('p', 'a', 'prompt')],
      }
      const small = { type: 'text.generate', data: { model: 'm', maxTokens: 1 } }
      const [p] = inner.nodes
      assert.ok(p)
      const graphs = [
        { graph: forEach({ apply: small, onItemError: 'collect' }) },
        {
          graph: forEach({ apply: call, onItemError: 'skip' }),
          called: [{ ...inner, nodes: [p, { id: 'a', ...small }] }],
        },
      ]
      for (const graph of graphs) {
        const run = await begin(db, { ...graph, inputs: { in: prompts(50) }, maxCostMicros: 60 })
        await allEnded(db)
        const { status, node_errors } = await rowOf(db, run.id)
        assert.equal(status, 'FAILED')
        assert.match(JSON.stringify(node_errors), /COST_LIMIT_REACHED/)
        assert.ok(run.provider.asked.size < 50)
        await run.process.worker.stop()
      }
    })
  })
}
