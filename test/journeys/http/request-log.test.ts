import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { mkdtemp, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { P } from '../../support/server.ts'
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts'
import { eventually } from '../generation/setting.ts'

const chat = {
  method: 'POST',
  path: `${P}/chat/completions`,
  json: { model: 'demo-text', messages: [{ role: 'user', content: 'the lighthouse is a secret' }] },
}
const missing = { path: `${P}/tasks/01a1e2f3-11ed-7000-8000-04c322f7961f?token=hidden` }

async function startHere(t: TestContext, env: Record<string, string>): Promise<ServerProcess> {
  const DATA_DIR = env.DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'atelier-requests-')))
  const server = await startServerProcess({ ...env, DATA_DIR })
  t.after(async () => {
    await server.stop()
    await rm(DATA_DIR, { recursive: true, force: true })
  })
  return server
}

type LogLine = { msg: string } & Record<string, unknown>

const linesOf = ({ said }: ServerProcess): LogLine[] =>
  said.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))

const requestsOf = (server: ServerProcess) => linesOf(server).filter(({ msg }) => msg === 'request')

/** Lines arrive through a pipe. */
async function line(server: ServerProcess, satisfies: (entry: LogLine) => boolean) {
  for (;;) {
    const found = linesOf(server).find(satisfies)
    if (found) return found
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

test('errors are logged with route, caller and status, and nothing that was sent', async (t) => {
  const server = await startHere(t, { LOG_REQUESTS: 'errors' })
  await server.call(chat)
  const { headers } = await server.call(missing)
  const { time, ms, accountId, keyId, level, ...entry } = await line(
    server,
    ({ requestId }) => requestId === headers['x-request-id'],
  )
  assert.deepEqual(entry, {
    msg: 'request',
    requestId: headers['x-request-id'],
    method: 'GET',
    route: `${P}/tasks/:taskId`,
    status: 404,
  })
  assert.match(String(accountId), /^[0-9a-f-]{36}$/)
  assert.match(String(keyId), /^[0-9a-f-]{36}$/)
  assert.equal(typeof ms, 'number')
  assert.equal(requestsOf(server).length, 1)
  const all = JSON.stringify(linesOf(server))
  for (const secret of ['hidden', 'lighthouse', 'Bearer', '01a1e2f3']) {
    assert.equal(all.includes(secret), false, secret)
  }
})

test('a key that is sent in the address, as clients of Google may, is in no line', async (t) => {
  const server = await startHere(t, { LOG_REQUESTS: 'all', LOG_LEVEL: 'trace' })
  const json = { contents: { parts: { text: 'Hi' } } }
  const addresses = ['demo-text:generateContent', 'nobody:generateContent', 'demo-text:predict']
  for (const address of addresses) {
    const path = `/v1beta/models/${address}?key=sk_hidden`
    const { headers, text } = await server.call({ method: 'POST', path, json, key: null })
    const entry = await line(server, ({ requestId }) => requestId === headers['x-request-id'])
    assert.deepEqual([entry.route, entry.status], ['/v1beta/models/*', 401])
    assert.doesNotMatch(text, /sk_hidden/)
  }
  assert.doesNotMatch(JSON.stringify(linesOf(server)), /sk_hidden/)
})

test('a signal switches the log of requests on, and off again', async (t) => {
  const server = await startHere(t, {})
  const isSwitched = (to: string) => (entry: LogLine) => entry.requests === to
  await server.call(missing)
  server.switchRequestLog()
  await line(server, isSwitched('all'))
  const { headers } = await server.call(chat)
  const logged = await line(server, ({ requestId }) => requestId === headers['x-request-id'])
  assert.equal(logged.status, 200)
  server.switchRequestLog()
  await line(server, isSwitched('off'))
  await server.call(chat)
  assert.equal(requestsOf(server).length, 1)
})

test('the log says which stored picture is damaged', async (t) => {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'atelier-damaged-'))
  const server = await startHere(t, { DATA_DIR })
  const json = { ...chat.json, model: 'demo-image', imageSampleSize: '512' }
  const { body } = await server.call({ ...chat, path: `${P}/images/generations`, json })
  const { body: made } = await eventually(
    () => server.call(`${P}/tasks/${body.taskId}`),
    (answer) => answer.body.data.status === 'COMPLETED',
  )
  const [blob = ''] = globSync(join(DATA_DIR, 'media', '??', '??', '*'))
  await truncate(blob, 10)
  const { url } = made.data.imageContent[0]
  const seen = await fetch(url)
    .then((answer) => answer.arrayBuffer().then(() => answer.status))
    .catch(() => 'cut')
  assert.ok(seen === 500 || seen === 'cut', `answered ${seen}`)
  const { level } = await line(server, (entry) => JSON.stringify(entry).includes(basename(blob)))
  assert.ok(Number(level) >= 50)
})
