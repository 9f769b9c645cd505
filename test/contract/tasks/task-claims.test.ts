import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LeaseLost } from '#core/interruptions.ts'
import type { Db, Tx } from '#store/db.ts'
import {
  claimKey,
  claimStatement,
  claimStore,
  queuesWithWork,
  releaseWorkOf,
} from '#store/tables/claims.ts'
import { failOverdueTasks } from '#store/tables/overdue-tasks.ts'
import {
  findTask,
  finishTask,
  markSubmitted,
  markSubmitting,
  markUnsubmitted,
  releaseUntil,
  type TaskRow,
  taskClaims,
} from '#store/tables/tasks.ts'
import { registerWorker, renewLease, takeExpiredWorkers } from '#store/tables/workers.ts'
import { databases } from '../../support/databases.ts'
import { addTask, migrations, newAccount } from './setting.ts'

async function claim(
  db: Db,
  owner: string,
  accountId: string,
  limit = 10,
  nowMs = 5_000,
): Promise<TaskRow[]> {
  const planned = { owner, queue: accountId, limit, room: 1_000 }
  const times = [nowMs, nowMs + 100, nowMs + 900]
  const [stored] = await db.writeAll(() => [claimStatement(db, taskClaims, planned, times)])
  const rows = taskClaims.selection.read(stored)
  return rows
}

const ended = {
  status: 'COMPLETED',
  media: null,
  error: null,
  costMicros: 0,
  nowMs: 6_000,
} as const

