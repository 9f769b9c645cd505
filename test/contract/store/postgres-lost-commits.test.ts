import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import postgres from 'postgres'
import { CommitUnknown, type Db, StoreUnavailable } from '#store/db.ts'
import { openPostgres } from '#store/postgres/database.ts'
import { eventually } from '../../journeys/generation/setting.ts'
import { createDatabase, databases } from '../../support/databases.ts'
import { type PostgresProxy, startPostgresProxy } from '../../support/postgres-proxy.ts'
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts'

/** With little time for an answer a busy machine may need several tries to connect. */
const answersAgain = (db: Db) =>
  eventually(
    () => db.query('select 1 as one').catch(() => []),
    ([row]) => row !== undefined,
  )

describe('a commit whose answer was lost', () => {
  let server: PostgresServer
  let url: string
  let direct: postgres.Sql
  before(async () => {
    server = await startPostgres({ fsync: 'on' })
    url = (await createDatabase(server.url)).url
    direct = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} })
    await direct`create table notes (name text primary key)`
  })
  after(async () => {
    await direct?.end()
    await server?.stop()
  })

  async function openStore(t: TestContext, answerWithinMs = 60_000) {
    const proxy = await startPostgresProxy(url)
    const db = openPostgres({ url: proxy.url, poolSize: 4, answerWithinMs })
    t.after(() => proxy.close())
    t.after(() => db.close())
    await answersAgain(db)
    return { proxy, db }
  }
  const isStored = async (name: string) =>
    (await direct`select 1 from notes where name = ${name}`).length === 1
  const add = (db: Db, name: string) =>
    db.transaction(async (tx) => {
      await tx.write('insert into notes values ($1)', [name])
      return name
    })

  it('is answered as made where it was made', async (t) => {
    const { proxy, db } = await openStore(t)
    proxy.cutAtCommit('forwarded')
    assert.equal(await add(db, 'made'), 'made')
    assert.ok(await isStored('made'))
    proxy.cutAtCommit('forwarded')
    assert.deepEqual(
      await db.write('insert into notes values ($1) returning name', ['written alone']),
      [{ name: 'written alone' }],
    )
    proxy.cutAtCommit('forwarded')
    const names = ['together 1', 'together 2', 'together 3']
    await Promise.all(names.map((name) => db.write('insert into notes values ($1)', [name])))
    for (const name of names) assert.ok(await isStored(name))
  })

  it('is StoreUnavailable where nothing was made', async (t) => {
    const { proxy, db } = await openStore(t)
    proxy.cutAtCommit('withheld')
    await assert.rejects(add(db, 'not made'), (error) => {
      assert.ok(error instanceof StoreUnavailable && !(error instanceof CommitUnknown))
      return true
    })
    assert.equal(await isStored('not made'), false)
    await add(db, 'not made')
  })

  it('is CommitUnknown where nobody can be asked in time, and the connection is not used again', async (t) => {
    const { proxy, db } = await openStore(t, 6_000)
    proxy.cutAtCommit('forwarded', proxy.shut)
    await assert.rejects(add(db, 'who knows'), CommitUnknown)
    proxy.open()
    await answersAgain(db)
    const [seen] = await db.query("select 1 as one from notes where name = 'who knows'")
    assert.deepEqual(seen, { one: 1 })
  })

  describe('because the server crashed', () => {
    /** Commits of others until the numbers are used up that the crash made free again. */
    const burnNumbers = async () => {
      await direct.end()
      direct = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} })
      for (let i = 0; i < 50; i++) await direct`select pg_current_xact_id()`
    }
    const crash = async (proxy: PostgresProxy) => {
      proxy.shut()
      await server.crash()
      await burnNumbers()
      proxy.open()
    }

    it('is looked up by what it would have written, as its number may be another’s', async (t) => {
      const { proxy, db } = await openStore(t)
      const addLooking = (name: string) =>
        db.transaction(
          async (tx) => {
            await tx.write('insert into notes values ($1)', [name])
            return name
          },
          {
            isStored: async (reader, value) =>
              (await reader.query('select 1 from notes where name = $1', [value])).length === 1,
          },
        )
      proxy.cutAtCommit('withheld', () => crash(proxy))
      await assert.rejects(addLooking('lost'), (error) => {
        assert.ok(error instanceof StoreUnavailable && !(error instanceof CommitUnknown))
        return true
      })
      assert.equal(await isStored('lost'), false)
      proxy.cutAtCommit('forwarded', () => crash(proxy))
      assert.equal(await addLooking('kept'), 'kept')
      assert.ok(await isStored('kept'))
    })

    it('is CommitUnknown where it cannot be looked up', async (t) => {
      const { proxy, db } = await openStore(t)
      proxy.cutAtCommit('forwarded', () => crash(proxy))
      await assert.rejects(add(db, 'also kept'), CommitUnknown)
      assert.ok(await isStored('also kept'))
    })
  })
})

async function emptyDatabase(t: TestContext): Promise<string> {
  const opened = await databases.find(({ name }) => name === 'postgres')?.open()
  assert.ok(opened && 'url' in opened.location)
  t.after(opened.close)
  return opened.location.url
}

describe('a PostgreSQL server that says nothing any more', () => {
  it('is left after a while, told of once, and used again over new connections', async (t) => {
    await using proxy = await startPostgresProxy(await emptyDatabase(t))
    const told: string[] = []
    await using db = openPostgres({
      url: proxy.url,
      poolSize: 3,
      answerWithinMs: 6_000,
      onUnavailable: () => told.push('away'),
      onRecovered: () => told.push('back'),
    })
    await db.write('create table notes (name text primary key)')
    await Promise.all([1, 2, 3].map(() => db.query('select 1 as one')))
    proxy.stall()
    const calls = [
      ...Array.from({ length: 10 }, () => db.query('select 1 as one')),
      ...Array.from({ length: 10 }, (_, i) => db.write('insert into notes values ($1)', [`${i}`])),
      db.transaction((tx) => tx.query('select 1 as one')),
    ]
    for (const call of await Promise.allSettled(calls)) {
      assert.ok(call.status === 'rejected' && call.reason instanceof StoreUnavailable)
    }
    await assert.rejects(db.query('select 1 as one'), StoreUnavailable)
    assert.deepEqual(told, ['away'])
    proxy.resume()
    for (;;) {
      const answer = await db.query('select count(*) as n from notes').catch(() => null)
      if (!answer) continue
      assert.deepEqual(answer, [{ n: 0 }], 'what was refused was not written')
      break
    }
    assert.deepEqual(told, ['away', 'back'])
    assert.ok(proxy.count() <= 3, `${proxy.count()} connections`)
  })

  it('may take its time with a migration', async (t) => {
    const url = await emptyDatabase(t)
    await using db = openPostgres({ url, poolSize: 2, answerWithinMs: 3_000 })
    await answersAgain(db)
    const long = { mayTakeLong: true } as const
    await db.transaction((tx) => tx.query('select pg_sleep(3)'), long)
    await assert.rejects(db.query('select pg_sleep(3)'), StoreUnavailable)
  })
})
