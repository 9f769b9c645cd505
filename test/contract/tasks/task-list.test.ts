import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { deleteOldTasks, findTask, listTasks } from '#store/tables/tasks.ts'
import { databases } from '../../support/databases.ts'
import { addTask, migrations, newAccount } from './setting.ts'

for (const { name, open } of databases) {
  describe(`task list on ${name}`, () => {
    test('pages hold every task once, newest first, and the total is right', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const account = newAccount()
      const ids: string[] = []
      // Equal and backward clock readings must not disturb the order.
      for (const nowMs of [5, 5, 5, 9, 7, 7, 12, 3, 12, 20, 20])
        ids.push(await addTask(db, account, { nowMs }))
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 15 }), async (size) => {
          const seen = []
          for (let page = 1; ; page++) {
            const { rows, total } = await listTasks(db, account, { page, size })
            assert.equal(total, ids.length)
            if (rows.length === 0) break
            assert.ok(rows.length <= size)
            seen.push(...rows)
          }
          assert.deepEqual(
            seen.map((row) => row.id),
            [...ids].reverse(),
          )
          const sorted = seen.toSorted(
            (a, b) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1),
          )
          assert.deepEqual(
            seen.map((row) => row.id),
            sorted.map((row) => row.id),
          )
        }),
        { numRuns: 15 },
      )
    })

    test('a list that is read by position repeats nothing while tasks come and go', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const account = newAccount()
      const ids: string[] = []
      for (let n = 0; n < 7; n++) ids.push(await addTask(db, account))
      const seen: string[] = []
      let after: readonly number[] | null = null
      do {
        const { rows, next } = await listTasks(db, account, { page: 1, size: 3, after })
        seen.push(...rows.map((row) => row.id))
        after = next
        await addTask(db, account)
      } while (after)
      assert.deepEqual(seen, ids.toReversed())
      const beyond = await listTasks(db, account, { page: 1, size: 3, after: [1] })
      assert.deepEqual([beyond.rows, beyond.next], [[], null])
    })

    test('a page far past the end is empty', async () => {
      await using opened = await open({ migrations })
      const account = newAccount()
      await addTask(opened.db, account)
      const { rows, total } = await listTasks(opened.db, account, {
        page: Number.MAX_SAFE_INTEGER / 200,
        size: 200,
      })
      assert.deepEqual({ rows, total }, { rows: [], total: 1 })
    })

    test('another account sees neither the task nor the count', async () => {
      await using opened = await open({ migrations })
      const [mine, other] = [newAccount(), newAccount()]
      const id = await addTask(opened.db, mine)
      assert.equal((await findTask(opened.db, mine, id))?.id, id)
      assert.equal(await findTask(opened.db, other, id), undefined)
      assert.deepEqual(await listTasks(opened.db, other, { page: 1, size: 50 }), {
        next: null,
        rows: [],
        total: 0,
      })
    })

    test('concurrent submissions get numbers without gaps', async () => {
      await using opened = await open({ migrations })
      const account = newAccount()
      await Promise.all(
        Array.from({ length: 64 }, (_, i) => addTask(opened.db, account, { nowMs: i })),
      )
      const { rows, total } = await listTasks(opened.db, account, { page: 1, size: 200 })
      assert.equal(total, 64)
      assert.deepEqual(
        rows.map((row) => row.seq),
        Array.from({ length: 64 }, (_, i) => 64 - i),
      )
    })

    test('retention deletes from the old end, keeps open tasks, and pages stay whole', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const account = newAccount()
      for (let i = 1; i <= 10; i++) await addTask(db, account, { nowMs: i })
      const end = (from: number, to: number) =>
        db.write(
          `update tasks set completed_at = created_at, status = 'COMPLETED' where account_id = $1 and seq between $2 and $3`,
          [account, from, to],
        )
      await end(1, 4)
      await end(6, 8)
      while ((await deleteOldTasks(db, 8, 3)) > 0);
      const { rows, total } = await listTasks(db, account, { page: 1, size: 4 })
      assert.equal(total, 6)
      assert.deepEqual(
        rows.map((row) => row.seq),
        [10, 9, 8, 7],
      )
      const second = await listTasks(db, account, { page: 2, size: 4 })
      assert.deepEqual(
        second.rows.map((row) => row.seq),
        [6, 5],
      )
    })

    test('an open task of one account does not keep those of others', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const [held, other] = [newAccount(), newAccount()]
      for (let i = 1; i <= 6; i++) await addTask(db, held, { nowMs: i })
      for (let i = 7; i <= 9; i++) await addTask(db, other, { nowMs: i })
      await db.write(
        `update tasks set completed_at = created_at, status = 'COMPLETED'
         where account_id = $1 or seq > 1`,
        [other],
      )
      while ((await deleteOldTasks(db, 20, 3)) > 0);
      const kept = async (account: string) =>
        (await listTasks(db, account, { page: 1, size: 20 })).total
      assert.deepEqual([await kept(held), await kept(other)], [6, 0])
    })
  })
}
