import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Call, P, startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
before(async () => {
  server = await startServer({ ALLOWED_ORIGINS: 'https://app.example' })
})
after(() => server.stop())

const chat = (json: unknown): Call => ({ method: 'POST', path: `${P}/chat/completions`, json })
const hello = { model: 'demo-text', messages: [{ role: 'user', content: 'hello' }] }

async function expectError(call: Call, status: number, code: string) {
  const answer = await server.call(call)
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.body.success, false)
  assert.equal(answer.body.error.code, code)
  return answer
}

describe('addresses and methods', () => {
  test('an unknown address is a 404, before any credential is asked for', async () => {
    await expectError({ path: `${P}/nothing`, key: null }, 404, 'ROUTE_NOT_FOUND')
    await expectError({ path: `${P}/models/`, key: null }, 404, 'ROUTE_NOT_FOUND')
  })
  test('a wrong method is a 405 that names the right ones', async () => {
    const answer = await expectError(
      { method: 'POST', path: `${P}/models`, key: null, body: 'junk' },
      405,
      'METHOD_NOT_ALLOWED',
    )
    assert.equal(answer.headers.allow, 'GET, HEAD')
  })
  test('"validate" is never read as a workflow identifier', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await expectError(
        { method, path: `${P}/workflows/validate` },
        405,
        'METHOD_NOT_ALLOWED',
      )
      assert.equal(answer.headers.allow, 'POST')
    }
  })
  test('HEAD answers as GET does, without a body', async () => {
    const answer = await server.call({ method: 'HEAD', path: `${P}/models` })
    assert.equal(answer.status, 200)
    assert.equal(answer.text, '')
  })
})

describe('every answer', () => {
  test('echoes a good request id and replaces a bad one', async () => {
    const echoed = await server.call({
      path: `${P}/models`,
      headers: { 'x-request-id': 'abc_DEF-123' },
    })
    assert.equal(echoed.headers['x-request-id'], 'abc_DEF-123')
    const replaced = await server.call({
      path: `${P}/models`,
      headers: { 'x-request-id': 'no spaces!' },
    })
    assert.match(String(replaced.headers['x-request-id']), /^[A-Za-z0-9_-]{1,64}$/)
    assert.notEqual(replaced.headers['x-request-id'], 'no spaces!')
  })
  test('of an authenticated operation is never cached or sniffed', async () => {
    const { headers } = await server.call(`${P}/models`)
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['x-content-type-options'], 'nosniff')
  })
})

describe('credentials', () => {
  test('none is a 401 that says how to authenticate', async () => {
    const answer = await expectError({ path: `${P}/models`, key: null }, 401, 'AUTH_REQUIRED')
    assert.equal(answer.headers['www-authenticate'], 'Bearer realm="ai-tools"')
  })
  test('a wrong one is a 401 that says it is invalid', async () => {
    const answer = await expectError(
      { path: `${P}/models`, key: 'sk_wrong' },
      401,
      'INVALID_CREDENTIAL',
    )
    assert.match(String(answer.headers['www-authenticate']), /error="invalid_token"/)
  })
  test('are read from the header alone', async () => {
    await expectError(
      {
        path: `${P}/models?access_token=${server.ownerKey}`,
        key: null,
        headers: { cookie: `session=${server.ownerKey}` },
      },
      401,
      'AUTH_REQUIRED',
    )
  })
  test('come before the body: junk without a credential is a 401', async () => {
    await expectError(
      { ...chat(undefined), body: '{', key: null, headers: { 'content-type': 'application/json' } },
      401,
      'AUTH_REQUIRED',
    )
  })
  test('are not asked for by public operations, even wrong ones', async () => {
    const answer = await server.call({ path: `${P}/openapi.json`, key: 'sk_wrong' })
    assert.equal(answer.status, 200)
  })
})

describe('bodies', () => {
  const bodies: [string, string | Buffer, string][] = [
    ['not JSON', '{"a":', 'INVALID_JSON'],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'INVALID_JSON'],
    ['with __proto__', '{"__proto__":{"a":1}}', 'INVALID_JSON'],
    ['with an escaped __proto__', '{"\\u005f_proto__":{"a":1}}', 'INVALID_JSON'],
    ['with constructor.prototype', '{"constructor":{"prototype":{}}}', 'INVALID_JSON'],
    ['65 levels deep', `${'['.repeat(65)}${']'.repeat(65)}`, 'INVALID_JSON'],
    ['null', 'null', 'INVALID_REQUEST'],
    ['empty', '', 'INVALID_REQUEST'],
  ]
  for (const [name, body, code] of bodies) {
    test(`${name} is a 400 ${code}`, async () => {
      await expectError(
        {
          method: 'POST',
          path: `${P}/chat/completions`,
          body,
          headers: { 'content-type': 'application/json' },
        },
        400,
        code,
      )
    })
  }
  test('64 levels are read', async () => {
    const content = JSON.parse(`${'['.repeat(61)}${']'.repeat(61)}`)
    const answer = await server.call(chat({ ...hello, messages: [{ role: 'user', content }] }))
    assert.equal(answer.status, 200, answer.text)
  })
  test('another content type is a 415', async () => {
    for (const type of [
      'text/plain',
      'application/jsonx',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      await expectError(
        {
          method: 'POST',
          path: `${P}/chat/completions`,
          body: JSON.stringify(hello),
          headers: { 'content-type': type },
        },
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      )
    }
  })
  test('a body without a content type is a 415', async () => {
    await expectError(
      { method: 'POST', path: `${P}/chat/completions`, body: JSON.stringify(hello) },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    )
  })
  test('a compressed body is a 415', async () => {
    await expectError(
      { ...chat(hello), headers: { 'content-encoding': 'gzip' } },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    )
  })
  test('beyond the limit of the operation is a 413, announced or streamed', async () => {
    const body = `{"reason":"${'a'.repeat(17 * 1024)}"}`
    const path = `${P}/workflow-runs/00000000-0000-7000-8000-000000000000/cancel`
    await expectError(
      { method: 'POST', path, body, headers: { 'content-type': 'application/json' } },
      413,
      'PAYLOAD_TOO_LARGE',
    )
  })
  test('an optional body may be absent, whatever the content type says', async () => {
    const path = `${P}/workflow-runs/00000000-0000-7000-8000-000000000000/cancel`
    for (const type of ['application/json', 'text/plain']) {
      await expectError(
        { method: 'POST', path, body: '', headers: { 'content-type': type } },
        404,
        'RUN_NOT_FOUND',
      )
    }
    await expectError(
      { method: 'POST', path, body: 'null', headers: { 'content-type': 'application/json' } },
      400,
      'INVALID_REQUEST',
    )
  })
})