for (const { name, open } of databases) {
  describe(`task claims on ${name}`, () => {
    test('a task goes to one of many workers that claim at once', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const account = newAccount()
      const ids = await Promise.all(Array.from({ length: 40 }, () => addTask(db, account)))
      const claims = await Promise.all(
        Array.from({ length: 8 }, (_, i) => claim(db, `worker-${i}`, account, 10)),
      )
      const taken = claims.flat().map((row) => row.id)
      assert.equal(new Set(taken).size, taken.length)
      const rest = await claim(db, 'late', account, 100)
      assert.deepEqual([...taken, ...rest.map((row) => row.id)].sort(), ids.sort())
    })

    test('a worker that lost its task writes nothing', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const account = newAccount()
      const id = await addTask(db, account)
      const [first] = await claim(db, 'first', account)
      await db.transaction((tx) => releaseWorkOf(tx, 'first'))
      const [second] = await claim(db, 'second', account)
      assert.ok(first && second && second.epoch > first.epoch)
      const stale = { id, owner: 'first', epoch: first.epoch }
      await assert.rejects(db.transaction((tx) => finishTask(tx, stale, ended)))
      await assert.rejects(
        db.transaction((tx) => markSubmitting(tx, stale, { servedBy: 'x', nowMs: 1 })),
      )
      const row = await findTask(db, account, id)
      assert.deepEqual([row?.status, row?.stage, row?.attempts], ['RUNNING', 'READY', 0])
      await db.transaction((tx) =>
        finishTask(tx, { id, owner: 'second', epoch: second.epoch }, ended),
      )
      assert.equal((await findTask(db, account, id))?.status, 'COMPLETED')
    })

    test('an earlier claim of the same worker writes nothing either', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const account = newAccount()
      const id = await addTask(db, account)
      const [first] = await claim(db, 'w', account)
      await db.transaction((tx) => releaseWorkOf(tx, 'w'))
      const [second] = await claim(db, 'w', account)
      assert.ok(first && second)
      const stale = { id, owner: 'w', epoch: first.epoch }
      const writes: ((tx: Tx) => Promise<unknown>)[] = [
        (tx) => markSubmitting(tx, stale, { servedBy: 'x', nowMs: 1 }),
        (tx) => markSubmitted(tx, stale, '{}'),
        (tx) => markUnsubmitted(tx, stale),
        (tx) => releaseUntil(tx, stale, { runAtMs: 9_000 }),
        (tx) => finishTask(tx, stale, ended),
      ]
      for (const write of writes) await assert.rejects(db.transaction(write), LeaseLost)
      assert.deepEqual(await findTask(db, account, id), second)
    })

    test('who gives work back gives back only what is still theirs', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const account = newAccount()
      await addTask(db, account)
      const store = claimStore(db, taskClaims)
      const [first] = await claim(db, 'first', account)
      await db.transaction((tx) => releaseWorkOf(tx, 'first'))
      const [second] = await claim(db, 'second', account)
      await db.transaction((tx) => releaseWorkOf(tx, 'second'))
      const [third] = await claim(db, 'second', account)
      assert.ok(first && second && third)
      await store.release('first', [first])
      await store.release('second', [second])
      await store.releaseOrphaned('first', new Set())
      await store.releaseOrphaned('second', new Set([claimKey(third)]))
      assert.deepEqual(await claim(db, 'another', account), [], 'it has an owner')
      await store.release('second', [third])
      assert.equal((await claim(db, 'another', account)).length, 1)
    })

    test('the time limit starts with the first claim and is kept by later ones', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const account = newAccount()
      const [image, video] = [
        await addTask(db, account),
        await addTask(db, account, { kind: 'VIDEO' }),
      ]
      await claim(db, 'a', account, 10, 5_000)
      await db.transaction((tx) => releaseWorkOf(tx, 'a'))
      const again = await claim(db, 'b', account, 10, 50_000)
      const limits = Object.fromEntries(again.map((row) => [row.id, row.deadline_at]))
      assert.deepEqual(limits, { [image]: 5_100, [video]: 5_900 })
    })

    test('a deadline replaces the time limit, also of a task that was put off for long', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const account = newAccount()
      const id = await addTask(db, account, { deadline_at: 90_000, must_end_by: 90_000 })
      const [first] = await claim(db, 'a', account, 10, 5_000)
      assert.equal(first?.deadline_at, 90_000)
      const own = { id, owner: 'a', epoch: first?.epoch ?? 0 }
      await db.transaction((tx) => releaseUntil(tx, own, { runAtMs: 60_000 }))
      assert.deepEqual(await claim(db, 'b', account, 10, 5_000), [])
      assert.equal((await claim(db, 'b', account, 10, 60_000)).length, 1)
    })

    test('every account with waiting work is found, once, in turn', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const accounts = Array.from({ length: 7 }, newAccount).sort()
      for (const account of accounts) for (let i = 0; i < 3; i++) await addTask(db, account)
      assert.deepEqual(await queuesWithWork(db, taskClaims, null, 100), accounts)
      assert.deepEqual(
        await queuesWithWork(db, taskClaims, accounts[3] ?? null, 2),
        accounts.slice(4, 6),
      )
    })

    test('tasks nobody started in time fail; started ones are left alone', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const account = newAccount()
      const waiting = await addTask(db, account, { deadline_at: 2_000 })
      const started = await addTask(db, account, { deadline_at: 9_999 })
      await claim(db, 'w', account, 1, 1_500)
      const failed = await failOverdueTasks(db, 10_000_000, '{}')
      const open1 = await findTask(db, account, waiting)
      const open2 = await findTask(db, account, started)
      assert.equal(failed.length, 1)
      assert.deepEqual([open1?.status, open2?.status].sort(), ['FAILED', 'RUNNING'])
    })

    test('a silent worker loses its lease to whoever looks, once', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      await registerWorker(db, 'silent', -1)
      await registerWorker(db, 'alive', 60_000)
      const takes = await Promise.all(
        Array.from({ length: 5 }, () =>
          db.transaction((tx) => takeExpiredWorkers(tx, db, 'alive')),
        ),
      )
      assert.deepEqual(takes.flat(), ['silent'])
      assert.equal(await renewLease(db, 'silent', 60_000), false)
      assert.equal(await renewLease(db, 'alive', 60_000), true)
    })
  })
}
