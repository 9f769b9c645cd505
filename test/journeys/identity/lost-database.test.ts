import assert from 'node:assert/strict'
import { cp, mkdtemp, open, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import type { Db } from '#store/db.ts'
import { migrate } from '#store/migrate.ts'
import { connectSqlite } from '#store/sqlite/connection.ts'
import { openSqlite } from '#store/sqlite/database.ts'
import { migrationsFolder } from '../../../src/operate/installation/open-database.ts'
import { databases } from '../../support/databases.ts'
import { P, startServer } from '../../support/server.ts'

async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-lost-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** The folder of a server that was killed: its log is not in the database file yet. */
async function killedFolder(t: TestContext, starts = 1): Promise<string> {
  const [living, killed] = [await newFolder(t), await newFolder(t)]
  for (let i = 1; i < starts; i++) await (await startServer({ DATA_DIR: living })).stop()
  const server = await startServer({ DATA_DIR: living })
  await cp(living, killed, { recursive: true })
  await server.stop()
  return killed
}

const contents = async (folder: string) =>
  Object.fromEntries(
    await Promise.all(
      (await readdir(folder))
        .filter((name) => !name.includes('.db'))
        .map(async (name) => [name, await readFile(join(folder, name), 'utf8').catch(() => '')]),
    ),
  )

/** The start fails with this message and does not change the keys. */
async function assertRefused(folder: string, words: RegExp, env: Record<string, string> = {}) {
  const before = await contents(folder)
  await assert.rejects(startServer({ DATA_DIR: folder, ...env }), words)
  // Twice: the first refusal must not make a new installation of it.
  await assert.rejects(startServer({ DATA_DIR: folder, ...env }), words)
  assert.deepEqual(await contents(folder), before)
}

const file = (folder: string, suffix = '') => join(folder, `atelier.db${suffix}`)
const wordsOfLoss = /is missing or empty, but .* it holds .*owner\.key.*Nothing was changed.*backup/

describe('a folder whose database was lost is not a new installation:', () => {
  test('the database and all its files are gone', async (t) => {
    const folder = await killedFolder(t)
    for (const suffix of ['', '-wal', '-shm', '.lock']) await rm(file(folder, suffix))
    await assertRefused(folder, wordsOfLoss)
    assert.equal((await readdir(folder)).includes('atelier.db'), false)
  })

  test('the file is gone and its log is left, which is not thrown away', async (t) => {
    const folder = await killedFolder(t)
    await rm(file(folder))
    const log = await readFile(file(folder, '-wal'))
    await assertRefused(folder, wordsOfLoss)
    assert.deepEqual(await readFile(file(folder, '-wal')), log)
  })

  test('the log of the first start is gone', async (t) => {
    const folder = await killedFolder(t)
    await rm(file(folder, '-wal'))
    await rm(file(folder, '-shm'))
    await assertRefused(folder, wordsOfLoss)
  })

  test('the log of a later start is gone', async (t) => {
    const folder = await killedFolder(t, 2)
    await rm(file(folder, '-wal'))
    await rm(file(folder, '-shm'))
    await assertRefused(folder, /database is older than .*installation\.json.*log .*lost/)
  })

  test('the log of a later start is damaged', async (t) => {
    const folder = await killedFolder(t, 2)
    const handle = await open(file(folder, '-wal'), 'r+')
    // For SQLite, a log ends at its first broken frame.
    await handle.write(Buffer.alloc(64, 0xa5), 0, 64, 32)
    await handle.close()
    await rm(file(folder, '-shm'))
    await assertRefused(folder, /database is older than .*installation\.json.*log .*lost/)
  })

  test('the file is empty', async (t) => {
    const folder = await killedFolder(t)
    await truncate(file(folder))
    await assertRefused(folder, wordsOfLoss)
  })

  test('only media are left', async (t) => {
    const folder = await newFolder(t)
    await cp(await killedFolder(t), folder, { recursive: true })
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true })
    await cp(import.meta.filename, join(folder, 'media', 'ab', 'cd', 'abcd'))
    await assertRefused(folder, /it holds media\//)
  })

  test('it was replaced by an older copy', async (t) => {
    const folder = await newFolder(t)
    await (await startServer({ DATA_DIR: folder })).stop()
    const copy = join(await newFolder(t), 'copy.db')
    await cp(file(folder), copy)
    await (await startServer({ DATA_DIR: folder })).stop()
    await cp(copy, file(folder))
    await assertRefused(folder, /database is older than .* remove .*installation\.json/)
    // As the message advises.
    await rm(join(folder, 'installation.json'))
    await (await startServer({ DATA_DIR: folder })).stop()
  })

  test('it is the database of another installation', async (t) => {
    const [folder, other] = [await newFolder(t), await newFolder(t)]
    for (const one of [folder, other]) await (await startServer({ DATA_DIR: one })).stop()
    await cp(file(other), file(folder))
    await assertRefused(folder, /database is not the one .*installation\.json/)
  })

  test('DATABASE_URL leads to an empty one', async (t) => {
    const folder = await killedFolder(t)
    const database = await databases.find(({ name }) => name === 'postgres')?.open()
    assert.ok(database && 'url' in database.location)
    await using _ = database
    const env = { DATABASE_URL: database.location.url }
    await assertRefused(folder, /DATABASE_URL is missing or empty, but .*owner\.key/, env)
    assert.deepEqual(
      await database.db.query(`select 1 as one from pg_tables where schemaname = 'public'`),
      [],
    )
  })
})

