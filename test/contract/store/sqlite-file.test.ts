import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempDisposable, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { CommitUnknown, StoreUnavailable, type Tx } from '#store/db.ts'
import { connectSqlite } from '#store/sqlite/connection.ts'
import { openSqlite } from '#store/sqlite/database.ts'
import { createSqliteWriter } from '#store/sqlite/writer.ts'

const opener = `
  const { openSqlite } = await import(process.argv[1])
  const db = openSqlite({ path: process.argv[2] })
  console.log('open')
  setInterval(() => {}, 1000)`
const module = new URL('../../../src/store/sqlite/database.ts', import.meta.url).href

const filler = `
  const { openSqlite } = await import(process.argv[1])
  // Without a listener the first write past the limit would end the process.
  process.on('SIGXFSZ', () => {})
  const db = openSqlite({ path: process.argv[2] })
  const said = (error) => console.log(error.message)
  await db.write('create table notes (text text)')
  const write = () => db.write('insert into notes values ($1)', ['x'.repeat(100_000)])
  let written = 0
  for (let isWritten = true; isWritten; ) {
    await write().then(() => written++, (error) => (said(error), isWritten = false))
  }
  await write().catch(said)
  const [{ n }] = await db.query('select count(*) as n from notes')
  console.log(n === written ? 'the rest is whole' : n + ' of ' + written)
  await db.close()`

