import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { fetchJson } from '#auth/fetch-json.ts'

async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

test('an answer that never ends is cut at its size', async () => {
  const ended = Promise.withResolvers<void>()
  await using server = await serve((_request, response) => {
    const timer = setInterval(() => response.write('x'.repeat(65_536)), 1)
    response.on('close', () => {
      clearInterval(timer)
      ended.resolve()
    })
  })
  await assert.rejects(fetchJson(server.url), /more than \d+ bytes/)
  await ended.promise
})

test('a redirect is an answer like any other and leads nowhere', async () => {
  let requests = 0
  await using server = await serve((_request, response) => {
    requests++
    response.writeHead(302, { location: '/elsewhere' }).end('{}')
  })
  assert.deepEqual(await fetchJson(server.url), { status: 302, body: {} })
  assert.equal(requests, 1)
})

test('what is not JSON is an error that names the address', async () => {
  await using server = await serve((_request, response) => void response.end('<html>'))
  await assert.rejects(fetchJson(server.url), new RegExp(`no JSON from ${server.url}`))
})

test('a form is posted as one', async () => {
  await using server = await serve(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    const { 'content-type': type, authorization } = request.headers
    response.end(JSON.stringify({ method: request.method, type, authorization, body }))
  })
  const form = new URLSearchParams({ a: '1 2', b: 'é' })
  assert.deepEqual((await fetchJson(server.url, { form, headers: { authorization: 'x' } })).body, {
    method: 'POST',
    type: 'application/x-www-form-urlencoded',
    authorization: 'x',
    body: 'a=1+2&b=%C3%A9',
  })
})