describe('a damaged database', () => {
  test('that is no database stops the start with an explanation', async (t) => {
    const folder = await killedFolder(t)
    await rm(file(folder, '-wal'))
    await writeFile(file(folder), 'this was a database once '.repeat(1_000))
    await assertRefused(folder, /atelier\.db is damaged .*Nothing was changed.*backup/)
  })

  test('of which some pages are garbage stops the start with an explanation', async (t) => {
    const folder = await newFolder(t)
    await (await startServer({ DATA_DIR: folder })).stop()
    const handle = await open(file(folder), 'r+')
    const { size } = await handle.stat()
    for (let at = 4_096 * 2; at < size; at += 4_096 * 3) {
      await handle.write(Buffer.alloc(4_096, 0xa5), 0, 4_096, at)
    }
    await handle.close()
    await assertRefused(folder, /atelier\.db is damaged .*Nothing was changed.*backup/)
  })
})

/** What a first start leaves if it is killed after this many migrations. */
async function halfMigrated(t: TestContext, db: Db, count: number) {
  const [some, own] = [await newFolder(t), migrationsFolder]
  const names = (await readdir(own)).filter((name) => name.endsWith('.sql')).sort()
  for (const name of names.slice(0, count)) await cp(join(own, name), join(some, name))
  await migrate(db, some)
}

describe('a start that continues after a killed one', () => {
  for (const count of [0, 1, 12]) {
    test(`in its first start, after ${count} migrations, becomes a new installation`, async (t) => {
      const [living, killed] = [await newFolder(t), await newFolder(t)]
      await using db = openSqlite({ path: file(living) })
      await halfMigrated(t, db, count)
      await cp(living, killed, { recursive: true })
      await using server = await startServer({ DATA_DIR: killed })
      assert.equal((await server.call(`${P}/models`)).status, 200)
    })
  }

  test('in its first start, during the migrations of PostgreSQL, becomes a new installation', async (t) => {
    const database = await databases.find(({ name }) => name === 'postgres')?.open()
    assert.ok(database && 'url' in database.location)
    await using _ = database
    await halfMigrated(t, database.db, 12)
    const env = { DATA_DIR: await newFolder(t), DATABASE_URL: database.location.url }
    await using server = await startServer(env)
    assert.equal((await server.call(`${P}/models`)).status, 200)
  })

  test('with everything in place serves what was there', async (t) => {
    const folder = await killedFolder(t, 2)
    await using server = await startServer({ DATA_DIR: folder })
    assert.equal((await server.call(`${P}/models`)).status, 200)
  })

  test('in its first start, before it had an owner, makes one and keeps the key file', async (t) => {
    const folder = await killedFolder(t)
    const key = await readFile(join(folder, 'owner.key'), 'utf8')
    {
      using database = connectSqlite(file(folder), { readOnly: false, pragmas: [] })
      for (const table of ['setup_links', 'api_keys', 'users', 'accounts']) {
        database.all(`delete from ${table}`)
      }
      database.all(`delete from server_facts where name = 'owner'`)
    }
    await using server = await startServer({ DATA_DIR: folder })
    assert.equal(await readFile(join(folder, 'owner.key'), 'utf8'), key)
    assert.equal((await server.call(`${P}/models`)).status, 200)
  })
})
