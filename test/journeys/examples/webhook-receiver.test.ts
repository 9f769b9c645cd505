import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { buildClient } from '../../../scripts/build-client.ts'
import { consolePath } from '../../support/console.ts'
import type { Body } from '../../support/server.ts'
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts'
import { commandsUnder, start } from './as-the-readme-says.ts'

let dataDir: string
let server: ServerProcess
let session: Record<string, string>
let env: Record<string, string>

/** The console API, with the session of the person who signed up. */
async function developer(method: 'GET' | 'POST', path: string, json?: unknown): Promise<Body> {
  const answer = await server.call({
    method,
    path: consolePath + path,
    key: null,
    headers: { origin: server.url, ...session },
    ...(json === undefined ? {} : { json }),
  })
  assert.equal(answer.status, 200, answer.text)
  const [cookie] = String(answer.headers['set-cookie'] ?? '').split(';')
  if (cookie) session = { cookie }
  return answer.body.data
}

before(async () => {
  buildClient()
  dataDir = await mkdtemp(join(tmpdir(), 'atelier-examples-'))
  server = await startServerProcess({
    DATA_DIR: dataDir,
    SIGN_UP: 'open',
    OUTBOUND_ALLOW: '127.0.0.1/32',
  })
  session = {}
  const password = 'correct horse battery'
  await developer('POST', '/sign-up', { email: 'me@example.com', password })
  const { key } = await developer('POST', '/api-keys', { name: 'examples' })
  const { secret } = await developer('GET', '/webhook-secret')
  env = { ATELIER_URL: server.url, ATELIER_API_KEY: key, WEBHOOK_SECRET: secret }
})
after(async () => {
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
})

test('the receiver takes the webhook of a run once, and refuses a forged one', async () => {
  const [receive = '', submit = ''] = commandsUnder('webhook-receiver.mjs')
  // Any free port instead of the one in the text.
  await using receiver = start(receive.replace('3000', '0'), env)
  const [, url = ''] = /(http:\S+)$/.exec(await receiver.line(/^receiving on /)) ?? []
  const sent = await start(submit.replace('http://127.0.0.1:3000', url), env).ended
  assert.equal(sent.code, 0, sent.stderr)

  const told = await receiver.line(/^workflow\.run\.completed /)
  assert.match(told, /"status":"COMPLETED","outputs":\{"summary":"\S/)

  const { items } = await developer('GET', '/deliveries')
  await developer('POST', `/deliveries/${items[0].id}/redeliver`)
  await receiver.line(/^msg_\S+ came again, ignored$/)

  const forged = await fetch(url, {
    method: 'POST',
    headers: {
      'webhook-id': 'msg_x',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': `v1,${btoa('x'.repeat(32))}`,
    },
    body: '{"type":"workflow.run.completed","data":{}}',
  })
  assert.equal(forged.status, 401)
  const huge = await fetch(url, { method: 'POST', body: 'x'.repeat(2 * 1024 * 1024) }).catch(
    () => ({ status: 413 }),
  )
  assert.equal(huge.status, 413)
})
