import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSpenderNow } from '#auth/spender-now.ts'
import { systemClock } from '#core/clock.ts'
import type { Db } from '#store/db.ts'
import { insertAccount } from '#store/tables/accounts.ts'
import { databases } from '../../support/databases.ts'
import { forEach, type Graph } from './loops.ts'
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

/** A run whose first call is held, and what sets a limit meanwhile; each call costs two. */
async function begin(db: Db, graph: Graph, change: Parameters<typeof addRun>[3]) {
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
  const workflow = await addWorkflow(db, account, graph)
  const id = await addRun(db, account, workflow, change)
  await until(async () => provider.asked.has('a'))
  return async () => {
    await db.write('update accounts set spend_limit_micros = 3 where id = $1', [account])
    aheadMs += 5_000
    provider.open('a')
    await allEnded(db)
    await process.worker.stop()
    const { status, cost_micros: costMicros, node_errors: errors } = await rowOf(db, id)
    assert.deepEqual([status, costMicros, [...provider.asked.keys()]], ['FAILED', 2, ['a']])
    assert.match(JSON.stringify(errors), /SPEND_LIMIT_REACHED/)
  }
}

for (const { name, open } of databases) {
  test(`a limit that is set while a run is under way stops its next call, on ${name}`, async () => {
    await using opened = await open({ migrations })
    const stopsIt = await begin(opened.db, chain(3), { inputs: '{"in":"a"}' })
    await stopsIt()
  })

  test(`a limit that is set while a call waits for room under maxCost stops it, on ${name}`, async () => {
    await using opened = await open({ migrations })
    const small = { type: 'text.generate', data: { model: 'm', maxTokens: 10 } }
    // One call reserves more than half of it.
    const stopsIt = await begin(opened.db, forEach({ apply: small, concurrency: 2 }), {
      inputs: '{"in":["a","b"]}',
      max_cost_micros: 100,
    })
    await stopsIt()
  })
}
