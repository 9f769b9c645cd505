import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { signUp } from '../../../support/console.ts'
import { type Call, P, startServer, type TestServer } from '../../../support/server.ts'
import { connect, connections } from './clients.ts'

const accept = 'application/json, text/event-stream'
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const post = (call: Partial<Call> = {}): Call => ({
  method: 'POST',
  path: '/mcp',
  json: list,
  ...call,
  headers: { accept, ...call.headers },
})

describe('the address', () => {
  let server: TestServer
  before(async () => {
    server = await startServer({ ALLOWED_ORIGINS: 'https://app.example', SIGN_UP: 'open' })
  })
  after(() => server.stop())

  const expectError = async (call: Call, status: number, code: string) => {
    const answer = await server.call(call)
    assert.equal(answer.status, status, answer.text)
    assert.deepEqual([answer.body.success, answer.body.error.code], [false, code])
    return answer
  }

  test('without a credential is refused, and says where to find out which are accepted', async () => {
    const { headers } = await expectError(post({ key: null }), 401, 'AUTH_REQUIRED')
    const metadata = `${server.url}/.well-known/oauth-protected-resource/mcp`
    assert.equal(
      headers['www-authenticate'],
      `Bearer realm="ai-tools", resource_metadata="${metadata}"`,
    )
    const bad = await expectError(post({ key: 'sk_nonsense' }), 401, 'INVALID_CREDENTIAL')
    assert.equal(
      bad.headers['www-authenticate'],
      `Bearer realm="ai-tools", error="invalid_token", resource_metadata="${metadata}"`,
    )
    assert.equal(bad.headers['cache-control'], 'no-store')
  })

  test('is described as a protected resource, to everybody', async () => {
    const answer = await server.call({
      path: '/.well-known/oauth-protected-resource/mcp',
      key: null,
      headers: { origin: 'https://anyone.example' },
    })
    assert.equal(answer.status, 200)
    assert.equal(answer.headers['access-control-allow-origin'], '*')
    assert.equal(answer.body.resource, `${server.url}/mcp`)
    assert.deepEqual(answer.body.bearer_methods_supported, ['header'])
    assert.equal(answer.body.scopes_supported.length, 8)
    assert.deepEqual(answer.body.authorization_servers, [server.url])
  })

  for (const [how, open] of Object.entries(connections)) {
    test(`${how}: a client with a bad key cannot connect`, async () => {
      await assert.rejects(open({ url: server.url, key: 'sk_nonsense' }))
    })
  }

  test('takes POST alone', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const call = { method, path: '/mcp', headers: { accept: 'text/event-stream' } }
      const { headers } = await expectError(call, 405, 'METHOD_NOT_ALLOWED')
      assert.equal(headers.allow, 'POST')
    }
  })

  test('refuses pages of other origins, before it looks at their credential', async () => {
    for (const origin of ['https://evil.example', 'null', `${server.url}.evil.example`]) {
      const call = post({ key: null, headers: { origin } })
      await expectError(call, 403, 'ORIGIN_NOT_ALLOWED')
    }
    for (const origin of ['https://app.example', server.url]) {
      assert.equal((await server.call(post({ headers: { origin } }))).status, 200)
    }
  })

  test('lets allowed pages send the headers of the protocol', async () => {
    const preflight = (origin: string) =>
      server.call({ method: 'OPTIONS', path: '/mcp', key: null, headers: { origin } })
    const { status, headers } = await preflight('https://app.example')
    assert.equal(status, 204)
    assert.equal(headers['access-control-allow-origin'], 'https://app.example')
    assert.match(String(headers['access-control-allow-headers']), /Mcp-Protocol-Version/)
    const refused = await preflight('https://evil.example')
    assert.equal(refused.headers['access-control-allow-origin'], undefined)
    assert.equal(refused.headers['access-control-allow-headers'], undefined)
  })

  test('refuses what is not JSON, and what is too large, before it is read', async () => {
    const plain = post({ headers: { 'content-type': 'text/plain' }, body: 'hello' })
    await expectError({ ...plain, json: undefined }, 415, 'UNSUPPORTED_MEDIA_TYPE')
    const json = { headers: { 'content-type': 'application/json' }, json: undefined }
    await expectError(post({ ...json, body: '{"jsonrpc":' }), 400, 'INVALID_JSON')
    await expectError(post({ ...json, body: '' }), 400, 'INVALID_JSON')
    const large = Buffer.alloc(11 * 1024 * 1024, ' ')
    await expectError(post({ ...json, body: large }), 413, 'PAYLOAD_TOO_LARGE')
  })

  test('nothing a client can send is a failure of the server', async () => {
    const envelope = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
    const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }
    const call = (params: unknown) => ({ ...list, method: 'tools/call', params })
    const bodies: unknown[] = [
      null,
      7,
      'text',
      [],
      {},
      [list, call({ name: 'svc_list_models' })],
      { ...list, id: {} },
      { ...list, method: 7 },
      { ...list, params: [] },
      { ...list, params: { cursor: 'workflows-0' } },
      { ...list, method: 'subscriptions/listen', params: { notifications: {} } },
      { ...list, method: 'initialize', params: { protocolVersion: {} } },
      { ...list, params: { _meta: envelope } },
      { ...list, params: { _meta: { ...envelope, progressToken: {} } } },
      call(undefined),
      call({ name: 7 }),
      call({ name: 'svc_chat', arguments: 'text' }),
      call({ name: 'svc_chat', arguments: { model: { length: 1e9 }, messages: {} } }),
      call({ name: 'constructor' }),
      call({ name: 'svc_run_workflow', arguments: { workflowId: 1, idempotencyKey: 'é\r\n' } }),
      call({ name: 'w_1', _meta: { 'atelier/idempotencyKey': { a: 1 } } }),
      call({ name: `w_${'9'.repeat(16)}` }),
    ]
    for (const path of ['/mcp', '/mcp?workflows=1', '/mcp?workflows=1&workflows=1']) {
      for (const json of bodies) {
        for (const headers of [{}, modern]) {
          const { status, text } = await server.call(post({ path, json, headers }))
          assert.ok(status < 500, `${status} ${text} for ${JSON.stringify(json)}`)
          assert.doesNotMatch(text, /Internal error/, JSON.stringify(json))
        }
      }
    }
  })

  test('a tool does what the scopes of the key allow, and no more', async () => {
    const person = await signUp(server)
    const key = await person.newKey({ scopes: ['models:read'] })
    await using client = await connect({ url: server.url, key })
    assert.ok(!(await client.call('svc_list_models')).isError)
    const refused = await client.call('svc_list_tasks')
    assert.equal(refused.isError, true)
    assert.equal(refused.structuredContent.error.code, 'INSUFFICIENT_SCOPE')
  })

  test('resources of another account do not exist', async () => {
    const image = { model: 'demo-image', messages: [{ role: 'user', content: 'mine' }] }
    const mine = await server.call({ method: 'POST', path: `${P}/images/generations`, json: image })
    const key = await (await signUp(server)).newKey()
    await using stranger = await connect({ url: server.url, key })
    const refused = await stranger.call('svc_get_task', { taskId: mine.body.taskId })
    assert.equal(refused.structuredContent.error.code, 'TASK_NOT_FOUND')
  })
})

