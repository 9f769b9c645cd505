import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Db, StoreUnavailable } from '#store/db.ts'
import { openPostgres } from '#store/postgres/database.ts'
import { openSqlite } from '#store/sqlite/database.ts'
import { createDatabase, databases, patientDatabase } from '../../support/databases.ts'
import { startPostgres } from '../../support/postgres-server.ts'

const writer = fileURLToPath(new URL('./writer.ts', import.meta.url))
const createPairs = 'create table pairs (number bigint, part integer, primary key (number, part))'

/** Runs a writing process, kills it after `count` answers, and returns all it was answered. */
async function answeredBeforeKill(location: string, start: number, count: number) {
  const child = spawn(process.execPath, [writer, location, String(start)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = once(child, 'close')
  const answered: number[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    answered.push(Number(line))
    if (answered.length === count) child.kill('SIGKILL')
  }
  const [, signal] = await closed
  assert.equal(signal, 'SIGKILL')
  return answered
}

/** Every answered write is there, and every pair has both parts or none. */
async function assertWhole(db: Db, answered: readonly number[]) {
  const rows = await db.query<{ number: number; parts: number }>(
    'select number, count(*) as parts from pairs group by number',
  )
  const stored = new Map(rows.map(({ number, parts }) => [number, parts]))
  const lost = answered.filter((number) => !stored.has(number))
  assert.deepEqual(lost, [], 'answered, then lost')
  const halves = rows.filter(({ number, parts }) => parts !== (number % 2 === 0 ? 1 : 2))
  assert.deepEqual(halves, [], 'half-done transactions')
}

for (const { name, open } of databases) {
  describe(`a process killed while it writes to ${name}`, () => {
    it('loses no write that was answered, and leaves no transaction half-done', async () => {
      const opened = await open()
      await opened.db.write(createPairs)
      await opened.db.close()
      const { location } = opened
      const address = 'url' in location ? location.url : location.path
      const reopen = () =>
        'url' in location
          ? openPostgres({ ...location, poolSize: 2, ...patientDatabase })
          : openSqlite(location)
      const answered: number[] = []
      for (const [round, count] of [50, 700, 1_500].entries()) {
        answered.push(...(await answeredBeforeKill(address, round * 1_000_000, count)))
        await using db = reopen()
        await assertWhole(db, answered)
      }
      await opened.close()
    })
  })
}

describe('a PostgreSQL server killed while it is written to', () => {
  it('loses no write that was answered, and its clients recover by themselves', async () => {
    const server = await startPostgres({ fsync: 'on' })
    const { url } = await createDatabase(server.url)
    await using db = openPostgres({ url, poolSize: 6, ...patientDatabase })
    await db.write(createPairs)
    const answered: number[] = []
    const woken = Promise.withResolvers<void>()
    await db.listen('pairs', woken.resolve)
    const enough = Promise.withResolvers<void>()
    let next = 0
    let isBack = false
    const writeUntilItFails = async () => {
      // One that waited for a connection meanwhile may find the server back, and never fail.
      while (!isBack) {
        const number = next++
        if (number % 2 === 0) await db.write('insert into pairs values ($1, 0)', [number])
        else {
          await db.transaction(async (tx) => {
            await tx.write('insert into pairs values ($1, 1)', [number])
            await tx.write('insert into pairs values ($1, 2)', [number])
          })
        }
        answered.push(number)
        if (answered.length === 500) enough.resolve()
      }
    }
    const writers = Array.from({ length: 16 }, () => writeUntilItFails())
    const ends = Promise.allSettled(writers)
    await enough.promise
    await server.crash()
    isBack = true
    const failures = (await ends).flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
    assert.notEqual(failures.length, 0)
    for (const failure of failures) assert.ok(failure instanceof StoreUnavailable, failure)
    await woken.promise
    await assertWhole(db, answered)
    await db.close()
    await server.stop()
  })
})
