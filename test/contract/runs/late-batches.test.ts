// What a vendor's batch answers after its runs have ended is kept with the bill for it: a failure of
// the database between the two would lose what was paid, as the batch is asked for no call twice.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { batchTimes } from '#core/economy.ts'
import type { BegunStep } from '#core/step-states.ts'
import { ask } from '#engine/batches/ask-batch.ts'
import type { BatchDeps, Hand } from '#engine/batches/batch-hand.ts'
import type { Batches } from '#providers/provider.ts'
import { type Db, StoreUnavailable } from '#store/db.ts'
import { economyIn } from '#store/engine/economy.ts'
import { reuseIn } from '#store/engine/reuse.ts'
import { insertCall } from '#store/tables/economy-calls.ts'
import { openAttempt } from '#store/tables/ledger.ts'
import { putSteps, stepsInRows } from '#store/tables/steps.ts'
import { insertBatch, type VendorBatch } from '#store/tables/vendor-batches.ts'
import { registerWorker } from '#store/tables/workers.ts'
import { databases } from '../../support/databases.ts'
import { payloadsInRows } from '../../support/payloads-in-rows.ts'
import { addRun, addWorkflow, chain, migrations, newAccount, rowOf } from './setting.ts'

const day = Date.UTC(2026, 10, 15)
const path = 'g0#0'

/** A call at a vendor, whose run was cancelled. */
async function callOfEndedRun(db: Db, accountId: string, key: string, batchId: string) {
  const workflow = await addWorkflow(db, accountId, chain(1))
  const run_id = await addRun(db, accountId, workflow, { isNotified: false })
  const id = randomUUID()
  await db.transaction(async (tx) => {
    await openAttempt(tx, {
      ...{ attempt: id, accountId, keyId: null, taskId: null, runId: run_id, nodeId: path },
      ...{ operation: 'chat', provider: 'p', model: 'm', unitPrice: null, reservedMicros: 100 },
      createdAtMs: day,
    })
    const begun: BegunStep = {
      ...{ run_id, path, kind: 'TEXT', status: 'STARTED', attempts: 1, started_at: day },
      ...{ ended_at: null, task_id: null, result: null, error: null, cost_micros: null },
      reuse: key,
    }
    await tx.run(putSteps(tx.dialect, [begun]))
    await insertCall(tx, {
      ...{ id, account_id: accountId, run_id, path, wait_id: randomUUID(), provider: 'p' },
      ...{ credential_id: null, pool: 'p', model: 'm', price: null, most: null, bytes: 1 },
      ...{ needed_micros: null, uncounted_micros: null },
      ...{ status: 'SENT', reason: null, batch_id: batchId },
      ...{ created_at: day, ready_at: day, send_by: day },
    })
    await tx.write(`update runs set status = 'CANCELLED', completed_at = $2 where id = $1`, [
      run_id,
      day,
    ])
  })
  return { id, run_id }
}

/** The database is away after its first commit, once. */
function awayAfterOne(db: Db): Db {
  let commits = 0
  const commit = <T>(work: () => Promise<T>): Promise<T> =>
    ++commits === 2 ? Promise.reject(new StoreUnavailable('it is away')) : work()
  return {
    ...db,
    write: (sql, params) => commit(() => db.write(sql, params)),
    transaction: (work, options) => commit(() => db.transaction(work, options)),
    writeAll: (statements, options) => commit(() => db.writeAll(statements, options)),
  }
}

for (const { name, open } of databases) {
  describe(`what a batch answers after its runs have ended, on ${name}`, () => {
    test('is found by later runs, although the database was away in between', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const accountId = newAccount()
      const workerId = randomUUID()
      await registerWorker(db, workerId, 3_600_000)
      const batch: VendorBatch = {
        ...{ id: randomUUID(), account_id: accountId, provider: 'p', credential_id: null },
        ...{ pool: 'p', calls: 2, status: 'SUBMITTED', ref: 'batch_1', owner: workerId },
        ...{ next_at: day, created_at: day, late_at: day + 86_400_000, ended_at: null },
      }
      await insertBatch(db, batch)
      const keys = ['one', 'other']
      const calls: { id: string; run_id: string }[] = []
      for (const key of keys) calls.push(await callOfEndedRun(db, accountId, key, batch.id))
      const batches: Partial<Batches> = {
        poll: async () => ({ state: 'ended', rest: 'unprocessed' }),
        async *results() {
          for (const { id } of calls) {
            const usage = { inputTokens: 1, outputTokens: 1 }
            yield { id, result: { text: `to ${id}`, finish: 'stop', usage, requestId: null } }
          }
        },
      }
      const reuseOn = (on: Db) => reuseIn(on, stepsInRows(on), systemClock)
      const look = (on: Db) => {
        const deps = {
          ...{ economy: economyIn(on), reuse: reuseOn(on), payloads: payloadsInRows },
          ...{ catalogue: { known: () => undefined }, providers: new Map([['p', { batches }]]) },
          ...{ clock: systemClock, times: batchTimes(86_400_000), onError: () => {} },
        } as unknown as BatchDeps
        const hand = {
          ...{ batch, workerId, nowMs: day, signal: new AbortController().signal },
          lease: { isCertain: () => true, lost: new AbortController().signal },
        } as Hand
        return ask(deps, hand)
      }
      await look(awayAfterOne(db))
      await db.write('update vendor_batches set owner = $1', [workerId])
      await look(db)
      for (const [index, key] of keys.entries()) {
        const found = await reuseOn(db).find(accountId, { key, sinceMs: 0 })
        assert.equal(found?.result, JSON.stringify(`to ${calls[index]?.id}`), key)
        assert.equal((await rowOf(db, calls[index]?.run_id ?? '')).in_flight, 1)
      }
    })
  })
}
