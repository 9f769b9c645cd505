import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Db } from '#store/db.ts'
import { economyIn } from '#store/engine/economy.ts'
import {
  dropUnsentOf,
  type EconomyCall,
  type EndedCall,
  endCalls,
  insertCall,
  moveQueued,
  settleDropped,
} from '#store/tables/economy-calls.ts'
import { openAttempt } from '#store/tables/ledger.ts'
import { openWaits } from '#store/tables/waits.ts'
import { registerWorker } from '#store/tables/workers.ts'
import { databases } from '../../support/databases.ts'
import { addRun, addWorkflow, chain, migrations, newAccount, rowOf } from './setting.ts'

const day = Date.UTC(2026, 10, 15)

/** A call of a run that waits for a batch. */
async function queuedCall(db: Db) {
  const account_id = newAccount()
  const run_id = await addRun(db, account_id, await addWorkflow(db, account_id, chain(1)))
  const [id, wait_id] = [randomUUID(), randomUUID()]
  const path = 'n#0'
  const call: EconomyCall = {
    ...{ id, account_id, run_id, path, wait_id, provider: 'p', credential_id: null, pool: 'p' },
    ...{ model: 'm', price: null, most: null, bytes: 1, status: 'QUEUED', reason: null },
    ...{ needed_micros: null, uncounted_micros: null },
    ...{ batch_id: null, created_at: day, ready_at: day, send_by: day + 1_000 },
  }
  await db.transaction(async (tx) => {
    await openAttempt(tx, {
      ...{ attempt: id, accountId: account_id, keyId: null, taskId: null, runId: run_id },
      ...{ nodeId: 'n', operation: 'chat', provider: 'p', model: 'm', unitPrice: null },
      ...{ reservedMicros: 100, createdAtMs: day },
    })
    const wait = { id: wait_id, account_id, run_id, path, node_id: 'n', kind: 'BATCH' as const }
    const of = { title: '', value: '{}', value_digest: '', details: {} }
    await tx.run(openWaits(tx.dialect, [{ ...wait, ...of, until_ms: day + 1_000, after_ms: null }]))
    await insertCall(tx, call)
  })
  return call
}

const send = (db: Db, { id }: EconomyCall) =>
  db.transaction((tx) => moveQueued(tx, [id], { status: 'SENT', batchId: randomUUID() }))

const answered = (
  db: Db,
  { id, account_id, run_id, path, wait_id }: EconomyCall,
  costMicros: number,
) => {
  const end: EndedCall = {
    call: { id, account_id, run_id, path, wait_id },
    ...{ from: 'SENT', status: 'BATCHED', reason: null },
    settlement: { attempt: id, outcome: 'SUCCEEDED', units: {}, costMicros, nowMs: day },
    held: `{"answer":"${costMicros}"}`,
    answer: { result: `"${costMicros}"`, costMicros },
  }
  return db.transaction((tx) => endCalls(tx, [end], day))
}

const ledgerOf = (db: Db, { id }: EconomyCall) =>
  db.query('select outcome, cost_micros from ledger where attempt = $1', [id])

for (const { name, open } of databases) {
  describe(`a call that waits for a batch, on ${name}`, () => {
    test('ends once, whoever brings its answer', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const call = await queuedCall(db)
      await answered(db, call, 7)
      assert.deepEqual(await ledgerOf(db, call), [{ outcome: 'PENDING', cost_micros: null }])
      await send(db, call)
      await answered(db, call, 7)
      await answered(db, call, 9)
      assert.deepEqual(await ledgerOf(db, call), [{ outcome: 'SUCCEEDED', cost_micros: 7 }])
      const waits = await db.query('select status, answer from waits')
      assert.deepEqual(waits, [{ status: 'ANSWERED', answer: '{"answer":"7"}' }])
      assert.equal((await rowOf(db, call.run_id)).in_flight, 0)
    })

    test('whose run has ended adds to its cost', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const call = await queuedCall(db)
      await send(db, call)
      await db.write(`update runs set status = 'FAILED', completed_at = 1 where id = $1`, [
        call.run_id,
      ])
      await answered(db, call, 7)
      assert.equal((await rowOf(db, call.run_id)).in_flight, 1, 'its cost is added up again')
    })

    test('is given up with its run unless it was submitted, and then holds nothing', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const [queued, sent] = [await queuedCall(db), await queuedCall(db)]
      await send(db, sent)
      const runs = [queued.run_id, sent.run_id]
      await db.writeAll(() => [dropUnsentOf(db.dialect, runs)])
      assert.deepEqual(await send(db, queued), [])
      assert.equal(await settleDropped(db, day, 9), 1)
      assert.equal(await settleDropped(db, day, 9), 0)
      assert.deepEqual(await ledgerOf(db, queued), [{ outcome: 'REJECTED', cost_micros: 0 }])
      assert.deepEqual(await ledgerOf(db, sent), [{ outcome: 'PENDING', cost_micros: null }])
    })

    for (const ended of [`completed_at = 1`, `cancel_requested_at = 1`])
      test(`is never submitted if its run had stopped when it was stored: ${ended}`, async () => {
        await using database = await open({ migrations })
        const { db } = database
        const call = await queuedCall(db)
        await db.write(`update runs set ${ended} where id = $1`, [call.run_id])
        await registerWorker(db, 'w', 600_000)
        const { account_id, pool } = call
        const formed = await economyIn(db).form('w', { account_id, pool }, (calls) => calls, {
          ...{ id: randomUUID(), account_id, pool, status: 'SUBMITTING', ref: null, owner: 'w' },
          ...{ next_at: day, created_at: day, late_at: day, ended_at: null },
        })
        assert.equal(formed, null)
        assert.equal(await settleDropped(db, day, 9), 1)
        assert.deepEqual(await ledgerOf(db, call), [{ outcome: 'REJECTED', cost_micros: 0 }])
      })
  })
}
