import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { rawHttp } from '../../support/raw-http.ts'
import { P, startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
before(async () => {
  server = await startServer({ RECEIPT_TIMEOUT_SECONDS: '1' })
})
after(() => server.stop())

const host = () => new URL(server.url).host

function assertError(
  answer: { status: number; headers: Record<string, string>; body: string },
  status: number,
  code: string,
) {
  assert.equal(answer.status, status, answer.body)
  const body = JSON.parse(answer.body)
  assert.equal(body.success, false)
  assert.equal(body.error.code, code)
  assert.equal(typeof body.error.message, 'string')
  assert.equal(typeof body.error.retryable, 'boolean')
  assert.match(answer.headers['content-type'] ?? '', /^application\/json/)
  assert.match(answer.headers['x-request-id'] ?? '', /^[A-Za-z0-9_-]{1,64}$/)
  assert.equal(answer.headers['x-content-type-options'], 'nosniff')
}

const malformed: [string, () => string][] = [
  ['no HTTP at all', () => 'hello\r\n\r\n'],
  ['a request line without a version', () => `GET /\r\n\r\n`],
  ['a bad header name', () => `GET / HTTP/1.1\r\nHost: ${host()}\r\nbad header\r\n\r\n`],
  [
    'a control character in a header',
    () => `GET / HTTP/1.1\r\nHost: ${host()}\r\nX-A: a\x01b\r\n\r\n`,
  ],
  [
    'a content length that is no number',
    () => `POST ${P}/chat/completions HTTP/1.1\r\nHost: ${host()}\r\nContent-Length: many\r\n\r\n`,
  ],
  [
    'two content lengths',
    () =>
      `POST ${P}/chat/completions HTTP/1.1\r\nHost: ${host()}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n`,
  ],
  [
    'length and chunked together',
    () =>
      `POST ${P}/chat/completions HTTP/1.1\r\nHost: ${host()}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  ['no Host', () => 'GET / HTTP/1.1\r\n\r\n'],
  [
    'an Expect the server does not know',
    () => `GET ${P}/models HTTP/1.1\r\nHost: ${host()}\r\nExpect: a-pony\r\n\r\n`,
  ],
  [
    'a path that does not decode',
    () => `GET ${P}/tasks/%E0%A4%A HTTP/1.1\r\nHost: ${host()}\r\n\r\n`,
  ],
]

for (const [name, bytes] of malformed) {
  test(`${name} is a 400 in the error shape`, async () => {
    assertError(await rawHttp(server.url, bytes()), 400, 'INVALID_REQUEST')
  })
}

test('CONNECT is refused as a method', async () => {
  const answer = await rawHttp(
    server.url,
    `CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n`,
  )
  assertError(answer, 405, 'METHOD_NOT_ALLOWED')
  assert.ok(answer.headers.allow)
})

test('headers beyond the limit are a 431', async () => {
  const line = `X-Big: ${'a'.repeat(60_000)}`
  const answer = await rawHttp(
    server.url,
    `GET ${P}/models HTTP/1.1\r\nHost: ${host()}\r\n${line}\r\n\r\n`,
  )
  assertError(answer, 431, 'HEADERS_TOO_LARGE')
})

test('an address beyond the limit is a 414', async () => {
  const answer = await rawHttp(
    server.url,
    `GET ${P}/models?${'a'.repeat(9_000)} HTTP/1.1\r\nHost: ${host()}\r\n\r\n`,
  )
  assertError(answer, 414, 'URI_TOO_LONG')
})

test('a request that does not arrive whole in time is a 408', async () => {
  const head = `POST ${P}/chat/completions HTTP/1.1\r\nHost: ${host()}\r\nAuthorization: Bearer ${server.ownerKey}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`
  assertError(await rawHttp(server.url, head), 408, 'REQUEST_TIMEOUT')
})

test('headers that never end are a 408', async () => {
  assertError(
    await rawHttp(server.url, `GET ${P}/models HTTP/1.1\r\nHost: ${host()}\r\n`),
    408,
    'REQUEST_TIMEOUT',
  )
})

test('a method nobody knows is a 405 on a known path and a 404 elsewhere', async () => {
  const on = (path: string) =>
    rawHttp(server.url, `PROPFIND ${path} HTTP/1.1\r\nHost: ${host()}\r\n\r\n`)
  const known = await on(`${P}/models`)
  assertError(known, 405, 'METHOD_NOT_ALLOWED')
  assert.equal(known.headers.allow, 'GET, HEAD')
  assertError(await on('/nowhere'), 404, 'ROUTE_NOT_FOUND')
})

test('the server still answers after all of that', async () => {
  assert.equal((await server.call(`${P}/models`)).status, 200)
})
