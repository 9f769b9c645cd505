import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { AtelierError, type Client, createClient } from '../../../src/client/client.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { startReceiver } from '../deliveries/receiver.ts'
import { type LossyProxy, startLossyProxy } from './lossy-proxy.ts'

let server: TestServer
let proxy: LossyProxy
let client: Client
before(async () => {
  server = await startServer()
  proxy = await startLossyProxy(server.url)
  client = createClient({ baseUrl: proxy.url, apiKey: server.ownerKey })
})
after(async () => {
  await proxy[Symbol.asyncDispose]()
  await server.stop()
})

const messages = [{ role: 'user' as const, content: 'A red boat' }]
const data = {
  nodes: [
    { id: 'in', type: 'input.text', data: {} },
    { id: 'out', type: 'output', data: {} },
  ],
  connections: [{ source: 'in', target: 'out' }],
}

test('a run whose acknowledgement was lost is submitted again and exists once', async () => {
  const { id } = await client.workflows.create({ name: 'echo', data })
  proxy.loseNextAnswer()
  const run = await client.runs.submit(id, { inputs: { in: 'x' } })
  assert.equal(run.idempotentReplay, true)
  assert.equal(proxy.passed.filter((call) => call.endsWith('/runs')).length, 2)
  const { items } = await client.runs.list(id)
  assert.deepEqual(
    items.map(({ runId }) => runId),
    [run.runId],
  )
})

test('a generation whose acknowledgement was lost is not submitted again, and is found', async () => {
  proxy.loseNextAnswer()
  const error = await client.images
    .generate({ model: 'demo-image', messages })
    .catch((caught: unknown) => caught)
  assert.ok(error instanceof AtelierError)
  assert.equal(error.code, 'OUTCOME_UNKNOWN')
  const found = await client.tasks.recover(error)
  assert.deepEqual(
    found.map(({ promptPreview }) => promptPreview),
    ['A red boat'],
  )
  assert.equal((await client.tasks.list()).total, 1)
})

test('a chat whose answer was lost is not asked again', async () => {
  proxy.loseNextAnswer()
  const asked = () => proxy.passed.filter((call) => call.endsWith('/chat/completions')).length
  const before = asked()
  const chat = client.chat.create({ model: 'demo-text', messages })
  await assert.rejects(chat, { code: 'OUTCOME_UNKNOWN', retryable: false })
  assert.equal(asked(), before + 1)
})

test('a redirect is refused, and the other place never hears of it', async () => {
  await using elsewhere = await startReceiver()
  await using front = await startReceiver()
  front.always({ status: 307, headers: { location: `${elsewhere.url}/models` } })
  const redirected = createClient({
    baseUrl: new URL(front.url).origin,
    apiKey: server.ownerKey,
  })
  const error = await redirected.models.list().catch((caught: unknown) => caught)
  assert.ok(error instanceof AtelierError)
  assert.deepEqual([error.code, error.retryable], ['REDIRECT_REFUSED', false])
  assert.ok(error.message.includes(new URL(elsewhere.url).origin), error.message)
  assert.equal(front.received.length, 1)
  assert.equal(elsewhere.received.length, 0)
})

test('a server that is not there is told from one that broke off', async () => {
  const gone = await startReceiver()
  const baseUrl = new URL(gone.url).origin
  await gone[Symbol.asyncDispose]()
  const nobody = createClient({ baseUrl, apiKey: server.ownerKey })
  const chat = nobody.chat.create({ model: 'demo-text', messages })
  await assert.rejects(chat, { code: 'UNREACHABLE', retryable: true })
})
