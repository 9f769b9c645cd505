import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { buildConnector } from 'undici'
import { createAllowList } from '#outbound/address-policy.ts'
import { createConnector } from '#outbound/connector.ts'
import { createGateway } from '#outbound/gateway.ts'
import { hook, limits, openGateway, serve, serveTcp } from './loopback.ts'

const refused = (reason: string) => ({ name: 'OutboundRefused', reason })
const failed = (kind: string, sent: boolean) => ({ name: 'OutboundFailed', kind, sent })

const connectWith = (connector: buildConnector.connector, options: buildConnector.Options) =>
  new Promise((resolve, reject) => {
    connector(options, (error, socket) => (error ? reject(error) : resolve(socket)))
  })

it('a request reaches the server under the name, with its body and headers', async () => {
  await using server = await serve(async (request, response) => {
    const { host, authorization } = request.headers
    response.setHeader('x-seen', `${request.method} ${request.url} ${host} ${authorization}`)
    response.end(await buffer(request))
  })
  await using gateway = openGateway()
  const response = await gateway.request(`${server.url}in?a=1#part`, {
    ...limits(),
    method: 'POST',
    headers: { Authorization: 'Bearer x' },
    body: 'h\u00e9llo',
  })
  assert.equal(response.status, 200)
  assert.equal(response.headers['x-seen'], `POST /in?a=1 ${hook}:${server.port} Bearer x`)
  assert.equal(await text(response.body), 'h\u00e9llo')
})

it('a name that is good at submission and bad at connection is refused', async () => {
  await using server = await serve((_request, response) => response.end('secret'))
  const answers = [['93.184.216.34'], ['127.0.0.1']]
  const gateway = createGateway({ allow: [], resolve: async () => answers.shift() ?? [] })
  await gateway.check(server.url)
  await assert.rejects(gateway.request(server.url, limits()), refused('ADDRESS'))
  assert.equal(server.connections(), 0)
  await gateway.close()
})

it('a name is resolved once per connection: there is no second answer to fall for', async () => {
  await using server = await serve((_request, response) => response.end('ok'))
  let lookups = 0
  await using gateway = openGateway(async () => (lookups++ === 0 ? ['127.0.0.1'] : ['10.0.0.1']))
  const response = await gateway.request(server.url, limits())
  assert.equal(await text(response.body), 'ok')
  assert.equal(lookups, 1)
})

it('a name that rebinds to a private address keeps to the connection that was checked', async () => {
  await using server = await serve((request, response) => {
    response.shouldKeepAlive = request.url !== '/last'
    response.end(String(request.socket.remotePort))
  })
  let address = '127.0.0.1'
  await using gateway = openGateway(async () => [address])
  const ask = async (path: string) =>
    text((await gateway.request(`${server.url}${path}`, limits())).body)
  const first = await ask('first')
  address = '10.0.0.1'
  await turn() // the pool takes a connection back in the turn after its answer
  assert.equal(await ask('last'), first)
  await assert.rejects(ask('next'), refused('ADDRESS'))
})

it('one bad address refuses the connection although the others would answer', async () => {
  await using server = await serve((_request, response) => response.end('ok'))
  await using gateway = openGateway(async () => ['127.0.0.1', '10.0.0.1'])
  await assert.rejects(gateway.request(server.url, limits()), refused('ADDRESS'))
  assert.equal(server.connections(), 0)
})

it('a later address is used where an earlier one does not answer', async () => {
  await using server = await serve((_request, response) => response.end('ok'))
  const gateway = createGateway({
    allow: ['127.0.0.0/8'],
    resolve: async () => ['127.0.0.9', '127.0.0.1'],
  })
  const response = await gateway.request(server.url, limits())
  assert.equal(await text(response.body), 'ok')
  await gateway.close()
})

it('a name with very many addresses does not make us knock on all of them', async () => {
  const connector = createConnector({
    allow: createAllowList([]),
    resolve: async () => Array.from({ length: 1_000 }, (_, i) => `8.8.${i >> 8}.${i & 255}`),
    openSocket({ lookup }) {
      lookup?.(hook, {}, (_error, addresses) => assert.equal(addresses.length, 8))
      throw new Error('asked for eight')
    },
  })
  const opened = connectWith(connector, { hostname: hook, protocol: 'http:', port: '80' })
  await assert.rejects(opened, /asked for eight/)
})

it('localhost is reached where its addresses are allowed', async () => {
  await using server = await serve((request, response) => response.end(request.headers.host))
  await using gateway = openGateway()
  const response = await gateway.request(`http://localhost:${server.port}/`, limits())
  assert.equal(await text(response.body), `localhost:${server.port}`)
})

