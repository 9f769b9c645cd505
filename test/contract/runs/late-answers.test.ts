import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { requestCancel } from '#store/runs.ts'
import { databases } from '../../support/databases.ts'
import {
  addRun,
  addWorkflow,
  allEnded,
  chain,
  countingProvider,
  migrations,
  newAccount,
  rowOf,
  startProcess,
} from './setting.ts'

for (const { name, open } of databases) {
  describe(`a cancelled run on ${name}`, () => {
    test('counts what a call cost that came back while the run was ending', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const provider = countingProvider()
      provider.held.add('x')
      const settled = async () => {
        for (;;) {
          const [row] = await db.query<{ outcome: string }>('select outcome from ledger')
          if (row && row.outcome !== 'PENDING') return
          await new Promise(setImmediate)
        }
      }
      const process = await startProcess(db, provider, {
        async cancelTasks() {
          provider.open('x')
          await settled()
        },
      })
      const account = newAccount()
      const workflow = await addWorkflow(db, account, chain(1))
      const id = await addRun(db, account, workflow, { inputs: '{"in":"x"}' })
      await db.transaction(async (tx) => tx.notify('runs'))
      while (!provider.asked.has('x')) await new Promise(setImmediate)
      await db.transaction(async (tx) => {
        await requestCancel(tx, account, id, { reason: null, nowMs: systemClock.nowMs() })
        tx.notify('run-cancels')
      })
      await allEnded(db)
      const run = await rowOf(db, id)
      assert.equal(run.status, 'CANCELLED')
      assert.equal(run.in_flight, 0)
      assert.equal(run.cost_micros, 2)
      await process.worker.stop()
    })
  })
}
