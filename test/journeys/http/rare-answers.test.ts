import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { consolePath, type Person, signUp } from '../../support/console.ts'
import { type Answer, P, startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
let person: Person
before(async () => {
  server = await startServer({ SIGN_UP: 'open' })
  person = await signUp(server)
})
after(() => server.stop())

/** Changes rows as an operator or the passing of time would. */
function alter(sql: string, ...params: string[]) {
  const database = new DatabaseSync(join(server.dataDir, 'atelier.db'))
  database.prepare(sql).run(...params)
  database.close()
}

function assertError(answer: Answer, status: number, code: string) {
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.body.error.code, code)
}

test('an expired key says that it has expired', async () => {
  const key = await person.newKey()
  alter('update api_keys set expires_at = 1 where account_id = ?', person.accountId)
  const answer = await server.call({ path: `${P}/models`, key })
  assertError(answer, 401, 'CREDENTIAL_EXPIRED')
  assert.match(String(answer.headers['www-authenticate']), /error="invalid_token"/)
})

test('a key of a disabled account is refused as such', async () => {
  const other = await signUp(server)
  const key = await other.newKey()
  alter('update accounts set disabled_at = 1 where id = ?', other.accountId)
  assertError(await server.call({ path: `${P}/models`, key }), 403, 'ACCOUNT_DISABLED')
})

test('a changed workflow is not overwritten by a caller who has not seen the change', async () => {
  const made = await server.call({
    method: 'POST',
    path: `${P}/workflows`,
    json: { name: 'w', data: { nodes: [], connections: [] } },
  })
  const path = `${P}/workflows/${made.body.data.workflowId}`
  const put = (ifMatch: string) =>
    server.call({ method: 'PUT', path, headers: { 'if-match': ifMatch }, json: { name: 'x' } })
  assertError(await put('"v9"'), 412, 'PRECONDITION_FAILED')
  assert.equal((await put(String(made.headers.etag))).headers.etag, '"v2"')
})

test('a graph that cannot work is a 422 with every problem', async () => {
  const data = {
    nodes: [
      { id: 'a', type: 'no.such' },
      { id: 'a', type: 'output' },
    ],
    connections: [],
  }
  const answer = await server.call({
    method: 'POST',
    path: `${P}/workflows`,
    json: { name: 'w', data },
  })
  assertError(answer, 422, 'WORKFLOW_INVALID')
  const codes = answer.body.error.details.issues.map((issue: { code: string }) => issue.code)
  assert.ok(codes.includes('UNKNOWN_NODE_TYPE') && codes.includes('DUPLICATE_NODE_ID'))
})

test('the fifty-first live key is one too many', async () => {
  const collector = await signUp(server)
  for (let i = 0; i < 50; i++) await collector.newKey()
  const answer = await collector.call({
    method: 'POST',
    path: `${consolePath}/api-keys`,
    json: { name: 'more' },
  })
  assertError(answer, 429, 'QUOTA_EXCEEDED')
})

test('a failure of our own names the request and nothing else', async () => {
  alter('alter table spend_days rename to spend_days_gone')
  const answer = await person.call({
    path: `${consolePath}/spend`,
    headers: { 'x-request-id': 'find-me' },
  })
  alter('alter table spend_days_gone rename to spend_days')
  assertError(answer, 500, 'INTERNAL_ERROR')
  assert.deepEqual(answer.body.error.details, { requestId: 'find-me' })
  assert.equal(answer.body.error.retryable, true)
  assert.doesNotMatch(answer.text, /spend_days|sqlite/i)
})
