import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Context } from '#api/public/context.ts'
import { submitRun } from '#api/public/runs/accept-run.ts'
import { systemClock } from '#core/clock.ts'
import { createRunSubmitter } from '#engine/runs/submit-run.ts'
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
  runsOn,
  startProcess,
  submit,
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
      const clock = { ...systemClock, nowMs: () => Date.now() + aheadMs }
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

/** Writes wait for `release`. */
function holdWrites(db: Db) {
  const released = Promise.withResolvers<void>()
  const held: Db = {
    ...db,
    transaction: (work, options) => released.promise.then(() => db.transaction(work, options)),
    writeAll: (statements, options) =>
      released.promise.then(() => db.writeAll(statements, options)),
  }
  return { held, release: released.resolve }
}

for (const { name, open } of databases) {
  test(`on ${name}, a first submission waits for a slow database; only a duplicate is refused`, async (t) => {
    await using opened = await open({ migrations })
    const { db } = opened
    const accountId = newAccount()
    const workflow = await addWorkflow(db, accountId, chain(1))
    const { held, release } = holdWrites(db)
    const limits = { clock: systemClock, maxQueued: 9, queueTimeoutMs: 60_000 }
    const submitter = createRunSubmitter({ runs: runsOn(held), ...limits })
    const send = (key: string) =>
      submit(
        {
          submitRun: ({ principal, ...submission }) =>
            submitRun(
              { services: { runs: { submit: submitter } }, principal } as Context,
              submission,
            ),
        },
        accountId,
        workflow,
        { key },
      )
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const [first, duplicate, other] = [send('k'), send('k'), send('other')]
    const refused = assert.rejects(duplicate, { code: 'IDEMPOTENCY_IN_PROGRESS' })
    t.mock.timers.tick(1_999)
    t.mock.timers.tick(10_000)
    await refused
    t.mock.timers.reset()
    release()
    assert.deepEqual([(await first).isNew, (await other).isNew], [true, true])
    assert.equal((await send('k')).id, (await first).id)
  })
}
