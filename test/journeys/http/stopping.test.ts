import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { startDouble } from '../../support/provider-doubles/double.ts'
import { wires } from '../../support/provider-doubles/wires.ts'
import { rawHttp } from '../../support/raw-http.ts'
import { P, startServer } from '../../support/server.ts'

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

test('a stop lets requests in flight finish, refuses new ones and is not ready', async (t) => {
  const { server, double, inFlight } = await startWithChat(t)
  const stopped = server.stop()
  for (const path of ['/readyz', `${P}/models`]) {
    const refused = await rawHttp(server.url, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    assert.equal(refused.status, 503)
    assert.equal(JSON.parse(refused.body).error.code, 'SERVICE_UNAVAILABLE')
    assert.equal(refused.headers['retry-after'], '1')
  }
  double.release()
  assert.equal((await inFlight).status, 200)
  await stopped
  await assert.rejects(server.call('/readyz'), 'the port is closed')
})

/** A client with one connection; `answers` are the status codes it got on it, and how it ended. */
function openClient(url: string) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const client = {
    answers: [] as number[],
    error: null as string | null,
    connected: once(socket, 'connect'),
    ask: () => void socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'),
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

test('requests at any time during a stop get 503, and no connection is reset', async (t) => {
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
  for (const client of newcomers) await client.connected
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
  const outcomes = { kept, silent, slow, late, newcomers }
  assert.deepEqual(
    Object.fromEntries(Object.entries(outcomes).map(([who, them]) => [who, seen(them)])),
    {
      kept: { '200 503 closed': moments },
      silent: { '503 closed': moments },
      slow: { '503 closed': moments },
      late: { '503 closed': moments },
      newcomers: { '503 closed': moments },
    },
  )
})
