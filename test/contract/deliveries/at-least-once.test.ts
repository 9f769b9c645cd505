import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { systemClock } from '#core/clock.ts'
import { LeaseLost } from '#core/interruptions.ts'
import { keepLease, type LeaseKeeper } from '#engine/work/lease-keeper.ts'
import type { Db } from '#store/db.ts'
import { leasesIn } from '#store/engine/leases.ts'
import { openPostgres } from '#store/postgres/database.ts'
import { openSqlite } from '#store/sqlite/database.ts'
import { claimStatement, queuesWithWork, releaseWorkOf } from '#store/tables/claims.ts'
import { deliveryClaims, recordAttempt } from '#store/tables/delivery-claims.ts'
import { registerWorker } from '#store/tables/workers.ts'
import { databases, patientDatabase } from '../../support/databases.ts'
import { startReceiver } from './receiver.ts'
import {
  addAccount,
  afterAttempts,
  endRun,
  handClock,
  migrations,
  newestDelivery,
  secretKey,
  startWorker,
  until,
} from './setting.ts'

const script = fileURLToPath(new URL('./killed-worker.ts', import.meta.url))

const startProcess = (address: string): ChildProcess =>
  spawn(process.execPath, [script, address, secretKey.toString('hex'), '900'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })

/** The only account's only queue, claimed by a worker of that name. */
async function claimOnly(db: Db, owner: string) {
  const [queue = ''] = await queuesWithWork(db, deliveryClaims, null, 1)
  const planned = { owner, queue, limit: 1, room: 1 }
  const [stored] = await db.writeAll(() => [claimStatement(db, deliveryClaims, planned, [])])
  const [row] = deliveryClaims.selection.read(stored)
  assert.ok(row)
  return row
}

const success = {
  status: 'DELIVERED',
  retryAtMs: null,
  statusCode: 204,
  error: null,
  body: null,
  number: 1,
  startedAtMs: 4,
  nowMs: 5,
} as const

for (const { name, open } of databases) {
  describe(`at least once on ${name}`, () => {
    test('a worker killed between a delivery and its record: another delivers again, same identifier', async () => {
      const opened = await open({ migrations })
      const { location } = opened
      await using receiver = await startReceiver()
      const accountId = await addAccount(opened.db)
      await endRun(opened.db, { accountId, callbackUrl: receiver.url })
      await opened.db.close()

      const doomed = startProcess('url' in location ? location.url : location.path)
      // The receiver has taken the event; its answer finds nobody.
      receiver.script(async () => {
        doomed.kill('SIGKILL')
        return { status: 204 }
      })
      await once(doomed, 'exit')
      assert.equal(receiver.received.length, 1)

      await using db =
        'url' in location
          ? openPostgres({ ...location, poolSize: 4, ...patientDatabase })
          : openSqlite(location)
      assert.equal((await newestDelivery(db, accountId)).attempts, 0)
      const keeper = await keepLease(leasesIn(db), {
        clock: systemClock,
        leaseMs: 900,
        onError: assert.ifError,
      })
      {
        await using _heir = await startWorker(db, { clock: handClock(), keeper })
        const row = await afterAttempts(db, accountId, 1)
        assert.deepEqual([row.status, row.attempts], ['DELIVERED', 1])
      }
      const [first, again, ...more] = receiver.received
      assert.ok(first && again && more.length === 0)
      assert.equal(again.headers['webhook-id'], first.headers['webhook-id'])
      assert.equal(again.body, first.body)
      await keeper.release()
      await opened.close()
    })

    test('a worker that lost its delivery records nothing', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const accountId = await addAccount(db)
      await endRun(db, { accountId })
      await registerWorker(db, 'second', 60_000)
      const first = await claimOnly(db, 'first')
      // "first" was never alive for the store: what it holds is free at the next heartbeat.
      const keeper = await keepLease(leasesIn(db), {
        clock: systemClock,
        leaseMs: 300,
        onError: assert.ifError,
      })
      await until(async () => (await queuesWithWork(db, deliveryClaims, null, 1)).length === 1)
      const second = await claimOnly(db, 'second')
      const stale = { id: first.id, owner: 'first', epoch: first.epoch }
      await assert.rejects(recordAttempt(db, stale, success), LeaseLost)
      await assert.rejects(recordAttempt(db, { ...stale, owner: 'second' }, success), LeaseLost)
      assert.deepEqual((await newestDelivery(db, accountId)).attempts, 0)
      await recordAttempt(db, { id: second.id, owner: 'second', epoch: second.epoch }, success)
      assert.equal((await newestDelivery(db, accountId)).status, 'DELIVERED')
      await keeper.release()
    })

    test('a worker that hung during an attempt records nothing once another has delivered', async () => {
      await using opened = await open({ migrations })
      await using receiver = await startReceiver()
      const { db } = opened
      const clock = handClock()
      const accountId = await addAccount(db)
      receiver.script('hold')
      await registerWorker(db, 'hung', 60_000)
      const keeper: LeaseKeeper = {
        current: () => ({
          workerId: 'hung',
          lost: new AbortController().signal,
          isCertain: () => true,
        }),
        release: async () => undefined,
      }
      const limits = { all: 1, account: 1, host: 1, queue: 1 }
      await using hung = await startWorker(db, { clock, keeper, limits, stopGraceMs: 60_000 })
      await endRun(db, { accountId, callbackUrl: receiver.url })
      await receiver.arrived(1)
      await db.transaction((tx) => releaseWorkOf(tx, 'hung'))
      receiver.script({ status: 410 })
      await using _heir = await startWorker(db, { clock })
      await afterAttempts(db, accountId, 1)
      receiver.release()
      await hung.stop()
      const row = await newestDelivery(db, accountId)
      assert.deepEqual([row.status, row.attempts, row.last_status_code], ['DISABLED', 1, 410])
      assert.deepEqual(hung.errors, [])
    })

    test('a worker that lost its lease drops its attempts at once', async () => {
      await using opened = await open({ migrations })
      await using receiver = await startReceiver()
      const { db } = opened
      const accountId = await addAccount(db)
      receiver.always('hold')
      const lost = new AbortController()
      await registerWorker(db, 'late', 60_000)
      const keeper: LeaseKeeper = {
        current: () => ({ workerId: 'late', lost: lost.signal, isCertain: () => true }),
        release: async () => undefined,
      }
      const clock = handClock()
      await using late = await startWorker(db, { clock, keeper, stopGraceMs: 60_000 })
      await endRun(db, { accountId, callbackUrl: receiver.url })
      await receiver.arrived(1)
      lost.abort(new LeaseLost('late'))
      await late.stop()
      assert.equal((await newestDelivery(db, accountId)).attempts, 0)
      assert.deepEqual(late.errors, [])
    })

    test('a stopping worker gives back what it has not finished, and another delivers it at once', async () => {
      await using opened = await open({ migrations })
      await using receiver = await startReceiver()
      const { db } = opened
      const clock = handClock()
      const accountId = await addAccount(db)
      receiver.script('hold')
      const first = await startWorker(db, { clock })
      await endRun(db, { accountId, callbackUrl: receiver.url })
      await receiver.arrived(1)
      await first[Symbol.asyncDispose]()
      assert.equal((await newestDelivery(db, accountId)).attempts, 0)
      await using _second = await startWorker(db, { clock })
      const row = await afterAttempts(db, accountId, 1)
      assert.deepEqual([row.status, receiver.received.length], ['DELIVERED', 2])
    })
  })
}
