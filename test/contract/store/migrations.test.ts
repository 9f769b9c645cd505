import assert from 'node:assert/strict'
import { mkdtempDisposable, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { type Db, UniqueViolation } from '#store/db.ts'
import { migrate } from '#store/migrate.ts'
import { openPostgres } from '#store/postgres/database.ts'
import { databases, patientDatabase, type TestDatabase } from '../../support/databases.ts'

const first = `-- People; who else?
create table people (
  id bigint generated always as identity primary key,
  uuid uuid not null,
  photo bytea,
  note text not null default 'a uuid; it''s -- not a comment',
  left_at bigint
);
create unique index people_present on people (uuid) where left_at is null;
`
const second = 'alter table people add column age integer'
const uuid = '01890a5d-ac96-774b-bcce-b302099a8057'

for (const { name, open } of databases) {
  describe(`migrations on ${name}`, () => {
    let opened: TestDatabase
    let folder: Awaited<ReturnType<typeof mkdtempDisposable>>
    let db: Db
    beforeEach(async () => {
      opened = await open()
      db = opened.db
      folder = await mkdtempDisposable(join(tmpdir(), 'atelier-migrations-'))
    })
    afterEach(async () => {
      await opened?.close()
      await folder?.remove()
    })

    const put = (file: string, sql: string) => writeFile(join(folder.path, file), sql)
    const tables = () => db.query('select 1 as one from people')

    it('files are applied in the order of their numbers, each once', async () => {
      await put('0002_age.sql', second)
      await put('0001_people.sql', first)
      assert.deepEqual(await migrate(db, folder.path), ['0001_people.sql', '0002_age.sql'])
      assert.deepEqual(await migrate(db, folder.path), [])
      await put('0003_more.sql', `insert into people (uuid) values ('${uuid}')`)
      assert.deepEqual(await migrate(db, folder.path), ['0003_more.sql'])
      assert.deepEqual(await db.query('select id, uuid, note, age from people'), [
        { id: 1, uuid, note: "a uuid; it's -- not a comment", age: null },
      ])
    })

    it('a start that finds all of them applied takes one transaction', async () => {
      await put('0001_people.sql', first)
      await put('0002_age.sql', second)
      await migrate(db, folder.path)
      let transactions = 0
      const counting: Db = {
        ...db,
        transaction: (...call) => {
          transactions++
          return db.transaction(...call)
        },
      }
      assert.deepEqual(await migrate(counting, folder.path), [])
      assert.equal(transactions, 1)
    })

    it('a database that a newer version has migrated is refused, and stays as it is', async () => {
      await put('0001_people.sql', first)
      await put('0002_age.sql', second)
      await migrate(db, folder.path)
      await rm(join(folder.path, '0002_age.sql'))
      await assert.rejects(migrate(db, folder.path), /newer version .*0002_age.*0001_people/)
      await put('0002_age.sql', second)
      assert.deepEqual(await migrate(db, folder.path), [])
    })

    it('one wording gives the same columns, defaults and partial indexes everywhere', async () => {
      await put('0001_people.sql', first)
      await migrate(db, folder.path)
      const add = (leftAt: number | null) =>
        db.write<{ id: number }>(
          'insert into people (uuid, photo, left_at) values ($1, $2, $3) returning id, photo',
          [uuid, new Uint8Array([1]), leftAt],
        )
      assert.deepEqual(await add(1_700_000_000_000), [{ id: 1, photo: new Uint8Array([1]) }])
      assert.equal((await add(1_700_000_000_001))[0]?.id, 2)
      assert.equal((await add(null))[0]?.id, 3)
      await assert.rejects(add(null), UniqueViolation)
    })

    it('a file that changed after it was applied is refused by name', async () => {
      await put('0001_people.sql', first)
      await migrate(db, folder.path)
      await put('0001_people.sql', `${first}-- harmless?`)
      await put('0002_age.sql', second)
      await assert.rejects(migrate(db, folder.path), /0001_people\.sql changed/)
      await assert.rejects(db.query('select age from people'))
    })

    it('a file that slips in before an applied one is refused by name', async () => {
      await put('0002_people.sql', first)
      await migrate(db, folder.path)
      await put('0001_early.sql', 'create table early (id integer)')
      await assert.rejects(migrate(db, folder.path), /0001_early\.sql is older than 0002_people/)
    })

    it('files without a number, or with one that is taken, are refused by name', async () => {
      await put('people.sql', first)
      await assert.rejects(migrate(db, folder.path), /people\.sql is not named like/)
      await rename(join(folder.path, 'people.sql'), join(folder.path, '0001_people.sql'))
      await put('0001_twin.sql', second)
      await assert.rejects(
        migrate(db, folder.path),
        /0001_twin\.sql has the same number as another migration/,
      )
      await assert.rejects(tables())
    })

    it('a file that fails leaves nothing behind, and can be applied once mended', async () => {
      await put('0001_people.sql', `${first}; insert into nowhere values (1);`)
      await assert.rejects(migrate(db, folder.path), /nowhere/)
      await assert.rejects(tables())
      await put('0001_people.sql', first)
      assert.deepEqual(await migrate(db, folder.path), ['0001_people.sql'])
      assert.deepEqual(await tables(), [])
    })

    it('processes that start together apply each file once', async () => {
      await put('0001_people.sql', first)
      await put('0002_age.sql', second)
      const { location } = opened
      // SQLite serves one process only.
      const starters = Array.from({ length: 4 }, () =>
        'url' in location ? openPostgres({ ...location, poolSize: 2, ...patientDatabase }) : db,
      )
      const applied = await Promise.all(starters.map((starter) => migrate(starter, folder.path)))
      assert.deepEqual(applied.flat().sort(), ['0001_people.sql', '0002_age.sql'])
      await Promise.all(starters.map((starter) => starter !== db && starter.close()))
    })

    it('an emptied folder changes nothing', async () => {
      await put('0001_people.sql', first)
      await migrate(db, folder.path)
      await rm(join(folder.path, '0001_people.sql'))
      assert.deepEqual(await migrate(db, folder.path), [])
      assert.deepEqual(await tables(), [])
    })
  })
}
