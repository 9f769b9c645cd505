import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { text } from 'node:stream/consumers'
import { it } from 'node:test'
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls'
import { hook, limits, listening, openGateway, serveTcp } from './loopback.ts'

const fixture = (name: string) =>
  readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8')
const cert = fixture('test-only.cert.pem')
const key = fixture('test-only.key.pem')
const trusted = getCACertificates()

const serveTls = () =>
  listening(
    createServer({ cert, key }, (request, response) => {
      const { servername } = request.socket as TLSSocket
      response.end(`${servername} ${request.headers.host}`)
    }),
  )

const failed = (kind: string, sent: boolean) => ({ name: 'OutboundFailed', kind, sent })

it('TLS speaks to the name, although the connection goes to the checked address', async (t) => {
  t.after(() => setDefaultCACertificates(trusted))
  setDefaultCACertificates([cert])
  await using server = await serveTls()
  await using gateway = openGateway()
  for (const name of [hook, `${hook}.`]) {
    const response = await gateway.request(`https://${name}:${server.port}/`, limits())
    assert.equal(await text(response.body), `${hook} ${name}:${server.port}`)
  }
  const literal = await gateway.request(`https://127.0.0.1:${server.port}/`, limits())
  assert.equal(await text(literal.body), `false 127.0.0.1:${server.port}`)
})

it('a certificate for another name fails with nothing sent', async (t) => {
  t.after(() => setDefaultCACertificates(trusted))
  setDefaultCACertificates([cert])
  await using server = await serveTls()
  await using gateway = openGateway()
  await assert.rejects(
    gateway.request(`https://other.example.com:${server.port}/`, limits()),
    failed('tls', false),
  )
})

it('a certificate nobody vouches for fails, whatever the environment says', async (t) => {
  t.after(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED)
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  await using server = await serveTls()
  await using gateway = openGateway()
  await assert.rejects(
    gateway.request(`https://${hook}:${server.port}/`, limits()),
    failed('tls', false),
  )
})

it('a connection cut inside the handshake fails with nothing sent', async () => {
  await using server = await serveTcp((socket) => socket.once('data', () => socket.destroy()))
  await using gateway = openGateway()
  await assert.rejects(
    gateway.request(`https://${hook}:${server.port}/`, limits({ method: 'POST', body: 'x' })),
    failed('tls', false),
  )
})

it('a server that does not speak TLS fails with nothing sent', async () => {
  await using server = await serveTcp((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  await using gateway = openGateway()
  await assert.rejects(
    gateway.request(`https://${hook}:${server.port}/`, limits()),
    failed('tls', false),
  )
})

it('a handshake that never ends is a time-out with nothing sent', async () => {
  await using server = await serveTcp(() => {})
  await using gateway = openGateway()
  await assert.rejects(
    gateway.request(`https://${hook}:${server.port}/`, limits({ timeoutMs: 100 })),
    failed('timeout', false),
  )
})
