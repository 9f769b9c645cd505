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
  const [email, password] = ['me@example.com', 'correct horse battery']
  await developer('POST', '/sign-up', { email, password })
  const { key } = await developer('POST', '/api-keys', { name: 'examples' })
  const { secret } = await developer('GET', '/webhook-secret')
  env = {
    ...{ ATELIER_URL: server.url, ATELIER_API_KEY: key, WEBHOOK_SECRET: secret },
    ...{ ATELIER_EMAIL: email, ATELIER_PASSWORD: password, TZ: 'UTC' },
  }
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

const succeeds = async (command: string | undefined): Promise<string> => {
  const { code, stdout, stderr } = await start(command ?? '', env).ended
  assert.equal(code, 0, stdout + stderr)
  return stdout
}

test('the weekly digest is made for every Monday, and fired once', async () => {
  const said = await succeeds(commandsUnder('weekly-digest.mjs')[0])
  const times = [...said.matchAll(/^fires (\S+)$/gm)].map(([, at = '']) => new Date(at))
  assert.deepEqual(new Set(times.map((at) => at.getUTCDay())), new Set([1]))
  assert.equal(times.length, 5)
  assert.match(said, /^digest:\n.*\S/m)
})

test('the video is made once somebody has approved it, and not if they reject it', async () => {
  const [command = ''] = commandsUnder('approved-video.mjs')
  const decided = async (decision: string) => {
    await using example = start(command, env)
    const asked = await example.line(/^Film this\? /)
    const [, runId = '', waitId = ''] = /run=([^&]+)&wait=(\S+)$/.exec(asked) ?? []
    await developer('POST', `/runs/${runId}/waits/${waitId}`, { decision })
    const { code, stdout, stderr } = await example.ended
    assert.equal(code, 0, stdout + stderr)
    return stdout
  }
  const [approved, rejected] = [await decided('approve'), await decided('reject')]
  const [, address = ''] = /^approved: (\S+)$/m.exec(approved) ?? []
  const video = await fetch(address)
  assert.equal(video.headers.get('content-type'), 'video/mp4')
  await video.body?.cancel()
  assert.match(rejected, /^rejected: no video was made$/m)
})

test('an issue of GitHub and a question of Slack start runs if they are signed', async () => {
  const [github, slack] = commandsUnder('signed-webhook.mjs')
  for (const [command, answered] of [
    [github, /^summary: .*100 rows/m],
    [slack, /^answer: .*ten on Saturday/m],
  ] as const) {
    const said = await succeeds(command)
    assert.match(said, /^forged: 401$/m)
    assert.match(said, /^signed: 202, run \S+$/m)
    assert.match(said, /^again: the same run$/m)
    assert.match(said, answered)
  }
})
