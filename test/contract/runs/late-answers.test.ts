import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { type Db, StoreUnavailable } from '#store/db.ts'
import { requestCancel } from '#store/tables/cancel-run.ts'
import { openAttempt, settleAttempts } from '#store/tables/ledger.ts'
import { settleLateCosts } from '#store/tables/run-work.ts'
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

/** Once nothing of it may be under way any more. */
async function settledRow(db: Db, id: string) {
  for (;;) {
    const row = await rowOf(db, id)
    if (row.in_flight === 0) return row
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

for (const { name, open } of databases) {
  describe(`a run whose call is answered while the ledger cannot be written, on ${name}`, () => {
    test('ends once it can be, at what the call cost', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const provider = countingProvider()
      provider.held.add('x')
      let isAway = false
      let refused = 0
      const ledgerOn: Db = {
        ...db,
        async transaction(work, options) {
          if (!isAway) return db.transaction(work, options)
          refused++
          throw new StoreUnavailable('it is away')
        },
      }
      const process = await startProcess(db, provider, { ledgerOn })
      const account = newAccount()
      const workflow = await addWorkflow(db, account, chain(1))
      const id = await addRun(db, account, workflow, { inputs: '{"in":"x"}' })
      await until(() => provider.asked.has('x'))
      isAway = true
      provider.open('x')
      await until(() => refused > 0)
      isAway = false
      await allEnded(db)
      const { status, cost_micros, in_flight } = await rowOf(db, id)
      assert.deepEqual([status, cost_micros, in_flight], ['COMPLETED', 2, 0])
      await process.worker.stop()
    })
  })

  describe(`a run taken over while its call is under way, on ${name}`, () => {
    test('fails, as nobody knows how the call ended, and costs what it did once that is known', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const provider = countingProvider()
      provider.held.add('x')
      const first = await startProcess(db, provider)
      const account = newAccount()
      const workflow = await addWorkflow(db, account, chain(1))
      const id = await addRun(db, account, workflow, { inputs: '{"in":"x"}' })
      await until(() => provider.asked.has('x'))
      const heir = await startProcess(db, provider)
      await first.expire()
      await allEnded(db)
      const failed = await rowOf(db, id)
      assert.equal(failed.node_errors?.[0]?.code, 'PROVIDER_OUTCOME_UNKNOWN')
      assert.ok(failed.cost_micros > 2, 'what it may have cost')
      provider.open('x')
      await until(async () => (await rowOf(db, id)).cost_micros === 2)
      const [row] = await db.query('select outcome, cost_micros, remark from ledger')
      assert.deepEqual(row, { outcome: 'SUCCEEDED', cost_micros: 2, remark: null })
      assert.deepEqual([...provider.asked], [['x', 1]])
      await Promise.all([first, heir].map(({ worker }) => worker.stop()))
    })
  })

  describe(`the late cost of a run on ${name}`, () => {
    test('is added once its calls are settled and any that was about to be made is in the ledger', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const account = newAccount()
      const workflow = await addWorkflow(db, account, chain(1))
      const id = await addRun(db, account, workflow, { isNotified: false })
      const endedAtMs = 1_000_000
      await db.write(
        `update runs set status = 'CANCELLED', started_at = 1, completed_at = $1, in_flight = 1`,
        [endedAtMs],
      )
      assert.equal(await settleLateCosts(db, endedAtMs + 1_999), 0, 'a call may come yet')
      await openAttempt(db, {
        ...{ attempt: 'a', accountId: account, keyId: null, taskId: null, runId: id },
        ...{ nodeId: 'g0#0', operation: 'chat', provider: 'counting', model: 'm' },
        ...{ unitPrice: null, reservedMicros: 7, createdAtMs: 1 },
      })
      assert.equal(await settleLateCosts(db, endedAtMs + 3_600_000), 0, 'it is in flight')
      const settlement = { attempt: 'a', outcome: 'SUCCEEDED', units: {}, costMicros: 5 } as const
      await db.transaction((tx) => settleAttempts(tx, [{ ...settlement, nowMs: 1 }]))
      assert.equal(await settleLateCosts(db, endedAtMs + 2_000), 1)
      const { cost_micros, in_flight } = await rowOf(db, id)
      assert.deepEqual([cost_micros, in_flight], [5, 0])
    })
  })

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
      const run = await settledRow(db, id)
      assert.equal(run.status, 'CANCELLED')
      assert.equal(run.cost_micros, 2)
      await process.worker.stop()
    })

    test('counts a call that another worker had made before', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const provider = countingProvider()
      const account = newAccount()
      const workflow = await addWorkflow(db, account, chain(1))
      const id = await addRun(db, account, workflow, { inputs: '{"in":"x"}' })
      // As a worker leaves it that dies while the call is under way.
      await db.write(`update runs set status = 'RUNNING', started_at = 1, epoch = 1`)
      await openAttempt(db, {
        ...{ attempt: 'a', accountId: account, keyId: null, taskId: null, runId: id },
        ...{ nodeId: 'other#0', operation: 'chat', provider: 'counting', model: 'm' },
        ...{ unitPrice: null, reservedMicros: 7, createdAtMs: 1 },
      })
      const nowMs = systemClock.nowMs()
      await db.transaction((tx) => requestCancel(tx, account, id, { reason: null, nowMs }))
      const heir = await startProcess(db, provider)
      await allEnded(db)
      assert.deepEqual([provider.asked.size, (await rowOf(db, id)).in_flight], [0, 1])
      const settlement = { attempt: 'a', outcome: 'SUCCEEDED', units: {}, costMicros: 5 } as const
      await db.transaction((tx) => settleAttempts(tx, [{ ...settlement, nowMs }]))
      const run = await settledRow(db, id)
      assert.deepEqual([run.status, run.cost_micros], ['CANCELLED', 5])
      await heir.bury()
    })
  })
}
