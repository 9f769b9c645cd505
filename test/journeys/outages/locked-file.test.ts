import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectSqlite } from '#store/sqlite/connection.ts'
import { P, startServer } from '../../support/server.ts'
import { assertFailure, eventually } from '../generation/setting.ts'
import { addWorkflow, ended, graph, submit } from '../runs/setting.ts'

test('a lock of another process on the database file makes writes 503 and the server unready, and reads work', async () => {
  await using server = await startServer()
  const name = { name: 'w', data: { nodes: [], connections: [] } }
  const create = () => server.call({ method: 'POST', path: `${P}/workflows`, json: name })
  assert.equal((await create()).status, 200)
  const path = join(server.dataDir, 'atelier.db')
  using lock = connectSqlite(path, { readOnly: false, pragmas: ['busy_timeout = 5000'] })
  lock.all('begin exclusive')
  let isAnswered = false
  const refused = create().finally(() => {
    isAnswered = true
  })
  for (const read of ['/healthz', `${P}/workflows`]) {
    assert.equal((await server.call(read)).status, 200, read)
  }
  assert.equal(isAnswered, false, 'nobody waits for a write that waits for the lock')
  const unready = await server.call('/readyz')
  assertFailure(unready, 503, 'SERVICE_UNAVAILABLE')
  assert.equal(unready.body.error.message, 'Not ready: the database cannot be written.')
  const answer = await refused
  assertFailure(answer, 503, 'SERVICE_UNAVAILABLE')
  assert.equal(answer.body.error.retryable, true)
  assert.ok(answer.headers['retry-after'])
  lock.all('rollback')
  assert.equal((await create()).status, 200)
  await eventually(
    () => server.call('/readyz'),
    ({ status }) => status === 200,
  )
  const { body } = await server.call(`${P}/workflows`)
  assert.equal(body.data.total, 2)
})

test('a submission that the database holds up to the time limit is answered 503, and may be repeated', async () => {
  await using server = await startServer({ HANDLER_TIMEOUT_SECONDS: '3' })
  const workflowId = await addWorkflow(server, graph([]))
  const path = join(server.dataDir, 'atelier.db')
  using lock = connectSqlite(path, { readOnly: false, pragmas: ['busy_timeout = 5000'] })
  lock.all('begin exclusive')
  const held = await submit(server, workflowId, {}, { key: 'k' })
  assert.match(assertFailure(held, 503, 'SERVICE_UNAVAILABLE').message, /same Idempotency-Key/)
  lock.all('rollback')
  const repeated = await submit(server, workflowId, {}, { key: 'k' })
  assert.ok([200, 202].includes(repeated.status), repeated.text)
  assert.equal((await ended(server, repeated.body.data.runId)).status, 'COMPLETED')
})
