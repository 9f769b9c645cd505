import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { request as undiciRequest } from 'undici'
import { rawHttp } from '../../support/raw-http.ts'
import { P, startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

type Case = { path: string; headers: Record<string, string>; status: number }
const mib = 1024 * 1024

const cases = (): Case[] => {
  const json = { 'content-type': 'application/json' }
  const authorization = `Bearer ${server.ownerKey}`
  return [
    { path: `${P}/chat/completions`, headers: json, status: 401 },
    { path: '/v1/chat/completions', headers: json, status: 401 },
    { path: `${P}/nowhere`, headers: json, status: 404 },
    { path: `${P}/models`, headers: json, status: 405 },
    { path: `${P}/workflows`, headers: { ...json, authorization }, status: 413 },
    {
      path: `${P}/workflows`,
      headers: { authorization, 'content-type': 'text/plain' },
      status: 415,
    },
  ]
}

/** Sends the whole body before reading the answer, as simple clients do. */
async function sendThenRead({ path, headers }: Case, size: number, framing: 'length' | 'chunked') {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.pause()
  await once(socket, 'connect')
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const how = framing === 'length' ? `content-length: ${size}` : 'transfer-encoding: chunked'
  socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\n${lines.join('')}${how}\r\n\r\n`)
  for (let sent = 0; sent < size; sent += mib / 2) {
    const piece = Buffer.alloc(Math.min(mib / 2, size - sent), 'a')
    const framed =
      framing === 'length'
        ? [piece]
        : [Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]
    await new Promise<void>((resolve, reject) =>
      socket.write(Buffer.concat(framed), (error) => (error ? reject(error) : resolve())),
    )
  }
  socket.resume()
  const [answer] = await once(socket, 'data')
  socket.destroy()
  return Number(String(answer).split(' ')[1])
}

const sendWithNode = ({ path, headers }: Case, size: number) =>
  new Promise<number>((resolve, reject) => {
    const request = httpRequest(server.url + path, { method: 'POST', headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
    request.once('error', reject)
    request.end(Buffer.alloc(size, 'a'))
  })

async function sendWithUndici({ path, headers }: Case, size: number) {
  const body = Buffer.alloc(size, 'a')
  const answer = await undiciRequest(server.url + path, { method: 'POST', headers, body })
  await answer.body.dump()
  return answer.statusCode
}

describe('a refusal reaches a client that is still sending', () => {
  for (const size of [100_000, 9_500_000, 12 * mib]) {
    test(`${size} bytes`, async () => {
      for (const one of cases()) {
        // A body within the limit is refused for its content.
        if (one.status === 413 && size < 5 * mib) continue
        const what = `${one.status} ${one.path}`
        assert.equal(await sendThenRead(one, size, 'length'), one.status, what)
        assert.equal(await sendThenRead(one, size, 'chunked'), one.status, `${what}, chunked`)
        assert.equal(await sendWithNode(one, size), one.status, `${what}, Node`)
        assert.equal(await sendWithUndici(one, size), one.status, `${what}, undici`)
      }
    })
  }
})

test('a body of 2 GB that nobody may send is not read to its end', async () => {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  socket.write(
    `POST ${P}/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: ${2 ** 31}\r\n\r\n`,
  )
  const piece = Buffer.alloc(mib)
  for (let sent = 0; sent < 2048 && !socket.destroyed; sent++) {
    await new Promise((resolve) => socket.write(piece, resolve))
  }
  // The bytes that were read, and those in the buffers of two sockets.
  assert.ok(socket.bytesWritten < 128 * mib, `${socket.bytesWritten} bytes were taken`)
})

test('after the refusal of a small body the connection stays usable', async () => {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  const refused = `POST ${P}/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhello`
  let seen = ''
  socket.on('data', (chunk) => {
    seen += chunk
    if (seen.match(/HTTP\/1.1/g)?.length === 1 && seen.includes('AUTH_REQUIRED'))
      socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  })
  socket.write(refused)
  await once(socket, 'close')
  assert.match(seen, /^HTTP\/1\.1 401[\s\S]*HTTP\/1\.1 200/)
})

test('malformed HTTP is answered although more of it arrives', async () => {
  const junk = Buffer.concat([Buffer.from('NOT HTTP\r\n\r\n'), Buffer.alloc(2 * mib, 'x')])
  assert.equal((await rawHttp(server.url, junk)).status, 400)
})
