import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import postgres from 'postgres'
import { type Db, StoreUnavailable, type Tx } from '#store/db.ts'
import { openPostgres } from '#store/postgres/database.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'

describe('lost connections to PostgreSQL', () => {
  let opened: TestDatabase
  let db: Db
  let administrator: postgres.Sql
  before(async () => {
    const database = databases.find(({ name }) => name === 'postgres')
    assert.ok(database)
    opened = await database.open()
    db = opened.db
    assert.ok('url' in opened.location)
    administrator = postgres(opened.location.url, { max: 1, fetch_types: false })
    await db.write('create table steps (name text primary key)')
  })
  after(async () => {
    await administrator?.end()
    await opened?.close()
  })

  const add = (writer: Pick<Db, 'write'>, name: string) =>
    writer.write('insert into steps (name) values ($1)', [name])
  const cutAll = () => administrator`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`
  const cut = async (tx: Tx) => {
    const [own] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid')
    await administrator`select pg_terminate_backend(${own?.pid ?? 0}, 5000)`
  }
  /** A cut is noticed a moment after it happened. */
  const recovered = async () => {
    for (;;) {
      const answer = await db.query('select 1 as one').catch((error) => error)
      if (Array.isArray(answer)) return
      assert.ok(answer instanceof StoreUnavailable)
    }
  }

  it('a transaction whose connection breaks fails whole, and the next one works', async () => {
    const attempt = db.transaction(async (tx) => {
      await add(tx, 'before the cut')
      await cut(tx)
      await Promise.all([add(tx, 'after the cut'), add(tx, 'and once more')])
    })
    await assert.rejects(attempt, StoreUnavailable)
    await recovered()
    await db.transaction((tx) => add(tx, 'whole'))
    assert.deepEqual(await db.query('select name from steps'), [{ name: 'whole' }])
  })

  it('statements that wait behind the one that was cut are never run', async () => {
    const attempt = db.transaction(async (tx) => {
      const [own] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid')
      await Promise.all([
        tx.query('select pg_sleep(60)'),
        tx.write("update steps set name = 'queued' where name = $1", ['whole']),
        add(tx, 'queued'),
        administrator`select pg_terminate_backend(${own?.pid ?? 0}, 5000)`,
      ])
    })
    await assert.rejects(attempt, StoreUnavailable)
    await recovered()
    assert.deepEqual(await db.query("select 1 as one from steps where name = 'queued'"), [])
  })

  it('a cut that work does not notice still fails its transaction', async () => {
    const attempt = db.transaction(async (tx) => {
      await add(tx, 'never')
      await cut(tx)
    })
    await assert.rejects(attempt, StoreUnavailable)
    await recovered()
    assert.deepEqual(await db.query("select 1 as one from steps where name = 'never'"), [])
  })

  it('writes and reads under way when all connections break are answered, one way or the other', async () => {
    const names = Array.from({ length: 200 }, (_, index) => `busy ${index}`)
    const results = Promise.allSettled(
      names.flatMap((name) => [add(db, name), db.query('select pg_sleep(0.001)')]),
    )
    await cutAll()
    for (const result of await results) {
      if (result.status === 'rejected') assert.ok(result.reason instanceof StoreUnavailable)
    }
    await recovered()
    await add(db, 'busy no more')
  })

  it('a listener is woken again after its connection was lost', async () => {
    let wakes = 0
    let onWake = () => {}
    const next = () => new Promise<void>((resolve) => (onWake = resolve))
    const stop = await db.listen('steps', () => {
      wakes += 1
      onWake()
    })
    const caughtUp = next()
    await cutAll()
    // What was told in between is lost, so it wakes once it listens again.
    await caughtUp
    assert.equal(wakes, 1)
    await recovered()
    const told = next()
    await db.transaction(async (tx) => tx.notify('steps'))
    await told
    assert.equal(wakes, 2)
    await stop()
  })

  it('a server that cannot be reached is StoreUnavailable for every call', async () => {
    await using elsewhere = openPostgres({ url: 'postgres://a:b@127.0.0.1:1/c', poolSize: 2 })
    const calls = [
      elsewhere.query('select 1'),
      elsewhere.write('select 1'),
      elsewhere.write('select 1'),
      elsewhere.transaction((tx) => Promise.all([tx.query('select 1'), tx.query('select 2')])),
      elsewhere.listen('channel', () => {}),
    ]
    for (const result of await Promise.allSettled(calls)) {
      assert.ok(result.status === 'rejected' && result.reason instanceof StoreUnavailable)
    }
  })

  it('a wrong password is StoreUnavailable and is not repeated in the message', async () => {
    assert.ok('url' in opened.location)
    const url = new URL(opened.location.url)
    url.password = 'mistaken'
    await using refused = openPostgres({ url: url.href, poolSize: 2 })
    await assert.rejects(refused.query('select 1'), (error: Error) => {
      assert.ok(error instanceof StoreUnavailable)
      assert.match(error.message, /password authentication failed/)
      assert.doesNotMatch(error.message, /mistaken/)
      return true
    })
  })
})