describe('limits', () => {
  const hello = { model: 'demo-text', messages: [{ role: 'user', content: 'hello' }] }

  test('of an account count what its tools call, as over HTTP', async () => {
    await using server = await startServer({ RATE_LIMIT_CHAT: '2' })
    await using client = await connect({ url: server.url, key: server.ownerKey })
    assert.ok(!(await client.call('svc_chat', hello)).isError)
    await server.call({ method: 'POST', path: `${P}/chat/completions`, json: hello })
    const refused = await client.call('svc_chat', hello)
    assert.equal(refused.isError, true)
    assert.equal(refused.structuredContent.error.code, 'RATE_LIMITED')
    assert.equal((await client.list()).tools.length, 18)
  })

  test('of an address count those without a credential', async () => {
    await using server = await startServer({ RATE_LIMIT_IP: '2' })
    const codes = []
    for (let i = 0; i < 3; i++) {
      codes.push((await server.call(post({ key: null }))).body.error.code)
    }
    assert.deepEqual(codes, ['AUTH_REQUIRED', 'AUTH_REQUIRED', 'RATE_LIMITED'])
    assert.equal((await server.call(post())).status, 200)
  })
})

test('issuers whose tokens are accepted are listed for clients', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-issuers-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'issuers.json')
  const issuer = 'https://login.example'
  const known = { issuer, audience: 'atelier', algorithms: ['RS256'], jwks: { keys: [] } }
  await writeFile(file, JSON.stringify({ issuers: [known] }))
  await using server = await startServer({ ISSUERS_FILE: file })
  const { body } = await server.call('/.well-known/oauth-protected-resource/mcp')
  assert.deepEqual(body.authorization_servers, [server.url, issuer])
})
