// An item that failed is left out of a run that another worker continues, with what it had begun: that
// may be under way yet, and is paid by the run.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { ledgerIn } from '#store/engine/ledger.ts'
import { openChatIntents } from '#store/journals/chat-intents.ts'
import { stepsOfRun } from '#store/tables/steps.ts'
import { databases } from '../../support/databases.ts'
import { begin, billedMicros, call, forEach, type Graph, generate, wire } from './loops.ts'
import { allEnded, migrations, rowOf, startProcess, until } from './setting.ts'

const prefixed = (id: string) => ({ id, type: 'text.template', data: { template: `${id} {{p}}` } })

/** `b` follows `a`, and fails no less if `bad` does. */
const inner: Graph = {
  nodes: [
    { id: 'p', type: 'input.text', data: {} },
    prefixed('wrong'),
    { id: 'bad', ...generate },
    { id: 'a', ...generate },
    { id: 'b', ...generate },
    { id: 'o', type: 'output', data: {} },
  ],
  connections: [
    wire('p', 'wrong', 'p'),
    wire('wrong', 'bad', 'prompt'),
    wire('p', 'a', 'prompt'),
    wire('a', 'b', 'prompt'),
    wire('b', 'o', 'value'),
  ],
}

for (const { name, open } of databases) {
  describe(`a run whose worker died while an item that had failed had a call under way, on ${name}`, () => {
    test('costs what that call did cost', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const run = await begin(
        db,
        {
          graph: forEach({ apply: call, onItemError: 'collect' }),
          called: [inner],
          inputs: { in: ['x'] },
        },
        ({ refused, held }) => {
          refused.add('wrong x')
          held.add('wrong x')
          held.add('x+')
        },
      )
      await until(() => run.provider.asked.has('wrong x') && run.provider.asked.has('x+'))
      run.provider.open('wrong x')
      const hasFailed = async () => {
        await run.process.steps.inRows([run.id])
        return (await stepsOfRun(db, run.id)).some(({ status }) => status === 'FAILED')
      }
      await until(hasFailed)
      await run.process.bury()
      const heir = await startProcess(db, run.provider)
      await allEnded(db)
      const ended = await rowOf(db, run.id)
      assert.equal(ended.status, 'COMPLETED')
      const ledger = ledgerIn(db, openChatIntents(db, systemClock), systemClock)
      await ledger.settleAbandoned(-1, systemClock.nowMs())
      const billed = await billedMicros(db, run.id)
      assert.ok(billed > 2, 'also what may have been billed')
      await until(async () => (await rowOf(db, run.id)).in_flight === 0)
      assert.equal((await rowOf(db, run.id)).cost_micros, billed)
      assert.equal(run.provider.asked.get('x+'), 1)
      await heir.worker.stop()
    })
  })
}