it('a literal address is checked although no lookup happens for it', async () => {
  await using server = await serve((_request, response) => response.end('secret'))
  const closed = createGateway({ allow: [], resolve: () => assert.fail('asked') })
  await assert.rejects(
    closed.request(`http://127.0.0.1:${server.port}/`, limits()),
    refused('ADDRESS'),
  )
  const connector = createConnector({
    allow: createAllowList([]),
    resolve: () => assert.fail('asked'),
    openSocket: () => assert.fail('opened'),
  })
  const opened = connectWith(connector, { hostname: '127.0.0.1', protocol: 'http:', port: '80' })
  await assert.rejects(opened, refused('ADDRESS'))
  assert.equal(server.connections(), 0)
})

it('a connection that ends up elsewhere is closed before a byte is sent', async () => {
  const { promise: heard, resolve: onEnd } = Promise.withResolvers<string>()
  await using elsewhere = await serveTcp((socket) => text(socket).then(onEnd, onEnd))
  const connector = createConnector({
    allow: createAllowList(['127.0.0.0/8']),
    resolve: async () => ['127.0.0.2'],
    openSocket: () => connect({ host: '127.0.0.1', port: elsewhere.port }),
  })
  for (const protocol of ['http:', 'https:']) {
    const opened = connectWith(connector, { hostname: hook, protocol, port: '443' })
    await assert.rejects(opened, refused('ADDRESS'))
  }
  assert.equal(await heard, '')
  assert.equal(elsewhere.connections(), 2)
})

it('a redirect to a private address is an answer, not a journey', async () => {
  await using inside = await serve((_request, response) => response.end('secret'))
  await using server = await serve((_request, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${inside.port}/` }).end('moved')
  })
  await using gateway = openGateway()
  for (const method of ['GET', 'POST'] as const) {
    const response = await gateway.request(server.url, limits({ method }))
    assert.equal(response.status, 302)
    assert.equal(response.headers.location, `http://127.0.0.1:${inside.port}/`)
    assert.equal(await text(response.body), 'moved')
  }
  assert.equal(inside.connections(), 0)
})

it('proxy variables are not honoured', async (t) => {
  await using proxy = await serveTcp((socket) => socket.destroy())
  await using server = await serve((_request, response) => response.end('direct'))
  const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']
  t.after(() => {
    for (const name of names) delete process.env[name]
  })
  for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`
  await using gateway = openGateway()
  const response = await gateway.request(server.url, limits())
  assert.equal(await text(response.body), 'direct')
  assert.equal(proxy.connections(), 0)
})

it('a name that does not resolve fails with nothing sent', async () => {
  for (const resolve of [async () => [], () => Promise.reject(new Error('ENOTFOUND'))]) {
    await using gateway = openGateway(resolve)
    await assert.rejects(
      gateway.request('http://gone.example.com/', limits()),
      failed('dns', false),
    )
  }
})

it('a refused connection fails with nothing sent', async () => {
  const server = await serve(() => {})
  await server[Symbol.asyncDispose]()
  await using gateway = openGateway()
  await assert.rejects(gateway.request(server.url, limits()), failed('connect', false))
})

it('a connection cut after the request was sent is an unknown outcome, and is not repeated', async () => {
  await using server = await serveTcp((socket) => socket.once('data', () => socket.destroy()))
  await using gateway = openGateway()
  for (const method of ['GET', 'POST'] as const) {
    const request = gateway.request(server.url, limits({ method }))
    await assert.rejects(request, failed('reset', true))
  }
  assert.equal(server.connections(), 2)
})

it('a connection cut inside the answer fails the body', async () => {
  await using server = await serveTcp((socket) => {
    socket.once('data', () => {
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf')
    })
  })
  await using gateway = openGateway()
  const response = await gateway.request(server.url, limits())
  await assert.rejects(text(response.body), failed('reset', true))
})

it('a connection closed by the server while idle is replaced without a failure', async () => {
  await using server = await serve((request, response) => {
    response.end('ok', () => request.socket.end())
  })
  await using gateway = openGateway()
  for (let round = 0; round < 5; round++) {
    const response = await gateway.request(server.url, limits({ method: 'POST', body: 'x' }))
    assert.equal(await text(response.body), 'ok')
  }
})

it('closing the gateway ends what is in flight and lets nothing out afterwards', async () => {
  await using server = await serve(() => {})
  const gateway = openGateway()
  const pending = gateway.request(server.url, limits())
  const ended = assert.rejects(pending, { name: 'OutboundFailed', kind: 'aborted' })
  const { promise: connected, resolve } = Promise.withResolvers<void>()
  const poll = setInterval(() => server.connections() > 0 && resolve(), 5)
  await connected
  clearInterval(poll)
  await gateway.close()
  await ended
  await assert.rejects(gateway.request(server.url, limits()), failed('aborted', false))
})
