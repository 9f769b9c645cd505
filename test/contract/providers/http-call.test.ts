import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { Agent, type Dispatcher } from 'undici'
import { type Call, openEndpoint } from '#providers/http-call.ts'
import { refusalError } from '#providers/refusal.ts'
import { failureOf } from './subjects.ts'

const patient = new AbortController().signal
const post: Call = { method: 'POST', at: '/chat', body: '{}', signal: patient }

async function serve(t: TestContext, listener: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { server, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/` }
}

function open(t: TestContext, baseUrl: string, dispatcher?: Dispatcher) {
  const given = { name: 'acme', baseUrl, headers: { authorization: 'Bearer k' }, secrets: ['k'] }
  const endpoint = openEndpoint({ ...given, ...(dispatcher ? { dispatcher } : {}) })
  t.after(() => endpoint.close())
  if (dispatcher) t.after(() => dispatcher.destroy())
  return endpoint
}

test('the base path stands before the path, and the fixed headers go along', async (t) => {
  const seen: unknown[] = []
  const { baseUrl } = await serve(t, (request, response) => {
    const { method, url, headers } = request
    seen.push([method, url, headers.authorization, headers['content-type']])
    response.end('{}')
  })
  const endpoint = open(t, baseUrl)
  await endpoint.call(post)
  await endpoint.call({ method: 'GET', at: '/jobs/1', signal: patient })
  await endpoint.call({ ...post, contentType: 'text/plain' })
  assert.deepEqual(seen, [
    ['POST', '/v1/chat', 'Bearer k', 'application/json'],
    ['GET', '/v1/jobs/1', 'Bearer k', undefined],
    ['POST', '/v1/chat', 'Bearer k', 'text/plain'],
  ])
})

for (const [code, what] of [
  ['ENOTFOUND', 'a name that does not resolve'],
  ['ECONNREFUSED', 'a refused connection'],
  ['EHOSTUNREACH', 'a host without a route'],
  ['UND_ERR_CONNECT_TIMEOUT', 'a connection that takes too long'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'a certificate nobody vouches for'],
] as const) {
  test(`${what} means the request was not sent`, async (t) => {
    const error = Object.assign(new Error(what), { code })
    const dispatcher = new Agent({ connect: (_, done) => done(error, null) })
    const failed = await failureOf(open(t, 'http://acme.test', dispatcher).call(post))
    assert.deepEqual([failed.kind, failed.outcome], ['unreachable', 'not_sent'])
    assert.match(failed.message, new RegExp(code))
  })
}

test('a server that speaks no TLS was not sent the request', async (t) => {
  let asked = 0
  const { baseUrl } = await serve(t, () => asked++)
  const failed = await failureOf(open(t, baseUrl.replace('http:', 'https:')).call(post))
  assert.deepEqual([failed.kind, failed.outcome, asked], ['unreachable', 'not_sent', 0])
})

test('leaving while the connection is still being made settles at once, unsent', async (t) => {
  const dispatcher = new Agent({ connect: () => {} })
  const leaving = new AbortController()
  const call = open(t, 'http://acme.test', dispatcher).call({ ...post, signal: leaving.signal })
  leaving.abort()
  const failed = await failureOf(call)
  assert.deepEqual([failed.kind, failed.outcome], ['canceled', 'not_sent'])
})

test('a request that was abandoned in the queue never reaches the provider', async (t) => {
  const held: (() => void)[] = []
  const seen: (string | undefined)[] = []
  const { baseUrl } = await serve(t, (request, response) => {
    seen.push(request.url)
    held.push(() => response.end('{}'))
    arrived.resolve()
  })
  const arrived = Promise.withResolvers<void>()
  const endpoint = open(t, baseUrl, new Agent({ connections: 1, pipelining: 1 }))
  const first = endpoint.call(post)
  await arrived.promise
  const leaving = new AbortController()
  const second = endpoint.call({ ...post, at: '/abandoned', signal: leaving.signal })
  leaving.abort()
  assert.equal((await failureOf(second)).outcome, 'not_sent')
  for (const go of held.splice(0)) go()
  await first
  const third = endpoint.call({ ...post, at: '/third' })
  while (held.length === 0) await new Promise(setImmediate)
  for (const go of held.splice(0)) go()
  await third
  assert.deepEqual(seen, ['/v1/chat', '/v1/third'])
})

test('a connection the server closed while idle is replaced, not written to', async (t) => {
  let asked = 0
  const { server, baseUrl } = await serve(t, (_, response) => {
    asked++
    response.end('{}')
  })
  const endpoint = open(t, baseUrl)
  for (let turn = 0; turn < 5; turn++) {
    await endpoint.call(post)
    server.closeIdleConnections()
  }
  assert.equal(asked, 5)
})

test('a connection cut under a second request is in doubt, and not tried again', async (t) => {
  let asked = 0
  const { baseUrl } = await serve(t, (request, response) => {
    if (++asked === 1) return void response.end('{}')
    request.socket.resetAndDestroy()
  })
  const endpoint = open(t, baseUrl)
  await endpoint.call(post)
  const failed = await failureOf(endpoint.call(post))
  assert.deepEqual([failed.kind, failed.outcome, asked], ['server', 'unknown', 2])
})

test('a dispatcher that starts a request twice is stopped the second time', async (t) => {
  const aborted: unknown[] = []
  const controller = (id: number) =>
    ({ abort: () => aborted.push(id) }) as unknown as Dispatcher.DispatchController
  const eager = {
    dispatch(_: unknown, handler: Dispatcher.DispatchHandler) {
      handler.onRequestStart?.(controller(1), {})
      handler.onRequestStart?.(controller(2), {})
      handler.onResponseError?.(controller(2), new Error('reset'))
      return true
    },
    destroy: async () => {},
  } as unknown as Dispatcher
  const failed = await failureOf(open(t, 'http://acme.test', eager).call(post))
  assert.deepEqual([failed.outcome, aborted], ['unknown', [2]])
})

test('silence beyond the time for headers is a time-out in doubt', async (t) => {
  const { baseUrl } = await serve(t, () => {})
  const endpoint = open(t, baseUrl, new Agent({ headersTimeout: 20 }))
  const failed = await failureOf(endpoint.call(post))
  assert.deepEqual([failed.kind, failed.outcome], ['timeout', 'unknown'])
})

test('an answer that announces too much is refused before it is read', async (t) => {
  const { baseUrl } = await serve(t, (_, response) => {
    response.writeHead(200, { 'content-length': 10_000_000 })
    response.write('{')
  })
  const failed = await failureOf(open(t, baseUrl).call({ ...post, maxBytes: 1000 }))
  assert.match(failed.message, /more than 1000 bytes/)
})

test('a refusal stands even when its explanation breaks off or never ends', async (t) => {
  for (const length of [undefined, 500_000_000]) {
    const { baseUrl } = await serve(t, (_, response) => {
      response.writeHead(429, length === undefined ? {} : { 'content-length': length })
      response.write('slow down '.repeat(length === undefined ? 100_000 : 1), () => {
        if (length !== undefined) response.socket?.end()
      })
    })
    const answer = await open(t, baseUrl).call(post)
    assert.equal(answer.status, 429)
    assert.ok(answer.body.length <= 64 * 1024)
  }
})

test('a header no HTTP allows is refused without a word about its content', async (t) => {
  const given = { name: 'acme', baseUrl: 'http://acme.test', secrets: ['line\nbreak'] }
  const endpoint = openEndpoint({ ...given, headers: { authorization: 'Bearer line\nbreak' } })
  t.after(() => endpoint.close())
  const failed = await failureOf(endpoint.call(post))
  assert.deepEqual([failed.kind, failed.outcome], ['invalid', 'not_sent'])
  assert.doesNotMatch(JSON.stringify([failed.message, String(failed.cause)]), /break/)
})

const now = 'Sun, 15 Nov 2026 10:00:00 GMT'
for (const [name, headers, ms] of [
  ['seconds', { 'retry-after': '12' }, 12_000],
  ['a fraction of seconds', { 'retry-after': '0.5' }, 500],
  ['milliseconds, which win', { 'retry-after-ms': '250', 'retry-after': '9' }, 250],
  ['a date', { 'retry-after': 'Sun, 15 Nov 2026 10:01:30 GMT', date: now }, 90_000],
  ['a date that has passed', { 'retry-after': 'Sun, 15 Nov 2026 09:00:00 GMT', date: now }, 0],
  ['a date without one to count from', { 'retry-after': now }, undefined],
  ['a year, which is cut to a day', { 'retry-after': '31536000' }, 86_400_000],
  ['nonsense', { 'retry-after': 'soon' }, undefined],
  ['nothing', {}, undefined],
] as const) {
  test(`the wait may be given as ${name}`, () => {
    const upstream = { name: 'acme', redact: (text: string) => text }
    const answer = { status: 429, headers, body: Buffer.alloc(0) }
    assert.equal(refusalError(upstream, answer, {}).retryAfterMs, ms)
  })
}

for (const [coding, pack] of [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const) {
  test(`an answer in ${coding} that nobody asked for is read`, async (t) => {
    const { baseUrl } = await serve(t, (request, response) => {
      const isStream = request.url?.endsWith('/stream')
      const status = request.url?.endsWith('/refused') ? 400 : 200
      const type = isStream ? 'text/event-stream' : 'application/json'
      response.writeHead(status, { 'content-encoding': coding, 'content-type': type })
      response.end(pack(isStream ? 'data: {"a":1}\n\n' : '{"a":1}'))
    })
    const endpoint = open(t, baseUrl)
    assert.equal((await endpoint.call(post)).body.toString(), '{"a":1}')
    const refused = await endpoint.call({ ...post, at: '/refused' })
    assert.deepEqual([refused.status, refused.body.toString()], [400, '{"a":1}'])
    const { chunks } = await endpoint.stream({ ...post, at: '/stream' })
    let text = ''
    for await (const chunk of chunks ?? []) text += chunk
    assert.equal(text, 'data: {"a":1}\n\n')
  })
}

test('a compressed answer keeps to the limit, and a broken one is no answer', async (t) => {
  let packed = gzipSync(Buffer.alloc(200_000))
  const { baseUrl } = await serve(t, (_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' })
    response.end(packed)
  })
  const endpoint = open(t, baseUrl)
  const large = await failureOf(endpoint.call({ ...post, maxBytes: 100_000 }))
  assert.deepEqual([large.kind, large.outcome], ['protocol', 'unknown'])
  assert.match(large.message, /more than 100000 bytes/)
  packed = Buffer.from('not compressed')
  const broken = await failureOf(endpoint.call(post))
  assert.deepEqual([broken.kind, broken.outcome], ['protocol', 'unknown'])
})