describe('conflicts on PostgreSQL', () => {
  let opened: TestDatabase
  let db: Db
  before(async () => {
    const database = databases.find(({ name }) => name === 'postgres')
    assert.ok(database)
    opened = await database.open()
    db = opened.db
    await db.write('create table steps (name text primary key, n bigint not null)')
    await db.write("insert into steps values ('a', 0), ('b', 0)")
  })
  after(() => opened?.close())

  const conflict = "do $$ begin raise exception using errcode = '40001'; end $$"

  it('a transaction that lost a conflict is run again from the start', async () => {
    let attempts = 0
    await db.transaction(async (tx) => {
      attempts += 1
      await tx.write("insert into steps values ('retried', $1)", [attempts])
      if (attempts < 3) await tx.write(conflict)
    })
    assert.deepEqual(await db.query("select n from steps where name = 'retried'"), [{ n: 3 }])
  })

  it('a conflict that work wrapped in an error of its own is still one', async () => {
    let attempts = 0
    await db.transaction(async (tx) => {
      attempts += 1
      if (attempts > 1) return
      await tx.write(conflict).catch((cause) => {
        throw new Error('wrapped', { cause })
      })
    })
    assert.equal(attempts, 2)
  })

  it('a conflict without end reaches the caller', async () => {
    let attempts = 0
    const hopeless = db.transaction(async (tx) => {
      attempts += 1
      await tx.write(conflict)
    })
    await assert.rejects(hopeless, { code: '40001' })
    assert.equal(attempts, 5)
  })

  it('two transactions that wait for each other both end well', async () => {
    const both = Promise.withResolvers<void>()
    let holding = 0
    const increment = async (tx: Tx, name: string) => {
      await tx.write('update steps set n = n + 1 where name = $1', [name])
    }
    const swap = (one: string, other: string) =>
      db.transaction(async (tx) => {
        await tx.write("set local deadlock_timeout = '10ms'")
        await increment(tx, one)
        holding += 1
        if (holding === 2) both.resolve()
        await both.promise
        await increment(tx, other)
      })
    await Promise.all([swap('a', 'b'), swap('b', 'a')])
    assert.ok(holding > 2, 'one of them was run again')
    assert.deepEqual(await db.query("select n from steps where name in ('a', 'b')"), [
      { n: 2 },
      { n: 2 },
    ])
  })

  it('statements prepared before a column was added work after it, each once', async () => {
    const together = () =>
      Promise.all(
        Array.from({ length: 20 }, () =>
          db.write("update steps set n = n + 1 where name = 'counted' returning *"),
        ),
      )
    const read = (reader: Pick<Db, 'query'>) => reader.query<{ n: number }>('select * from steps')
    await db.write("insert into steps values ('counted', 0)")
    for (const column of ['one', 'two', 'three']) {
      await together()
      await db.transaction(read)
      await Promise.all(Array.from({ length: 20 }, () => read(db)))
      await db.write(`alter table steps add column ${column} text`)
    }
    await together()
    await db.transaction(read)
    await Promise.all(Array.from({ length: 20 }, () => read(db)))
    const [counted] = await db.query<{ n: number }>("select n from steps where name = 'counted'")
    assert.deepEqual(counted, { n: 80 })
  })

  it('the server keeps a bounded number of prepared statements, and the recent ones', async () => {
    assert.ok('url' in opened.location)
    // A busy machine may take longer for 600 round trips than a caller would be kept waiting.
    const patient = { poolSize: 1, answerWithinMs: 120_000 }
    await using single = openPostgres({ ...opened.location, ...patient })
    const kept = 'select statement from pg_prepared_statements'
    const inOneTransaction = await single.transaction(async (tx) => {
      for (let n = 0; n < 600; n++) await tx.query(`select cast($1 as integer) + ${n}`, [n])
      return tx.query(kept)
    })
    assert.ok(inOneTransaction.length <= 500, `${inOneTransaction.length} statements`)
    await single.query('select cast($1 as integer) as recent', [1])
    assert.match(JSON.stringify(await single.query(kept)), /recent/)
  })

  it('errors do not quote stored values', async () => {
    const attempt = db.write("insert into steps (name, n) values ('a', 1)")
    await assert.rejects(attempt, (error: Error) => {
      assert.doesNotMatch(JSON.stringify([error, error.cause]), /already exists/)
      return true
    })
  })
})
