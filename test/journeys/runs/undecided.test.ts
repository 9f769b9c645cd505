import assert from 'node:assert/strict'
import { test } from 'node:test'
import postgres from 'postgres'
import { databases } from '../../support/databases.ts'
import { ownMigrations } from '../../support/migrated.ts'
import { startServer } from '../../support/server.ts'
import { assertFailure } from '../generation/setting.ts'
import { addWorkflow, ended, graph, started, submit } from './setting.ts'

/** Like another process that has inserted the run and its key but not committed yet. */
const sameRunWithKey = `with locked as (
    select pg_advisory_xact_lock(hashtextextended(
      concat(account_id, ' runs:', workflow_id, ' ', $1::text), 1)) from runs where id = $2)
  insert into runs
  select (jsonb_populate_record(r, jsonb_build_object(
    'id', gen_random_uuid(), 'seq', r.seq + 1000, 'idempotency_key', $1::text))).*
  from runs r, locked where id = $2 returning id`

for (const end of ['commit', 'rollback'] as const) {
  test(`while another process is undecided about a key the answer is 409, and after its ${end} one run has the key`, async () => {
    const postgresOnes = databases.find(({ name }) => name === 'postgres')
    await using database = await postgresOnes?.open({ migrations: ownMigrations })
    assert.ok(database && 'url' in database.location)
    await using server = await startServer({ DATABASE_URL: database.location.url })
    const workflowId = await addWorkflow(server, graph([]))
    const first = await started(server, workflowId)
    await ended(server, first)
    const client = postgres(database.location.url, { max: 1 })
    await client.unsafe('begin')
    const [theirs] = await client.unsafe(sameRunWithKey, ['contested', first])

    const undecided = await submit(server, workflowId, {}, { key: 'contested' })
    const error = assertFailure(undecided, 409, 'IDEMPOTENCY_IN_PROGRESS')
    assert.equal(error.retryable, true)
    assert.equal(undecided.headers['retry-after'], '1')

    await client.unsafe(end)
    await client.end()
    const decided = await submit(server, workflowId, {}, { key: 'contested' })
    assert.equal(decided.status, 200, decided.text)
    const rows = await database.db.query<{ id: string }>(
      `select id from runs where idempotency_key = 'contested'`,
    )
    assert.deepEqual(rows, [{ id: decided.body.data.runId }])
    assert.equal(decided.body.data.runId === theirs?.id, end === 'commit')
    assert.equal((await ended(server, decided.body.data.runId)).status, 'COMPLETED')
  })
}

test('while a key is undecided, runs of other workflows are accepted', async () => {
  const postgresOnes = databases.find(({ name }) => name === 'postgres')
  await using database = await postgresOnes?.open({ migrations: ownMigrations })
  assert.ok(database && 'url' in database.location)
  await using server = await startServer({ DATABASE_URL: database.location.url })
  const [contested, other] = [
    await addWorkflow(server, graph([]), 'contested'),
    await addWorkflow(server, graph([]), 'other'),
  ]
  const first = await started(server, contested)
  await ended(server, first)
  const client = postgres(database.location.url, { max: 1 })
  await client.unsafe('begin')
  await client.unsafe(sameRunWithKey, ['contested', first])
  const undecided = submit(server, contested, {}, { key: 'contested' })
  assertFailure(await undecided, 409, 'IDEMPOTENCY_IN_PROGRESS')
  const accepted = await Promise.all([started(server, other), started(server, other)])
  for (const runId of accepted) assert.equal((await ended(server, runId)).status, 'COMPLETED')

  await client.unsafe('rollback')
  await client.end()
  await ended(server, await started(server, contested))
})
