import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Db } from '#store/db.ts'
import { databases } from '../../support/databases.ts'
import {
  begin,
  billedMicros,
  call,
  forEach,
  type Graph,
  generate,
  outputsOf,
  repeat,
  wire,
} from './loops.ts'
import { allEnded, migrations, rowOf, until } from './setting.ts'
import { isAsleep, makeDue } from './sleeping.ts'

type Begun = Awaited<ReturnType<typeof begin>>

/** Kills the worker at every n-th commit, until the run has ended. */
async function killUntilEnded(db: Db, run: Begun, commits: number): Promise<number> {
  const hasEnded = async () => (await rowOf(db, run.id)).completed_at !== null
  let kills = 0
  for (let victim = run.process; ; victim = await run.start()) {
    victim.store.killAt(commits, kills % 2 === 0 ? 'before' : 'after')
    await Promise.race([victim.store.died, until(hasEnded)])
    const isOver = !victim.store.isDead() || (await hasEnded())
    await victim.bury()
    if (isOver) return kills
    kills++
    // More deaths in a row would be held against the run.
    await db.write('update runs set deaths = 0 where id = $1', [run.id])
  }
}

for (const { name, open } of databases) {
  describe(`killed again and again, on ${name}`, () => {
    test('a long list is finished, and no item is paid twice', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const items = Array.from({ length: 40 }, (_, i) => `x${i}`)
      const graph = forEach({ onItemError: 'collect' })
      const run = await begin(db, { graph, inputs: { in: items } }, ({ refused }) => {
        refused.add('x7')
      })
      const kills = await killUntilEnded(db, run, 9)
      assert.ok(kills > 3, `${kills} kills`)
      const { status, cost_micros } = await rowOf(db, run.id)
      assert.equal(status, 'COMPLETED')
      for (const item of items) {
        // A refusal costs nothing, so what was refused may be asked for again.
        const asked = run.provider.asked.get(item) ?? 0
        if (item !== 'x7') assert.ok(asked <= 1, `${item}: ${asked}`)
      }
      const { each } = await outputsOf(db, run.id)
      const codes = new Map<number, string>()
      for (const { index, code } of each.errors) codes.set(index, code)
      assert.ok(codes.delete(7))
      // Whether those were answered is not known: they are not sent again, but said to be lost.
      assert.deepEqual([...new Set(codes.values())], ['PROVIDER_OUTCOME_UNKNOWN'])
      for (const [index, item] of items.entries()) {
        const isLost = codes.has(index) || index === 7
        assert.equal(each.results[index], isLost ? null : `${item}+`)
        assert.ok(isLost || run.provider.asked.has(item))
      }
      assert.equal(cost_micros, await billedMicros(db, run.id))
    })

    test('a loop goes on with the pass it was in, and repeats no call', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const graph = repeat({ until: '$length(value) >= 10', maxIterations: 20 })
      const run = await begin(db, { graph, inputs: { in: 'x' } }, ({ held }) => {
        held.add('x++++++')
      })
      // In its seventh pass, before the call: the answers of six are stored.
      await until(() => run.provider.asked.size === 7)
      assert.equal((await run.process.steps.headsOf(run.id)).length, 7)
      await run.process.bury()
      await allEnded(db, 1).catch(() => {})
      run.provider.open('x++++++')
      const heir = await run.start()
      await allEnded(db)
      // The answer of the seventh was lost with the worker.
      assert.equal((await rowOf(db, run.id)).node_errors?.[0]?.code, 'PROVIDER_OUTCOME_UNKNOWN')
      for (const [prompt, count] of run.provider.asked) assert.equal(count, 1, prompt)
      await heir.worker.stop()
    })

    test('a loop that is killed between its passes ends as if it had not been', async () => {
      await using database = await open({ migrations })
      const { db } = database
      // Requests would be lost with the worker, so the passes only wait.
      const apply = { type: 'wait.delay', data: { seconds: 3600 } }
      const graph = repeat({ apply, until: 'index = 6', maxIterations: 7 })
      const run = await begin(db, { graph, inputs: { in: 'x' } })
      let worker = run.process
      for (let pass = 0; pass < 7; pass++) {
        await until(() => isAsleep(db, run.id))
        assert.equal((await worker.steps.headsOf(run.id)).length, pass + 1)
        await worker.bury()
        await makeDue(db)
        worker = await run.start()
        await until(async () => {
          const row = await rowOf(db, run.id)
          return row.completed_at !== null || (await worker.steps.headsOf(run.id)).length > pass + 1
        })
      }
      await allEnded(db)
      const { again } = await outputsOf(db, run.id)
      assert.deepEqual(again, { value: 'x', iterations: ['x', 'x', 'x', 'x', 'x', 'x', 'x'] })
      await worker.worker.stop()
    })

    test('a list in a called workflow in a loop, with a wait inside, pays each call once', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const inner: Graph = {
        nodes: [
          { id: 'v', type: 'input.text', data: {} },
          {
            id: 'list',
            type: 'json.transform',
            data: { expression: '[$ & "a", $ & "b", $ & "c"]', outputType: 'list' },
          },
          {
            id: 'each',
            type: 'flow.map',
            data: { apply: generate, onItemError: 'collect', concurrency: 2 },
          },
          { id: 'rest', type: 'wait.delay', data: { seconds: 3600 } },
          {
            id: 'first',
            type: 'json.transform',
            data: { expression: '$[0]', outputType: 'text' },
          },
          { id: 'o', type: 'output', data: {} },
        ],
        connections: [
          wire('v', 'list', 'input'),
          wire('list', 'each', 'items'),
          { ...wire('each', 'rest', 'value'), sourceHandle: 'results' },
          { ...wire('rest', 'first', 'input'), sourceHandle: 'value' },
          wire('first', 'o', 'value'),
        ],
      }
      const graph = repeat({ apply: call, until: 'index = 2' })
      const run = await begin(db, { graph, called: [inner], inputs: { in: 'x' } })
      let worker = run.process
      for (let pass = 0; pass < 3; pass++) {
        await until(() => isAsleep(db, run.id))
        assert.equal(run.provider.asked.size, 3 * (pass + 1))
        await worker.bury()
        await makeDue(db)
        worker = await run.start()
        await until(
          async () =>
            run.provider.asked.size > 3 * (pass + 1) ||
            (await rowOf(db, run.id)).completed_at !== null,
        )
      }
      await allEnded(db)
      const { status, cost_micros } = await rowOf(db, run.id)
      assert.deepEqual([status, cost_micros], ['COMPLETED', 18])
      for (const [prompt, count] of run.provider.asked) assert.equal(count, 1, prompt)
      const { again } = await outputsOf(db, run.id)
      assert.equal(again.value, 'xa+a+a+')
      assert.equal(again.iterations.length, 3)
      await worker.worker.stop()
    })
  })
}
