import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { signUp } from '../../support/console.ts'
import { startDouble } from '../../support/provider-doubles/double.ts'
import { wires } from '../../support/provider-doubles/wires.ts'
import { rawHttp } from '../../support/raw-http.ts'
import { P, startServer } from '../../support/server.ts'
import { startServerProcess } from '../../support/server-process.ts'
import { eventually } from '../generation/setting.ts'

/** A server with a chat in flight, whose provider answers once it is released. */
async function startWithChat(t: TestContext) {
  const double = await startDouble(wires.openai)
  t.after(double.close)
  const server = await startServer({ OPENAI_API_KEY: double.key, OPENAI_BASE_URL: double.url })
  t.after(server.stop)
  t.after(double.release)
  const { body } = await server.call(`${P}/models`)
  const model = body.data.items.find(
    (one: { provider: string; kind: string }) => one.provider === 'openai' && one.kind === 'TEXT',
  )
  double.script('chat', { do: 'hold' })
  const json = { model: model.id, messages: [{ role: 'user', content: 'hello' }] }
  const inFlight = server.call({ method: 'POST', path: `${P}/chat/completions`, json })
  await double.arrived('chat', 1)
  return { server, double, inFlight }
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

test('a drain serves every request, asks for no more and closes connections', async () => {
  await using server = await startServer({ DRAIN_SECONDS: '600' })
  assert.equal((await rawHttp(server.url, get('/readyz'))).status, 200)
  void server.running.drain()
  const unready = await rawHttp(server.url, get('/readyz'))
  assert.equal(unready.status, 503)
  assert.equal(JSON.parse(unready.body).error.message, 'Not ready: the server is stopping.')
  const served = await server.call(`${P}/models`)
  assert.equal(served.status, 200)
  assert.equal(served.headers.connection, 'close')
})

test('a stop closes the port, lets requests in flight finish and refuses others', async (t) => {
  const { server, double, inFlight } = await startWithChat(t)
  const kept = openClient(server.url)
  kept.ask()
  await kept.answered(1)
  const stopped = server.stop()
  await eventually(
    () => isRefused(server.url),
    (isClosed) => isClosed,
  )
  kept.ask()
  await kept.ended
  assert.deepEqual([kept.answers, kept.error], [[200, 503], null])
  double.release()
  assert.equal((await inFlight).status, 200)
  await stopped
})

test('a call of a tool that was admitted is answered, although its own requests begin during the stop', async () => {
  await using server = await startServer({ SIGN_UP: 'open' })
  const key = await (await signUp(server)).newKey()
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'svc_list_models', arguments: {} },
  })
  const request = httpRequest(`${server.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      expect: '100-continue',
    },
  })
  const answered = once(request, 'response')
  request.flushHeaders()
  // Sent once the request has been read.
  await once(request, 'continue')
  request.write(body.slice(0, -1))
  await server.call(`${P}/models`)
  const stopped = server.stop()
  await eventually(
    () => isRefused(server.url),
    (isClosed) => isClosed,
  )
  request.end(body.slice(-1))
  const [response] = await answered
  const text = await readText(response)
  assert.equal(response.statusCode, 200, text)
  assert.doesNotMatch(text, /SERVICE_UNAVAILABLE|"isError":true/)
  assert.match(text, /demo-text/)
  await stopped
})

async function isRefused(url: string): Promise<boolean> {
  const client = openClient(url)
  client.ask()
  await client.ended
  return client.error === 'ECONNREFUSED'
}

async function startProcess(t: TestContext, env: Record<string, string>) {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'atelier-stopping-'))
  t.after(() => rm(DATA_DIR, { recursive: true, force: true }))
  const server = await startServerProcess({ DATA_DIR, ...env })
  t.after(server.kill)
  return server
}

test('SIGTERM drains first, and Ctrl-C ends a stop that somebody will not wait for', async (t) => {
  const server = await startProcess(t, { DRAIN_SECONDS: '600' })
  const stopped = server.stop()
  const unready = await eventually(
    () => server.call('/readyz'),
    ({ status }) => status === 503,
  )
  assert.equal(unready.body.error.message, 'Not ready: the server is stopping.')
  assert.equal((await server.call(`${P}/models`)).status, 200)
  server.interrupt()
  assert.equal(await stopped, 130)
})

test('Ctrl-C stops without a drain', async (t) => {
  const server = await startProcess(t, { DRAIN_SECONDS: '600' })
  server.interrupt()
  // Passed on by npm, the same key press arrives again.
  server.interrupt()
  assert.equal(await server.ended, 0)
})

test('health checks are answered without a Host header, over HTTP/1.0 and to HEAD', async (t) => {
  const server = await startServer()
  t.after(server.stop)
  for (const path of ['/healthz', '/readyz']) {
    for (const line of [`GET ${path} HTTP/1.0`, `HEAD ${path} HTTP/1.0`]) {
      const client = openClient(server.url)
      client.send(`${line}\r\n\r\n`)
      await client.ended
      assert.deepEqual(client.answers, [200], line)
    }
    assert.equal((await rawHttp(server.url, `GET ${path} HTTP/1.1\r\n\r\n`)).status, 200)
    assert.equal((await server.call({ method: 'HEAD', path, key: null })).status, 200)
  }
  const other = await rawHttp(server.url, `GET ${P}/models HTTP/1.0\r\n\r\n`)
  assert.equal(other.status, 400)
})

/** A client with one connection; `answers` are the status codes it got on it, and how it ended. */
function openClient(url: string) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const client = {
    answers: [] as number[],
    error: null as string | null,
    // `error` is recorded below; whoever needs the connection finds it missing.
    connected: once(socket, 'connect').catch(() => {}),
    send: (text: string) => void socket.write(text),
    ask: () => client.send(get('/healthz')),
    /** Sends the first bytes of a request; `ask` sends the rest. */
    begin: () => void socket.write('GET /healthz HTTP/1.1\r\nX-Rest: '),
    ended: new Promise<void>((resolve) => socket.once('close', () => resolve())),
    answered: (count: number) =>
      new Promise<void>((resolve) => {
        const look = () => client.answers.length >= count && resolve()
        socket.on('data', look).once('close', () => resolve())
        look()
      }),
  }
  socket.on('data', (chunk) => {
    for (const [, status] of String(chunk).matchAll(/HTTP\/1\.1 (\d+)/g))
      client.answers.push(Number(status))
  })
  socket.on('error', (error: NodeJS.ErrnoException) => {
    client.error = error.code ?? error.message
  })
  return client
}

test('requests at any time during a stop get 503 or find the port closed, and none is reset', async (t) => {
  const { server, double, inFlight } = await startWithChat(t)

  const moments = 40
  const many = () => Array.from({ length: moments }, () => openClient(server.url))
  const kept = many()
  const silent = many()
  const slow = many()
  const late = many()
  for (const client of kept) client.ask()
  for (const client of [...silent, ...slow, ...late]) await client.connected
  for (const client of kept) await client.answered(1)
  for (const client of slow) client.begin()

  const stopped = server.stop()
  const newcomers = []
  for (let moment = 0; moment < moments; moment++) {
    kept[moment]?.ask()
    silent[moment]?.ask()
    slow[moment]?.ask()
    const newcomer = openClient(server.url)
    newcomer.ask()
    newcomers.push(newcomer)
    // Covers every phase of the event loop, at different distances from the server's ticks.
    if (moment % 4 === 0) await setTimeout(moment / 4)
    else await setImmediate()
  }
  double.release()
  assert.equal((await inFlight).status, 200)
  // Connected while the server still accepted connections; they send once it no longer does.
  for (const client of late) client.ask()

  await Promise.all([...kept, ...silent, ...slow, ...late, ...newcomers].map((one) => one.ended))
  await stopped
  const seen = (clients: typeof kept) => {
    const counts: Record<string, number> = {}
    for (const { answers, error } of clients) {
      const outcome = `${answers.join(' ')} ${error ?? 'closed'}`
      counts[outcome] = (counts[outcome] ?? 0) + 1
    }
    return counts
  }
  const outcomes = { kept, silent, slow, late }
  assert.deepEqual(
    Object.fromEntries(Object.entries(outcomes).map(([who, them]) => [who, seen(them)])),
    {
      kept: { '200 503 closed': moments },
      silent: { '503 closed': moments },
      slow: { '503 closed': moments },
      late: { '503 closed': moments },
    },
  )
  const found = new Set(Object.keys(seen(newcomers)))
  assert.ok(found.isSubsetOf(new Set(['503 closed', ' ECONNREFUSED'])), [...found].join())
})
