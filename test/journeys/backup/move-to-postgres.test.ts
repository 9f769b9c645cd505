// One machine becomes several: SQLite and files move to PostgreSQL and S3.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { migrate } from '#store/migrate.ts'
import { openPostgres } from '#store/postgres/database.ts'
import { claimFact } from '#store/tables/server-facts.ts'
import { patientDatabase } from '../../support/databases.ts'
import { startS3Server } from '../../support/s3-server.ts'
import { startServer } from '../../support/server.ts'
import { runWords } from '../cli/setting.ts'
import { readRun, started } from '../runs/setting.ts'
import { assertThere, cli, fill, migrationsFolder, newPlace, rowsOf } from './setting.ts'

test('an installation moves to PostgreSQL and S3 with everything in it, once it is stopped', async (t) => {
  await using s3 = await startS3Server()
  const { DATABASE_URL = '', DATA_DIR = '' } = await newPlace(t, 'postgres')
  const here = { DATA_DIR }
  const there = {
    ...{ DATA_DIR, DATABASE_URL, MEDIA_URL: s3.mediaUrl },
    AWS_ACCESS_KEY_ID: s3.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.credentials.secretAccessKey,
  }
  const server = await startServer(here)
  t.after(() => server.stop())
  const contents = await fill(server)
  const last = await started(server, contents.echoId, { inputs: { topic: 'last' } })

  const early = await runWords(['migrate-store'], { env: there })
  assert.equal(early.code, 1)
  assert.match(early.stderr, /another process uses .*atelier\.db\. Stop it first/)
  await server.stop()

  // An earlier attempt that was interrupted left a part of something.
  {
    await using db = openPostgres({ url: DATABASE_URL, poolSize: 2, ...patientDatabase })
    await migrate(db, migrationsFolder)
    await claimFact(db, 'restoring', '1')
    await db.write(`insert into accounts (id, name, created_at) values ($1, 'a part', 1)`, [
      '01a1de10-57c3-7000-8000-0613b4e07815',
    ])
    await db.write('create table of_somebody_else (id integer primary key)')
    await db.write('insert into of_somebody_else values (7)')
  }
  const spent = await rowsOf(here, 'select * from spend_days order by model')
  const moved = JSON.parse((await cli(['migrate-store', '--json'], there)).stdout)
  assert.ok(moved.blobs >= 2)
  assert.ok(existsSync(join(DATA_DIR, 'atelier.db.moved')))
  assert.deepEqual(await rowsOf(there, 'select * from spend_days order by model'), spent)

  // The old one cannot be started by mistake, and neither can it be moved over the new one.
  await assert.rejects(
    startServer(here),
    /was moved to PostgreSQL: .*atelier\.db\.moved .* DATABASE_URL/,
  )
  await using restored = await inEnvironment(there, () => startServer(there))
  assert.equal((await readRun(restored, last)).status, 'COMPLETED')
  await assertThere(restored, server.ownerKey, contents)
  const again = await runWords(['migrate-store'], { env: there })
  assert.match(again.stderr, /There is no .*atelier\.db/)
  assert.deepEqual(await rowsOf(there, 'select id from of_somebody_else'), [{ id: 7 }])
})

/** The S3 client reads its credentials from the environment of the process. */
async function inEnvironment<T>(env: Record<string, string>, work: () => Promise<T>): Promise<T> {
  const names = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']
  for (const name of names) process.env[name] = env[name]
  return work()
}
