import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { type Db, UniqueViolation } from '#store/db.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { rounds } from '../../support/rounds.ts'

for (const { name, open } of databases) {
  describe(`reads and writes on ${name}`, () => {
    let opened: TestDatabase
    let db: Db
    before(async () => {
      opened = await open()
      db = opened.db
      await db.write('create table notes (id integer primary key, body text not null)')
      await db.write('create unique index notes_body on notes (body)')
      await db.write('create table counters (name text primary key, n bigint not null)')
    })
    after(() => opened?.close())

    const add = (id: number, body = `note ${id}`) =>
      db.write<{ id: number }>('insert into notes (id, body) values ($1, $2) returning id', [
        id,
        body,
      ])
    const stored = async (id: number) =>
      (await db.query<{ body: string }>('select body from notes where id = $1', [id]))[0]?.body

    it('a write that was answered is seen by the next read', async () => {
      assert.deepEqual(await add(1, 'first'), [{ id: 1 }])
      assert.deepEqual(await db.query('select id, body from notes'), [{ id: 1, body: 'first' }])
    })

    it('a write without returning answers with no rows', async () => {
      assert.deepEqual(await db.write('delete from notes where id = $1', [12_345]), [])
    })

    it('a failing write harms none of the writes asked for with it', async () => {
      await add(10)
      const results = await Promise.allSettled([
        add(11),
        add(10, 'the number is taken'),
        db.write('insert into notes (id, body) values ($1, $2)', [12, null]),
        db.write('insert into nowhere (id) values ($1)', [1]),
        db.write('insert into notes (id, body) values ($1, $2)', [13]),
        db.write('insert into notes (id, body) values ($1, $2)', [14, undefined as never]),
        db.transaction((tx) => tx.write('insert into notes (id, body) values (15, null)')),
        add(16),
      ])
      assert.deepEqual(
        results.map(({ status }) => status === 'fulfilled'),
        [true, false, false, false, false, false, false, true],
      )
      const rows = await db.query<{ id: number }>(
        'select id from notes where id between 11 and 16 order by id',
      )
      assert.deepEqual(rows, [{ id: 11 }, { id: 16 }])
    })

    it('a value that cannot be a parameter harms only its own write', async () => {
      const results = await Promise.allSettled([
        add(17),
        db.write('insert into notes (id, body) values ($1, $2)', [18, undefined as never]),
        add(19),
      ])
      assert.deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      )
      assert.equal(await stored(17), 'note 17')
      assert.equal(await stored(19), 'note 19')
    })

    it('a zero byte, which PostgreSQL cannot store, harms no write', async () => {
      await Promise.all([add(18, 'zero \0 byte'), add(90)])
      const kept = name === 'postgres' ? 'zero \ufffd byte' : 'zero \0 byte'
      assert.deepEqual([await stored(18), await stored(90)], [kept, 'note 90'])
    })

    it('writes asked for together happen in the order of the calls', async () => {
      await Promise.all([
        add(20),
        db.write('update notes set body = $1 where id = $2', ['second', 20]),
        db.write("update notes set body = body || ' and third' where id = $1", [20]),
      ])
      assert.equal(await stored(20), 'second and third')
    })

    it('a refused duplicate is a UniqueViolation that tells what was taken', async () => {
      await add(30, 'only one')
      const violates = (pattern: RegExp) => (error: unknown) =>
        error instanceof UniqueViolation && pattern.test(error.constraint)
      await assert.rejects(add(30, 'another body'), violates(/^notes(_pkey|\.id)$/))
      await assert.rejects(add(31, 'only one'), violates(/^notes(_body|\.body)$/))
      const inTransaction = db.transaction((tx) =>
        tx.write('insert into notes (id, body) values ($1, $2)', [31, 'only one']),
      )
      await assert.rejects(inTransaction, UniqueViolation)
    })

    it('64 concurrent writers lose nothing', async () => {
      await db.write("insert into counters (name, n) values ('total', 0)")
      const increment = "update counters set n = n + 1 where name = 'total'"
      const writer = async (writer: number) => {
        for (let turn = 0; turn < 20; turn++) {
          await add(1_000 + writer * 100 + turn)
          if (turn % 4 === 0) await db.transaction((tx) => tx.write(increment))
          else await db.write(increment)
        }
      }
      await Promise.all(Array.from({ length: 64 }, (_, index) => writer(index)))
      const [total] = await db.query("select n from counters where name = 'total'")
      assert.deepEqual(total, { n: 1_280 })
      const [count] = await db.query('select count(*) as notes from notes where id >= 1000')
      assert.deepEqual(count, { notes: 1_280 })
    })

    it('reads asked for together with writes are all answered', async () => {
      const reads = Array.from({ length: 100 }, (_, id) => db.query('select $1 as id', [`${id}`]))
      const [rows] = await Promise.all([Promise.all(reads), add(9_000), add(9_001)])
      assert.deepEqual(
        rows.flat().map((row) => Number((row as { id: string }).id)),
        [...Array(100).keys()],
      )
    })
  })

  describe(`values on ${name}`, () => {
    let opened: TestDatabase
    let db: Db
    before(async () => {
      opened = await open()
      db = opened.db
      await db.write(
        'create table items (body text, bytes bytea, big bigint, real double precision)',
      )
    })
    after(() => opened?.close())

    const roundTrip = (row: readonly [string | null, Uint8Array | null, number, number]) =>
      db.write('insert into items values ($1, $2, $3, $4) returning *', row)

    it('text, bytes, integers and reals come back as they were given', async () => {
      const text = fc
        .string({ unit: 'binary' })
        .filter((body) => body.isWellFormed() && !body.includes('\0'))
      const real = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 })
      await fc.assert(
        fc.asyncProperty(
          fc.option(text),
          fc.option(fc.uint8Array()),
          fc.maxSafeInteger(),
          real.filter((number) => !Object.is(number, -0)),
          async (body, bytes, big, number) => {
            const expected = [{ body, bytes, big, real: number }]
            assert.deepEqual(await roundTrip([body, bytes, big, number]), expected)
          },
        ),
        { numRuns: rounds(100) },
      )
    })

    it('a value of one megabyte comes back whole', async () => {
      const body = 'é'.repeat(500_000)
      const bytes = new Uint8Array(1_000_000).fill(255)
      assert.deepEqual(await roundTrip([body, bytes, 0, 0]), [{ body, bytes, big: 0, real: 0 }])
    })

    it('an integer that a number cannot hold is an error, never another integer', async () => {
      await assert.rejects(roundTrip(['', null, 2 ** 53, 0]), RangeError)
      await assert.rejects(db.query('select 9007199254740993 as big'), RangeError)
      assert.deepEqual(await db.query('select 9007199254740991 as big'), [{ big: 2 ** 53 - 1 }])
    })

    it('an integer stays one in text, and a truth is 0 or 1', async () => {
      const rows = await db.query(
        'select cast($1 as text) as digits, 1 < 2 as yes, 1 > 2 as no',
        [5],
      )
      assert.deepEqual(rows, [{ digits: '5', yes: 1, no: 0 }])
    })

    it('$1 may appear twice, out of order, and inside quotes as plain text', async () => {
      const sql = `select cast($2 as text) || cast($1 as text) || cast($2 as text) as joined,
        '$1 it''s' as quoted, 1 as "$2" -- $3`
      assert.deepEqual(await db.query(sql, ['a', 'b']), [
        { joined: 'bab', quoted: "$1 it's", $2: 1 },
      ])
    })

    it('the wrong number of parameters is an error', async () => {
      await assert.rejects(db.query('select cast($1 as text), cast($2 as text)', ['a']))
      await assert.rejects(db.query('select cast($1 as text)', ['a', 'b']))
    })

    it('more different statements than are kept prepared still work', async () => {
      const texts = Array.from(
        { length: 600 },
        (_, n) => `select cast($1 as integer) + ${n} as sum`,
      )
      for (const round of [1, 2]) {
        const rows = await Promise.all(texts.map((sql) => db.query(sql, [round])))
        assert.deepEqual(
          rows.flat(),
          texts.map((_, n) => ({ sum: n + round })),
        )
      }
    })
  })
}