describe('a SQLite file', () => {
  let folder: Awaited<ReturnType<typeof mkdtempDisposable>>
  let path: string
  beforeEach(async () => {
    folder = await mkdtempDisposable(join(tmpdir(), 'atelier-sqlite-'))
    path = join(folder.path, 'new', 'atelier.db')
  })
  afterEach(() => folder.remove())

  const otherProcess = () =>
    spawn(process.execPath, ['--input-type=module', '-e', opener, module, path], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })

  it('is refused to a second process with an error that says why', async () => {
    await using db = openSqlite({ path })
    const child = otherProcess()
    let errors = ''
    child.stderr.on('data', (chunk) => (errors += chunk))
    const [code] = await once(child, 'close')
    assert.equal(code, 1)
    assert.match(errors, /another process uses .*atelier\.db/)
    await db.write('create table still_usable (id integer)')
  })

  it('is free again as soon as its owner was killed', async () => {
    const child = otherProcess()
    await once(child.stdout, 'data')
    assert.throws(() => openSqlite({ path }), StoreUnavailable)
    child.kill('SIGKILL')
    await once(child, 'close')
    await using db = openSqlite({ path })
    await db.write('create table mine (id integer)')
  })

  it('is refused to a second opening in the same process, and free after close', async () => {
    const db = openSqlite({ path })
    assert.throws(() => openSqlite({ path }), StoreUnavailable)
    await db.write('create table kept (id integer)')
    await db.close()
    await using again = openSqlite({ path })
    assert.deepEqual(await again.query('select * from kept'), [])
  })

  it('can be read by its owner only', async () => {
    await using db = openSqlite({ path })
    await db.write('create table secrets (id integer)')
    for (const file of [path, `${path}-wal`, `${path}-shm`]) {
      assert.equal((await stat(file)).mode & 0o077, 0, file)
    }
  })

  it('that is no database is refused and not left locked', async () => {
    const broken = join(folder.path, 'broken.db')
    await writeFile(broken, 'no database at all, but long enough to look at '.repeat(100))
    assert.throws(() => openSqlite({ path: broken }), /not a database/)
    await rm(broken)
    await using db = openSqlite({ path: broken })
    await db.write('create table fine (id integer)')
  })

  it('cannot be changed through query', async () => {
    await using db = openSqlite({ path })
    await db.write('create table notes (id integer)')
    await assert.rejects(db.query('insert into notes values (1)'), /readonly/)
    assert.deepEqual(await db.query('select * from notes'), [])
  })

  it('keeps foreign keys, and a failing commit is told to everyone who was in it', async () => {
    await using db = openSqlite({ path })
    await db.write('create table parents (id integer primary key)')
    await db.write(`create table children (
      id integer primary key,
      parent integer references parents (id) deferrable initially deferred)`)
    const [before, failing, after] = await Promise.allSettled([
      db.write('insert into parents values (1)'),
      db.write('insert into children values (1, 99)'),
      db.transaction((tx) => tx.write('insert into parents values (2)')),
    ])
    assert.equal(failing.status, 'rejected')
    const told = [before, after].map(({ status }) => status === 'fulfilled')
    const rows = await db.query<{ id: number }>('select id from parents')
    const stored = [1, 2].map((id) => rows.some((row) => row.id === id))
    assert.deepEqual(told, stored)
    await db.write('insert into parents values (3)')
    await db.write('insert into children values (1, 3)')
  })

  it('that the disk has no room for refuses what does not fit, and keeps the rest', async () => {
    const words = [process.execPath, '--input-type=module', '-e', filler, module, path]
    const child = spawn('sh', ['-c', 'ulimit -f 2000; exec "$@"', 'sh', ...words], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    child.stdout.on('data', (chunk) => (said += chunk))
    await once(child, 'close')
    const [first, second, rest] = said.trim().split('\n')
    assert.match(first ?? '', /^the database is unavailable/)
    assert.match(second ?? '', /^the database is unavailable/)
    assert.equal(rest, 'the rest is whole')
  })

  describe('that another process has locked', () => {
    /** As a look with the shell, or a backup, does. */
    const outsider = () => {
      const connection = connectSqlite(path, { readOnly: false, pragmas: ['busy_timeout = 0'] })
      connection.all('begin exclusive')
      return connection
    }
    const passes = () => new Promise((resolve) => setTimeout(resolve, 30))

    it('holds up no event loop, is read meanwhile, and is written once the lock is gone', async () => {
      await using db = openSqlite({ path })
      await db.write('create table notes (id integer)')
      using lock = outsider()
      const writing = Promise.all([
        db.write('insert into notes values (1)'),
        db.transaction((tx) => tx.write('insert into notes values (2)')),
      ])
      // The lock is held by this very thread: a write that waited for it would wait for itself.
      await passes()
      assert.deepEqual(await db.query('select * from notes'), [])
      lock.all('rollback')
      await writing
      assert.deepEqual(await db.query('select id from notes'), [{ id: 1 }, { id: 2 }])
    })

    it('refuses what waited five seconds, then at once, and goes on afterwards', async (t) => {
      await using db = openSqlite({ path })
      await db.write('create table notes (id integer)')
      using lock = outsider()
      t.mock.timers.enable({ apis: ['setTimeout'] })
      const refused = db.write('insert into notes values (1)').catch((error) => error)
      const next = () => new Promise((resolve) => setImmediate(resolve))
      for (let waitedMs = 0; waitedMs <= 5_000; waitedMs += 20) {
        await next()
        t.mock.timers.tick(20)
      }
      const error = await refused
      assert.ok(error instanceof StoreUnavailable)
      assert.match(error.message, /locked/)
      await assert.rejects(db.write('insert into notes values (2)'), StoreUnavailable)
      lock.all('rollback')
      await db.write('insert into notes values (3)')
      assert.deepEqual(await db.query('select id from notes'), [{ id: 3 }])
    })
  })

  it('whose log cannot be synced answers nobody, takes nothing more and says why', async () => {
    using connection = connectSqlite(join(folder.path, 'a.db'), { readOnly: false, pragmas: [] })
    connection.all('create table notes (id integer)')
    const syncs: PromiseWithResolvers<void>[] = []
    const sync = () => {
      const asked = Promise.withResolvers<void>()
      syncs.push(asked)
      return asked.promise
    }
    const broken: unknown[] = []
    const onBroken = (error: unknown) => broken.push(error)
    const writer = createSqliteWriter(connection, { sync, onBroken }, () => {})
    const write = (id: number) => {
      const rows = [[id]]
      const statements = () => [{ sql: 'insert into notes values ($1)', rows }]
      return writer.add({ kind: 'statements', statements })
    }
    const inSync = write(1)
    await new Promise((resolve) => setImmediate(resolve))
    const behindIt = write(2)
    await new Promise((resolve) => setImmediate(resolve))
    const inQueue = write(3)
    assert.equal(syncs.length, 1)
    syncs[0]?.reject(new Error('the disk is gone'))
    for (const answer of [inSync, behindIt, inQueue, write(4)]) {
      await assert.rejects(answer, /the write-ahead log could not be synced/)
    }
    assert.ok(writer.failure() instanceof StoreUnavailable)
    assert.deepEqual(broken, [writer.failure()], 'told once')
    await writer.stop()
  })

  it('confirms nothing of a group that was being executed while a sync failed', async () => {
    using connection = connectSqlite(join(folder.path, 'b.db'), { readOnly: false, pragmas: [] })
    connection.all('create table notes (id integer)')
    const syncs: PromiseWithResolvers<void>[] = []
    const sync = () => {
      const asked = Promise.withResolvers<void>()
      syncs.push(asked)
      return asked.promise
    }
    const writer = createSqliteWriter(connection, { sync }, () => {})
    const insert = (id: number) => ({ sql: 'insert into notes values ($1)', rows: [[id]] })
    const write = (id: number) => writer.add({ kind: 'statements', statements: () => [insert(id)] })
    const inSync = write(1)
    await new Promise((resolve) => setImmediate(resolve))
    const held = Promise.withResolvers<void>()
    const executed = write(2)
    const work = async (tx: Tx) => {
      await tx.run(insert(3))
      await held.promise
    }
    const underWay = writer.add({ kind: 'transaction', work })
    await new Promise((resolve) => setImmediate(resolve))
    syncs[0]?.reject(new Error('the disk is gone'))
    held.resolve()
    // A disk that failed once may well say yes the next time.
    const answers = Promise.allSettled([inSync, executed, underWay])
    await new Promise((resolve) => setImmediate(resolve))
    for (const { resolve } of syncs.slice(1)) resolve()
    const [first, second, third] = (await answers).map((answer) => {
      assert.ok(answer.status === 'rejected' && answer.reason instanceof StoreUnavailable)
      return answer.reason
    })
    assert.ok(first instanceof CommitUnknown)
    assert.ok(!(third instanceof CommitUnknown), 'it was rolled back')
    // On a machine that was held up for a batch's time, the second had one of its own.
    const isAlone = second instanceof CommitUnknown
    const committed = isAlone ? [{ id: 1 }, { id: 2 }] : [{ id: 1 }]
    assert.deepEqual(connection.all('select id from notes'), committed)
    await writer.stop()
  })

  it('a transaction that awaits another writer is stopped, and writing goes on', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    await using db = openSqlite({ path })
    await db.write('create table notes (id integer)')
    const started = Promise.withResolvers<void>()
    const stuck = db.transaction(async (tx) => {
      await tx.write('insert into notes values (1)')
      started.resolve()
      await db.write('insert into notes values (2)')
    })
    await started.promise
    t.mock.timers.tick(15_000)
    await assert.rejects(stuck, /nothing but its own queries/)
    await db.write('insert into notes values (3)')
    assert.deepEqual(await db.query('select id from notes order by id'), [{ id: 2 }, { id: 3 }])
  })
})
