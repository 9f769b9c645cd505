import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as send } from 'node:http'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import fastify from 'fastify'
import type { Failure } from '#core/errors.ts'
import { createBodyMemory } from '#http/body-memory.ts'
import { installBodyParsers } from '#http/body-parsers.ts'

const mib = 1024 * 1024

/** Bodies may take a million bytes. Answers come when they are let go. */
async function startEcho(limitBytes = 1_000_000) {
  const app = fastify({ bodyLimit: 100 * mib })
  installBodyParsers(app, createBodyMemory(limitBytes))
  app.decorateRequest('admitted', null)
  // As if the caller were admitted with a key of this account.
  app.addHook('onRequest', async (request) => {
    const { 'x-account': accountId } = request.headers
    if (accountId !== undefined) request.admitted = { principal: { accountId } }
  })
  const arrived = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()
  // As a check of credentials, which may take longer than the client stays.
  app.addHook('onRequest', async (request, reply) => {
    if (request.url !== '/leave') return
    arrived.resolve()
    await once(reply.raw, 'close')
    setImmediate(left.resolve)
  })
  app.post('/leave', async () => 'done')
  app.setErrorHandler((error: Failure, _, reply) => reply.code(error.status).send(error.code))
  app.post('/wait', async () => {
    arrived.resolve()
    await released.promise
    return 'done'
  })
  app.post('/now', async () => 'done')
  app.post('/stream', async (request) => {
    request.heldBody?.passedOn()
    arrived.resolve()
    await released.promise
    return 'done'
  })
  const readWhole = async ({ body }: { body: unknown }) =>
    String((await text(body as Readable)).length)
  app.post(
    '/form',
    { config: { streams: ['multipart/form-data'], buffersStream: true } },
    readWhole,
  )
  app.post('/upload', { config: { streams: ['image/*'] } }, readWhole)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return {
    post: (path: string, body: string, type = 'application/json', account?: string) => {
      const headers = { 'content-type': type, ...(account && { 'x-account': account }) }
      return fetch(url + path, { method: 'POST', body, headers })
    },
    url,
    arrived: arrived.promise,
    left: left.promise,
    letGo: released.resolve,
    [Symbol.asyncDispose]: () => app.close(),
  }
}

const long = JSON.stringify('x'.repeat(200_000))
const short = JSON.stringify('x'.repeat(20_000))
const manyObjects = JSON.stringify(Array.from({ length: 30_000 }, () => ({})))

test('large bodies that do not fit beside others are refused until those are answered', async () => {
  await using echo = await startEcho()
  const first = echo.post('/wait', long)
  await echo.arrived
  const second = await echo.post('/now', long)
  assert.deepEqual([second.status, await second.text()], [503, 'SERVICE_UNAVAILABLE'])
  assert.equal((await echo.post('/now', short)).status, 200)
  echo.letGo()
  assert.equal((await first).status, 200)
  assert.equal((await echo.post('/now', long)).status, 200)
})

test('many small objects count as what they take in memory, and what is in quotes is text', async () => {
  await using echo = await startEcho()
  assert.equal((await echo.post('/now', manyObjects)).status, 200)
  const first = echo.post('/wait', JSON.stringify('x'.repeat(70_000)))
  await echo.arrived
  assert.equal((await echo.post('/now', manyObjects)).status, 503)
  const quoted = JSON.stringify('\\"{},'.repeat(18_000))
  assert.equal((await echo.post('/now', quoted)).status, 200)
  echo.letGo()
  await first
})

for (const [path, type] of [
  ['/now', 'application/json'],
  ['/form', 'multipart/form-data'],
] as const) {
  test(`a body of unknown length is counted while it arrives, as ${type}`, async () => {
    await using echo = await startEcho()
    const first = echo.post('/wait', long)
    await echo.arrived
    const headers = { 'content-type': type }
    const request = send(echo.url + path, { method: 'POST', headers })
    request.on('error', () => {})
    // It never ends.
    request.write(long)
    const [response] = await once(request, 'response')
    assert.deepEqual([response.statusCode, await text(response)], [503, 'SERVICE_UNAVAILABLE'])
    request.destroy()
    echo.letGo()
    await first
  })
}

