import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Clock } from '#core/clock.ts'
import type { Db } from '#store/db.ts'
import { databases } from '../../support/databases.ts'
import {
  addRun,
  addWorkflow,
  chain,
  countingProvider,
  migrations,
  newAccount,
  rowOf,
  startProcess,
  until,
} from './setting.ts'

/** Answers to the question for late costs, which every tick asks, wait for `answer`. */
function slowAt(db: Db) {
  let waiting: (() => void)[] = []
  let asked = 0
  const slow: Db = {
    ...db,
    async query(sql, params) {
      if (!sql.includes('in_flight = 1 limit 1')) return db.query(sql, params)
      asked++
      await new Promise<void>((resolve) => waiting.push(resolve))
      return db.query(sql, params)
    },
  }
  return {
    slow,
    asked: () => asked,
    answer() {
      const all = waiting
      waiting = []
      for (const go of all) go()
    },
  }
}

for (const { name, open } of databases) {
  describe(`a run worker on ${name} that is slow to answer`, () => {
    test('asks one thing at a time, and still keeps the time limits of its runs', async (t) => {
      await using opened = await open({ migrations })
      const { db } = opened
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(1))
      const provider = countingProvider()
      provider.held.add('x')
      const { slow, asked, answer } = slowAt(db)
      let aheadMs = 0
      const clock: Clock = { nowMs: () => Date.now() + aheadMs }
      t.mock.timers.enable({ apis: ['setInterval'] })
      const process = await startProcess(slow, provider, { clock })
      const id = await addRun(db, accountId, workflow, { inputs: '{"in":"x"}' })
      await until(() => provider.asked.has('x'))
      for (let i = 0; i < 20; i++) {
        t.mock.timers.tick(500)
        await new Promise((resolve) => setImmediate(resolve))
      }
      await until(() => asked() > 0)
      assert.equal(asked(), 1)
      aheadMs = 3_600_001
      t.mock.timers.tick(500)
      await until(async () => (await rowOf(db, id)).status === 'FAILED')
      answer()
      // Once it is answered the next tick asks again.
      await until(() => {
        t.mock.timers.tick(500)
        return asked() === 2
      })
      answer()
      provider.open('x')
      await process.bury()
    })
  })
}