describe('values are never coerced or dropped', () => {
  const broken: [string, unknown][] = [
    ['/maxTokens', { ...hello, maxTokens: '5' }],
    ['/maxTokens', { ...hello, maxTokens: 0 }],
    ['/maxTokens', { ...hello, maxTokens: 1.5 }],
    ['/temperature', { ...hello, temperature: '1' }],
    ['/temperature', { ...hello, temperature: null }],
    ['/systemPrompt', { ...hello, systemPrompt: null }],
    ['/messages', { ...hello, messages: [] }],
    ['/messages', { model: 'demo-text' }],
    ['/messages/0/role', { ...hello, messages: [{ role: 'tool', content: '' }] }],
    ['/messages/0/content', { ...hello, messages: [{ role: 'user' }] }],
    ['/messages/0/name', { ...hello, messages: [{ role: 'user', content: '', name: 'x' }] }],
    ['/extra', { ...hello, extra: 1 }],
    ['/model', { messages: hello.messages }],
  ]
  for (const [path, json] of broken) {
    test(`${JSON.stringify(json).slice(0, 90)} names ${path}`, async () => {
      const { body } = await expectError(chat(json), 400, 'INVALID_REQUEST')
      const paths = body.error.details.issues.map((issue: { path: string }) => issue.path)
      assert.ok(paths.includes(path), JSON.stringify(body.error.details))
      for (const issue of body.error.details.issues) {
        assert.deepEqual(Object.keys(issue).sort(), ['message', 'path', 'rule'])
      }
    })
  }
  test('numbers in paths and queries are plain digits, given once', async () => {
    for (const query of [
      'page=0',
      'page=-1',
      'page=01',
      'page=1.0',
      'page=+1',
      'page=1e2',
      'page=',
      'page=9007199254740992',
      'page=1&page=2',
      'size=201',
      'size=0',
      'size=a',
    ]) {
      await expectError({ path: `${P}/tasks?${query}` }, 400, 'INVALID_REQUEST')
    }
    await expectError({ path: `${P}/workflows/0` }, 400, 'INVALID_REQUEST')
    await expectError({ path: `${P}/workflows/abc` }, 400, 'INVALID_REQUEST')
    await expectError({ path: `${P}/workflows/9007199254740992` }, 400, 'INVALID_REQUEST')
    await expectError({ path: `${P}/tasks/not-a-uuid` }, 400, 'INVALID_REQUEST')
    await expectError(
      { path: `${P}/tasks/urn:uuid:00000000-0000-7000-8000-000000000000` },
      400,
      'INVALID_REQUEST',
    )
  })
  test('unknown query parameters are ignored', async () => {
    assert.equal((await server.call(`${P}/tasks?colour=blue`)).status, 200)
  })
})

describe('browsers', () => {
  test('public paths are open to every origin, others to the configured ones', async () => {
    const ask = (path: string, origin: string) => server.call({ path, headers: { origin } })
    assert.equal(
      (await ask(`${P}/openapi.json`, 'https://any.example')).headers[
        'access-control-allow-origin'
      ],
      '*',
    )
    assert.equal(
      (await ask(`${P}/models`, 'https://app.example')).headers['access-control-allow-origin'],
      'https://app.example',
    )
    const stranger = await ask(`${P}/models`, 'https://evil.example')
    assert.equal(stranger.headers['access-control-allow-origin'], undefined)
    assert.equal(
      (await ask('/api/console/v1/session', 'https://evil.example')).headers[
        'access-control-allow-origin'
      ],
      undefined,
    )
  })
  test('a preflight of an allowed origin names methods and headers', async () => {
    const answer = await server.call({
      method: 'OPTIONS',
      path: `${P}/chat/completions`,
      key: null,
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    })
    assert.equal(answer.status, 204)
    assert.match(String(answer.headers['access-control-allow-headers']), /Authorization/)
    assert.equal(answer.headers['access-control-allow-methods'], 'POST')
    assert.equal(answer.headers['access-control-allow-credentials'], undefined)
  })
})
