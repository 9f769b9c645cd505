import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSpenderNow } from '#auth/spender-now.ts'
import { systemClock } from '#core/clock.ts'
import { insertAccount } from '#store/tables/accounts.ts'
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
  until,
} from './setting.ts'

for (const { name, open } of databases) {
  test(`a limit that is set while a run is under way stops its next call, on ${name}`, async () => {
    await using opened = await open({ migrations })
    const { db } = opened
    const account = newAccount()
    await db.transaction((tx) => insertAccount(tx, { id: account, name: 'a', nowMs: 1 }))
    let aheadMs = 0
    const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + aheadMs }
    const provider = countingProvider()
    provider.held.add('a')
    const process = await startProcess(db, provider, {
      clock,
      spenderNow: createSpenderNow({ db, clock, spendLimitMicros: null }),
    })
    const workflow = await addWorkflow(db, account, chain(3))
    const id = await addRun(db, account, workflow, { inputs: '{"in":"a"}' })
    await until(async () => provider.asked.has('a'))
    // Each call costs two.
    await db.write('update accounts set spend_limit_micros = 3 where id = $1', [account])
    aheadMs += 5_000
    provider.open('a')
    await allEnded(db)
    const { status, cost_micros: costMicros, node_errors: errors } = await rowOf(db, id)
    assert.deepEqual([status, costMicros, [...provider.asked.keys()]], ['FAILED', 2, ['a']])
    assert.match(JSON.stringify(errors), /SPEND_LIMIT_REACHED/)
    await process.worker.stop()
  })
}
