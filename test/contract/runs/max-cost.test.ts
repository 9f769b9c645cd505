// What counts against maxCost is what the ledger books, also for calls that brought nothing and for
// those of a worker that died.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Route } from '#core/route.ts'
import type { Db } from '#store/db.ts'
import { databases } from '../../support/databases.ts'
import { begin, billedMicros, forEach } from './loops.ts'
import { allEnded, migrations, rowOf, until } from './setting.ts'

const small = { type: 'text.generate', data: { model: 'm', maxTokens: 10 } }
const list = forEach({ apply: small, onItemError: 'collect', concurrency: 4 })
/** A route whose first model may have taken a call before the second is asked. */
const twice: Route = {
  ...{ name: 'r', sort: 'order', on: ['timeout'], mayPayTwice: true },
  candidates: [{ model: 'm' }, { model: 'n' }],
}
const routed = forEach({
  apply: { ...small, data: { ...small.data, model: 'route:r' } },
  ...{ onItemError: 'collect', concurrency: 1 },
})
const items = Array.from({ length: 20 }, (_, i) => `x${10 + i}`)

/** What one call reserves: far more than the 2 micro-dollars that an answer costs. */
async function reservedForOne(db: Db, runId: string): Promise<number> {
  const [row] = await db.query<{ micros: number }>(
    'select max(reserved_micros) as micros from ledger where run_id = $1',
    [runId],
  )
  return Number(row?.micros)
}

const reserved = 77

for (const { name, open } of databases) {
  describe(`maxCost, on ${name}`, () => {
    test('counts calls of which nobody knows what they cost, in a list that goes on', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const maxCostMicros = 6 * reserved
      const run = await begin(
        db,
        { graph: list, inputs: { in: items }, maxCostMicros },
        (asked) => {
          for (const item of items) asked.lost.add(item)
        },
      )
      await allEnded(db)
      await run.process.worker.stop()
      const { status, node_errors } = await rowOf(db, run.id)
      assert.equal(await reservedForOne(db, run.id), reserved)
      assert.equal(await billedMicros(db, run.id), maxCostMicros)
      assert.equal(status, 'FAILED')
      assert.match(JSON.stringify(node_errors), /COST_LIMIT_REACHED/)
    })

    test('counts all models of a route that were asked, and asks none that it cannot pay', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const order = { graph: routed, inputs: { in: items }, routes: { r: twice } }
      const maxCostMicros = 3 * reserved
      const run = await begin(db, { ...order, maxCostMicros }, ({ lost }) => {
        for (const item of items) lost.add(item)
      })
      await allEnded(db)
      await run.process.worker.stop()
      const { node_errors } = await rowOf(db, run.id)
      assert.deepEqual([...run.provider.asked.values()], [2, 1])
      assert.equal(await billedMicros(db, run.id), maxCostMicros)
      assert.match(JSON.stringify(node_errors), /COST_LIMIT_REACHED/)
    })

    test('counts what a worker had under way that died', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const maxCostMicros = 6 * reserved
      const run = await begin(
        db,
        { graph: list, inputs: { in: items }, maxCostMicros },
        (asked) => {
          for (const item of items) asked.held.add(item)
        },
      )
      await until(() => run.provider.asked.size === 4)
      await run.process.bury()
      run.provider.held.clear()
      for (const item of items.slice(4)) run.provider.lost.add(item)
      const next = await run.start()
      await allEnded(db)
      await next.worker.stop()
      assert.equal(await billedMicros(db, run.id), maxCostMicros)
      assert.match(JSON.stringify((await rowOf(db, run.id)).node_errors), /COST_LIMIT_REACHED/)
    })
  })
}