test('a form that is read into memory is counted, a body that is passed on is not', async () => {
  await using echo = await startEcho()
  const first = echo.post('/wait', long)
  await echo.arrived
  assert.equal((await echo.post('/form', long, 'multipart/form-data')).status, 503)
  assert.equal((await echo.post('/upload', long, 'image/png')).status, 200)
  echo.letGo()
  await first
  const form = await echo.post('/form', long, 'multipart/form-data')
  assert.deepEqual([form.status, await form.text()], [200, String(long.length)])
})

test('a body of unknown length that fits arrives whole', async () => {
  await using echo = await startEcho()
  const headers = { 'content-type': 'multipart/form-data' }
  const request = send(`${echo.url}/form`, { method: 'POST', headers })
  request.write(long.slice(0, 100_000))
  request.end(long.slice(100_000))
  const [response] = await once(request, 'response')
  assert.deepEqual([response.statusCode, await text(response)], [200, String(long.length)])
})

test('a client that leaves before its body is awaited leaves nothing behind', async () => {
  await using echo = await startEcho()
  const headers = { 'content-type': 'application/json', 'content-length': '300000' }
  const request = send(`${echo.url}/leave`, { method: 'POST', headers })
  request.on('error', () => {})
  request.flushHeaders()
  await echo.arrived
  request.destroy()
  await echo.left
  const first = echo.post('/wait', JSON.stringify('x'.repeat(70_000)))
  assert.equal((await echo.post('/now', long)).status, 200)
  echo.letGo()
  assert.equal((await first).status, 200)
})

const json = 'application/json'

test('one account takes at most half of the memory beside its first body', async () => {
  await using echo = await startEcho()
  const first = echo.post('/wait', JSON.stringify('x'.repeat(100_000)), json, 'one')
  await echo.arrived
  const another = JSON.stringify('x'.repeat(80_000))
  assert.equal((await echo.post('/now', another, json, 'one')).status, 503)
  assert.equal((await echo.post('/now', another, json, 'other')).status, 200)
  echo.letGo()
  assert.equal((await first).status, 200)
  assert.equal((await echo.post('/now', another, json, 'one')).status, 200)
})

test('a body that was passed on to a provider makes room for others', async () => {
  await using echo = await startEcho()
  const first = echo.post('/stream', long)
  await echo.arrived
  assert.equal((await echo.post('/now', long)).status, 200)
  echo.letGo()
  await first
})

test('bodies over 10 MiB leave a quarter of the memory to others', async () => {
  await using echo = await startEcho(100 * mib)
  const [eleven, fourteen] = [11, 14].map((size) => JSON.stringify('x'.repeat(size * mib)))
  const first = echo.post('/wait', fourteen ?? '', json, 'one')
  await echo.arrived
  assert.equal((await echo.post('/now', eleven ?? '', json, 'other')).status, 503)
  assert.equal((await echo.post('/now', JSON.stringify('x'.repeat(9 * mib)))).status, 200)
  echo.letGo()
  assert.equal((await first).status, 200)
  assert.equal((await echo.post('/now', eleven ?? '', json, 'other')).status, 200)
})

test('a body that can never fit is too large, and so is one of more than 10 MiB of small objects', async () => {
  await using echo = await startEcho(40 * mib)
  const never = await echo.post('/now', JSON.stringify('x'.repeat(11 * mib)))
  assert.deepEqual([never.status, await never.text()], [413, 'PAYLOAD_TOO_LARGE'])
  await using roomy = await startEcho(10_000 * mib)
  const fine = await roomy.post('/now', `[${'{},'.repeat(4 * mib)}0]`)
  assert.deepEqual([fine.status, await fine.text()], [413, 'PAYLOAD_TOO_LARGE'])
})
