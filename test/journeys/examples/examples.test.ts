import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { buildClient } from '../../../scripts/build-client.ts'
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts'
import { commandsUnder, start } from './as-the-readme-says.ts'

let dataDir: string
let server: ServerProcess
let env: Record<string, string>
before(async () => {
  buildClient()
  dataDir = await mkdtemp(join(tmpdir(), 'atelier-examples-'))
  server = await startServerProcess({ DATA_DIR: dataDir })
  const key = await readFile(join(dataDir, 'owner.key'), 'utf8')
  env = { ATELIER_URL: server.url, ATELIER_API_KEY: key.trim() }
})
after(async () => {
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
})

/** Runs the one command of an example, which must succeed. */
async function run(heading: string): Promise<string> {
  const [command = ''] = commandsUnder(heading)
  const { code, stdout, stderr } = await start(command, env).ended
  assert.equal(code, 0, stdout + stderr)
  return stdout
}

test('the tour of the client chats, paints and runs a workflow', async () => {
  const said = await run('node-client.mjs')
  assert.match(said, /^models: demo-text \(TEXT\)/m)
  assert.match(said, /^chat: 12% of 250 = 30 /m)
  const [, address = ''] = /^image: 1024x576 image\/png at (\S+)$/m.exec(said) ?? []
  const picture = await fetch(address)
  assert.equal(picture.headers.get('content-type'), 'image/png')
  await picture.body?.cancel()
  assert.match(said, /^run: COMPLETED, 4 of 4 nodes$/m)
  assert.match(said, /^summary: \S/m)
})

test('the tour says why a key is refused, and shows no key', async () => {
  const [command = ''] = commandsUnder('node-client.mjs')
  const bad = { ...env, ATELIER_API_KEY: 'sk_notakey' }
  const { code, stdout, stderr } = await start(command, bad).ended
  assert.equal(code, 1)
  assert.match(stderr, /^INVALID_CREDENTIAL: /)
  assert.ok(!(stdout + stderr).includes('sk_notakey'))
})

test('a shell and curl are enough to chat, paint and run a workflow', async () => {
  const said = await run('curl.sh')
  assert.match(said, /^chat: 12% of 250 = 30$/m)
  assert.match(said, /^image: http:\/\/127\.0\.0\.1:\d+\/media\/\S+$/m)
  assert.match(said, /^run: Hello, world!$/m)
})

test('the shell example ends with the error of the server', async () => {
  const [command = ''] = commandsUnder('curl.sh')
  const { code, stderr } = await start(command, { ...env, ATELIER_API_KEY: 'sk_notakey' }).ended
  assert.equal(code, 1)
  assert.match(stderr, /"code":"INVALID_CREDENTIAL"/)
})

test('the agent loop lets the model draw a picture with the tools of the API', async () => {
  const said = await run('agent-loop.mjs')
  assert.match(said, /^tool: svc_generate_image \{"model":"demo-image"/m)
  assert.match(said, /^tool: svc_get_task \{"taskId":"/m)
  const [, answer = ''] = said.split(/^answer: /m)
  const [address = ''] = /http:\/\/127\.0\.0\.1:\d+\/media\/[^\s,"]+/.exec(answer) ?? []
  const picture = await fetch(address)
  assert.equal(picture.headers.get('content-type'), 'image/png')
  await picture.body?.cancel()
})
