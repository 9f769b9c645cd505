import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Db, UniqueViolation } from '#store/db.ts'
import { openPostgres } from '#store/postgres/database.ts'
import { databases, patientDatabase, type TestDatabase } from '../../support/databases.ts'
import { type PoolMode, startPooler } from '../../support/pooler.ts'

for (const mode of ['session', 'transaction'] satisfies PoolMode[]) {
  describe(`behind a pooler in ${mode} mode`, () => {
    let opened: TestDatabase
    let pooler: Awaited<ReturnType<typeof startPooler>>
    let db: Db
    before(async () => {
      const database = databases.find(({ name }) => name === 'postgres')
      assert.ok(database)
      opened = await database.open()
      assert.ok('url' in opened.location)
      const { url } = opened.location
      // An operator may have chosen this for other programs.
      await opened.db.write(`do $$ begin execute
        format('alter database %I set synchronous_commit = off', current_database()); end $$`)
      pooler = await startPooler(url, mode)
      const directUrl = mode === 'transaction' ? url : undefined
      db = openPostgres({ url: pooler.url, directUrl, poolSize: 3, ...patientDatabase })
      await db.write('create table things (name text primary key, n bigint not null)')
    })
    after(async () => {
      await db?.close()
      await pooler?.[Symbol.asyncDispose]()
      await opened?.close()
    })

    const add = (writer: Pick<Db, 'write'>, name: string) =>
      writer.write('insert into things (name, n) values ($1, $2) returning n', [name, 1])

    it('answers what was written, and refuses what is refused elsewhere', async () => {
      assert.deepEqual(await add(db, 'first'), [{ n: 1 }])
      await assert.rejects(add(db, 'first'), UniqueViolation)
      assert.deepEqual(await db.query('select name from things where name = $1', ['first']), [
        { name: 'first' },
      ])
      await assert.rejects(db.query('select nothing from things'))
      assert.deepEqual(await db.query('select count(*) as n from things'), [{ n: 1 }])
    })

    it('keeps transactions apart, many more than there are connections', async () => {
      const transfer = (index: number) =>
        db.transaction(async (tx) => {
          await add(tx, `even ${index}`)
          const [row] = await tx.query<{ n: number }>('select n from things where name = $1', [
            `even ${index}`,
          ])
          if (index % 2) throw new Error('not this one')
          await tx.write('update things set n = $1 where name = $2', [
            (row?.n ?? 0) + index,
            `even ${index}`,
          ])
        })
      const ends = await Promise.allSettled(Array.from({ length: 40 }, (_, i) => transfer(i)))
      assert.equal(ends.filter(({ status }) => status === 'rejected').length, 20)
      const rows = await db.query<{ n: number }>(
        "select n from things where name like 'even %' order by n",
      )
      assert.deepEqual(
        rows.map(({ n }) => n),
        Array.from({ length: 20 }, (_, i) => 1 + 2 * i),
      )
    })

    it('runs every statement under its limits, and answers only what is on disk', async () => {
      const settings = `select current_setting('statement_timeout') as limit_,
        current_setting('enable_seqscan') as scans,
        current_setting('synchronous_commit') as commits`
      const expected = [{ limit_: '80s', scans: 'off', commits: 'on' }]
      const seen = await Promise.all([
        ...Array.from({ length: 6 }, () => db.query(settings)),
        ...Array.from({ length: 6 }, () => db.transaction((tx) => tx.query(settings))),
      ])
      for (const rows of seen) assert.deepEqual(rows, expected)
    })

    it('is woken by notifications', async () => {
      const woken = Promise.withResolvers<void>()
      const stop = await db.listen('things', woken.resolve)
      await db.transaction(async (tx) => {
        await add(tx, 'announced')
        tx.notify('things')
      })
      await woken.promise
      await stop()
    })
  })
}
