// Whole tables, as backups read them and restores fill them.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openPostgresSnapshot } from '#store/postgres/snapshot.ts'
import { openSqliteSnapshot } from '#store/sqlite/snapshot.ts'
import {
  addRows,
  type Cells,
  identitiesOf,
  inOrderOfReferences,
  readRows,
  setIdentity,
  type TableShape,
  tablesOf,
} from '#store/table-rows.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'

const migrations = join(import.meta.dirname, '../../../src/store/migrations')

const odd: TableShape = {
  name: 'odd',
  columns: ['part', 'at', 'real', 'bytes', 'words'],
  key: ['part', 'at'],
}
const makeOdd = `create table odd (part text not null, at bigint not null, real double precision,
  bytes bytea, words text, primary key (part, at))`

const openSnapshot = async ({ location }: TestDatabase) =>
  'url' in location ? openPostgresSnapshot(location.url) : openSqliteSnapshot(location.path)

const byKey = (a: Cells, b: Cells) => String(a.slice(0, 2)).localeCompare(String(b.slice(0, 2)))

for (const { name, open } of databases) {
  describe(`tables as a whole on ${name}`, () => {
    test('values of every type come back as they were, over many pages', async () => {
      await using database = await open()
      const { db } = database
      await db.write(db.dialect.inSchema(makeOdd))
      const rows: Cells[] = Array.from({ length: 1_500 }, (_, i) => [
        ['a', 'Ä', 'z', '"', '\\'][i % 5] ?? '',
        2 ** 53 - 1 - i,
        i % 2 === 0 ? i / 3 : null,
        i % 3 === 0 ? new Uint8Array([0, i % 256, 255]) : null,
        i % 7 === 0 ? null : `line\nbreak \\x41 'quoted' {"json":"\\u0000"} 🗼 ${i}`,
      ])
      await addRows(db, odd, rows)
      const read: Cells[] = []
      for await (const page of readRows(db, odd)) read.push(...page)
      assert.deepEqual(read.sort(byKey), rows.sort(byKey))
    })

    test('all of ours have a key, and are filled in the order of their references', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const tables = await tablesOf(db)
      const all = await db.query<{ table_name: string }>(db.dialect.catalog.columns)
      assert.deepEqual(
        tables.map((table) => table.name),
        [...new Set(all.map(({ table_name }) => table_name))],
      )
      const names = (await inOrderOfReferences(db, tables.toReversed())).map((table) => table.name)
      assert.equal(names.length, tables.length)
      assert.ok(names.indexOf('accounts') < names.indexOf('users'))
      assert.ok(names.indexOf('users') < names.indexOf('sessions'))
      assert.ok(names.indexOf('media_blobs') < names.indexOf('media'))
    })

    test('the numbers of an identity column go on where they were', async () => {
      await using database = await open({ migrations })
      const { db } = database
      assert.deepEqual(await identitiesOf(db), [])
      const identity = { table_name: 'workflows', name: 'id', last: 41 }
      await setIdentity(db, identity)
      assert.deepEqual(await identitiesOf(db), [identity])
      const [row] = await db.write<{ id: number }>(
        `insert into workflows (account_id, name, version, data_version, node_count,
           connection_count, data_chars, created_at, updated_at)
         values ('01a1de10-57c3-7000-8000-0613b4e07815', 'w', 1, 1, 0, 0, 0, 1, 1) returning id`,
      )
      assert.equal(row?.id, 42)
    })

    test('a snapshot shows one moment, and nobody who writes waits for it', async () => {
      await using database = await open()
      const { db } = database
      await db.write(db.dialect.inSchema(makeOdd))
      await addRows(db, odd, [['before', 1, null, null, null]])
      await using snapshot = await openSnapshot(database)
      await addRows(db, odd, [['after', 1, null, null, null]])
      await db.write(`delete from odd where part = 'before'`)
      const seen = await snapshot.query<{ part: string }>('select part from odd')
      assert.deepEqual(seen, [{ part: 'before' }])
      assert.deepEqual(await db.query('select part from odd'), [{ part: 'after' }])
    })
  })
}
