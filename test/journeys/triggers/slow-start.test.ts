import assert from 'node:assert/strict'
import { test } from 'node:test'
import postgres from 'postgres'
import { signUp } from '../../support/console.ts'
import { databases } from '../../support/databases.ts'
import { ownMigrations } from '../../support/migrated.ts'
import { startServer } from '../../support/server.ts'
import { assertFailure } from '../generation/setting.ts'
import { submit } from '../runs/setting.ts'
import { hooksOf } from './hook-setting.ts'

test('a repeat that comes while the first run takes long to be stored is told that run', async () => {
  const postgresOnes = databases.find(({ name }) => name === 'postgres')
  await using database = await postgresOnes?.open({ migrations: ownMigrations })
  assert.ok(database && 'url' in database.location)
  const { url } = database.location
  await using server = await startServer({ DATABASE_URL: url, SIGN_UP: 'open' })
  const { hook, send, api, workflowId } = await hooksOf(server, await signUp(server))
  const { path } = await hook()
  const client = postgres(url, { max: 1 })
  await client.unsafe('begin')
  await client.unsafe('lock table runs in exclusive mode')
  const deliver = () => send(path, { title: 'x' }, { 'webhook-id': 'same' })
  const first = deliver()
  for (let stored: unknown[] = []; stored.length === 0; )
    stored = await database.db.query('select id from firings')
  const repeat = deliver()
  // Of two submissions one is refused as undecided, which is two seconds later than the repeat.
  const inputs = { title: 'y' }
  const both = [1, 2].map(() => submit(api, workflowId, { inputs }, { key: 'both' }))
  assertFailure(await Promise.race(both), 409, 'IDEMPOTENCY_IN_PROGRESS')
  await client.unsafe('rollback')
  await client.end()
  const [one, other] = [await first, await repeat]
  assert.deepEqual([one.status, other.status], [202, 202])
  assert.ok(one.body.data.runId)
  assert.deepEqual(other.body, one.body)
  await Promise.all(both)
})
