import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type Db, GuardFailed, StoreUnavailable, type Tx, UniqueViolation } from '#store/db.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'

const insert = 'insert into steps (name) values ($1)'

for (const { name, open } of databases) {
  describe(`transactions on ${name}`, () => {
    let opened: TestDatabase
    let db: Db
    before(async () => {
      opened = await open()
      db = opened.db
      await db.write('create table steps (name text primary key)')
    })
    beforeEach(() => db.write('delete from steps'))
    after(() => opened?.close())

    const names = async () =>
      (await db.query<{ name: string }>('select name from steps order by name')).map(
        (row) => row.name,
      )

    it('a transaction sees its own writes; others see them only after its commit', async () => {
      const seen = await db.transaction(async (tx) => {
        await tx.write(insert, ['a'])
        const own = await tx.query('select name from steps')
        return { own, others: await names() }
      })
      assert.deepEqual(seen, { own: [{ name: 'a' }], others: [] })
      assert.deepEqual(await names(), ['a'])
    })

    it('work that throws leaves nothing behind, and its error reaches the caller', async () => {
      const failure = new Error('changed my mind')
      const attempt = db.transaction(async (tx) => {
        await tx.write(insert, ['a'])
        throw failure
      })
      await assert.rejects(attempt, failure)
      assert.deepEqual(await names(), [])
    })

    it('a failed statement fails the transaction even if its error is caught', async () => {
      const attempt = db.transaction(async (tx) => {
        await tx.write(insert, ['a'])
        await tx.write(insert, ['a']).catch(() => {})
        await tx.write(insert, ['b']).catch(() => {})
        return 'all is well'
      })
      await assert.rejects(attempt, UniqueViolation)
      assert.deepEqual(await names(), [])
    })

    it('of transactions asked for together only the failing ones leave nothing', async () => {
      const results = await Promise.allSettled([
        db.transaction((tx) => tx.write(insert, ['a'])),
        db.transaction(async (tx) => {
          await tx.write(insert, ['b'])
          throw new Error('no')
        }),
        db.write(insert, ['c']),
        db.transaction(async (tx) => {
          await tx.write(insert, ['d'])
          await tx.write(insert, ['d'])
        }),
        db.transaction(async (tx) => {
          await tx.write(insert, ['e'])
          return tx.write(insert, ['f'])
        }),
      ])
      assert.deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
      )
      assert.deepEqual(await names(), ['a', 'c', 'e', 'f'])
    })

    it('statements that a transaction sends together happen in order', async () => {
      await db.transaction((tx) =>
        Promise.all([
          tx.write(insert, ['a']),
          tx.write("update steps set name = 'b' where name = $1", ['a']),
          tx.write("update steps set name = 'c' where name = $1", ['b']),
        ]),
      )
      assert.deepEqual(await names(), ['c'])
    })

    it('a transaction cannot be used after its end', async () => {
      let kept: Tx | undefined
      await db.transaction(async (tx) => {
        kept = tx
      })
      await assert.rejects(async () => kept?.write(insert, ['late']), /is over/)
      assert.deepEqual(await names(), [])
    })

    it('work that throws before its first query is an error like any other', async () => {
      const attempt = db.transaction(() => {
        throw new Error('at once')
      })
      await assert.rejects(attempt, /at once/)
      await db.write(insert, ['next'])
    })

    it('64 transactions at once are each whole', async () => {
      await Promise.all(
        Array.from({ length: 64 }, (_, index) =>
          db.transaction(async (tx) => {
            await tx.write(insert, [`${index} first`])
            await tx.write(insert, [`${index} second`])
          }),
        ),
      )
      assert.equal((await names()).length, 128)
    })

    const inserting = (...names: string[]) => ({ sql: insert, rows: names.map((name) => [name]) })

    it('statements written together are all there or none, and harm no neighbour', async () => {
      const neighbour = db.write(insert, ['neighbour'])
      const failing = db.writeAll(() => [inserting('a', 'b'), inserting('a')])
      await assert.rejects(failing, UniqueViolation)
      await neighbour
      assert.deepEqual(await names(), ['neighbour'])
      await db.writeAll(() => [inserting('a', 'b')])
      assert.deepEqual(await names(), ['a', 'b', 'neighbour'])
    })

    it('statements written together answer with what each returned, for all of its rows', async () => {
      const found = { sql: 'select name from steps where name = $1', rows: [['b'], ['x'], ['a']] }
      const rows = await db.writeAll(() => [inserting('a', 'b'), found, inserting()])
      assert.deepEqual(rows, [[], [{ name: 'b' }, { name: 'a' }], []])
    })

    it('a statement whose first answer was undone is understood the next time', async () => {
      const adding = (name: string) => ({ sql: `${insert} returning name`, rows: [[name]] })
      await assert.rejects(
        db.writeAll(() => [adding('a'), inserting('a')]),
        UniqueViolation,
      )
      assert.deepEqual(await db.writeAll(() => [adding('b')]), [[{ name: 'b' }]])
    })

    it('a guard that finds nothing keeps all it was written with from being written', async () => {
      const guard = { sql: 'select 1 as one from steps where name = $1', isGuard: true } as const
      const guarded = (by: string) =>
        db.writeAll(() => [inserting('a'), { ...guard, rows: [[by]] }, inserting('b')])
      await assert.rejects(guarded('nobody'), GuardFailed)
      assert.deepEqual(await names(), [])
      await guarded('a')
      assert.deepEqual(await names(), ['a', 'b'])
      const inTransaction = db.transaction(async (tx) => {
        await tx.run(inserting('c'))
        await tx.run({ ...guard, rows: [['nobody']] }).catch(() => {})
      })
      await assert.rejects(inTransaction, GuardFailed)
      assert.deepEqual(await names(), ['a', 'b'])
    })

    it('a failure nobody waited for undoes its transaction', async () => {
      const attempt = db.transaction(async (tx) => {
        void tx.write(insert, ['a'])
        void tx.write(insert, ['a']).catch(() => {})
      })
      await assert.rejects(attempt, UniqueViolation)
      assert.deepEqual(await names(), [])
    })

    it('more statements than are kept prepared are all understood', async () => {
      for (let i = 0; i < 1_200; i += 100) {
        const counts = Array.from({ length: 100 }, (_, k) =>
          db.write<{ sum: number }>(`select ${i + k} + $1 as sum`, [1]),
        )
        const sums = (await Promise.all(counts)).map(([row]) => row?.sum)
        assert.deepEqual(
          sums,
          Array.from({ length: 100 }, (_, k) => i + k + 1),
        )
      }
    })
  })

  describe(`closing ${name}`, () => {
    it('everything asked for before is answered, everything after is refused', async () => {
      const opened = await open()
      const { db } = opened
      await db.write('create table steps (name text primary key)')
      const asked = [
        db.write(insert, ['a']),
        db.transaction((tx) => tx.write(insert, ['b'])),
        db.write(insert, ['c']),
      ]
      const closed = db.close()
      await Promise.all(asked)
      await closed
      await assert.rejects(db.write(insert, ['d']), StoreUnavailable)
      await assert.rejects(db.query('select 1 as one'), StoreUnavailable)
      await assert.rejects(
        db.transaction(async () => {}),
        StoreUnavailable,
      )
      await opened.close()
    })
  })
}
