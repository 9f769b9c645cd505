import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { dispatched, inTerminal, newFolder, openSetting, runWords } from './setting.ts'

const wrongKey = 'sk_WrongWrongWrongWrongWrongWrongWrongWrong'

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** An address without a listener. */
async function deserted(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}`
}

test('the key of a server on this machine is found; one that is given goes before it', async (t) => {
  const { cli, server } = await openSetting(t)
  assert.equal((await cli(['models'])).code, 0)
  const refused = await cli(['models'], { env: { ATELIER_API_KEY: wrongKey } })
  assert.deepEqual([refused.code, refused.stdout], [4, ''])
  assert.match(refused.stderr, /INVALID_CREDENTIAL.*\nSet ATELIER_API_KEY/)
  assert.match(refused.stderr, /\nRequest req_/)
  const given = { ATELIER_API_KEY: server.ownerKey, DATA_DIR: '/nowhere' }
  assert.equal((await cli(['models'], { env: given })).code, 0)
  const none = await cli(['models'], { env: { DATA_DIR: '/nowhere' } })
  assert.equal(none.code, 4)
  assert.match(none.stderr, /NO_API_KEY.*\nSet ATELIER_API_KEY/)
})

test('the key of a local server is sent to no other machine', async (t) => {
  const { cli } = await openSetting(t)
  const elsewhere = await cli(['models'], { env: { ATELIER_URL: 'http://atelier.invalid' } })
  assert.equal(elsewhere.code, 4)
  assert.match(elsewhere.stderr, /NO_API_KEY/)
})

test('no key is ever shown, not by errors and not by a server that repeats it', async (t) => {
  const { cli } = await openSetting(t)
  const echo = await serve(t, ({ headers }, response) => {
    const error = { code: headers.authorization, message: `no ${headers.authorization}` }
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ success: false, error: { ...error, retryable: false } }))
  })
  const ATELIER_API_KEY = wrongKey
  const outcomes = await Promise.all([
    cli(['models'], { env: { ATELIER_API_KEY } }),
    cli(['models', '--json'], { env: { ATELIER_API_KEY } }),
    cli(['doctor'], { env: { ATELIER_API_KEY } }),
    cli(['models'], { env: { ATELIER_API_KEY, ATELIER_URL: echo } }),
    cli(['models'], { env: { ATELIER_API_KEY: `${wrongKey}\n${wrongKey}` } }),
  ])
  for (const { stdout, stderr, code } of outcomes) {
    assert.notEqual(code, 0)
    assert.ok(!(stdout + stderr).includes(wrongKey), stdout + stderr)
  }
})

test('a missing server is reported at once, with what to do', async () => {
  const env = { ATELIER_URL: await deserted(), ATELIER_API_KEY: wrongKey }
  const text = await dispatched(['models'], { env })
  assert.deepEqual([text.code, text.stdout], [3, ''])
  assert.match(text.stderr, /Cannot connect to http.*\nStart a server with "atelier start"/)
  const asJson = await dispatched(['models', '--json'], { env })
  assert.deepEqual([asJson.code, asJson.stdout], [3, ''])
  const { error } = JSON.parse(asJson.stderr)
  assert.deepEqual([error.code, error.exitCode], ['UNREACHABLE', 3])
})

test('an address of another service is reported as such', async (t) => {
  const page = await serve(t, (_request, response) => response.end('<h1>Hello</h1>'))
  const other = await dispatched(['models'], {
    env: { ATELIER_URL: page, ATELIER_API_KEY: wrongKey },
  })
  assert.equal(other.code, 3)
  assert.match(other.stderr, /INVALID_ANSWER.*\nSet ATELIER_URL/)
  const moved = await serve(t, (_request, response) =>
    response.writeHead(301, { location: 'https://elsewhere.example/' }).end(),
  )
  const refused = await dispatched(['models'], {
    env: { ATELIER_URL: moved, ATELIER_API_KEY: wrongKey },
  })
  assert.equal(refused.code, 3)
  assert.match(refused.stderr, /REDIRECT_REFUSED/)
  for (const ATELIER_URL of ['localhost:8787', 'ftp://x', 'http://user:pass@127.0.0.1']) {
    const bad = await dispatched(['models'], { env: { ATELIER_URL } })
    assert.equal(bad.code, 2)
    assert.match(bad.stderr, /ATELIER_URL must/)
    assert.ok(!bad.stderr.includes('pass@'))
  }
})

test('words that are not understood end with 2 and lead to the help', async () => {
  const expectations: [string[], RegExp][] = [
    [['modles'], /no command "modles".*\n"atelier help"/],
    [['workflow', 'frobnicate'], /"atelier workflow" has no subcommand "frobnicate"/],
    [['run'], /WORKFLOW_ID is missing.*\n"atelier help run"/],
    [['run', 'seven'], /"seven" is not a workflow/],
    [['runs', 'get', '7'], /"7" is not the identifier of a run/],
    [['models', '--wrong'], /'--wrong'.*\n"atelier help models list"/],
    [['chat', 'x', '--max-tokens', 'ten'], /--max-tokens accepts a whole number/],
    [['doctor', 'too', 'many'], /"too" is one argument too many/],
    [['models', 'too'], /"atelier models" has no subcommand "too"/],
  ]
  for (const [words, message] of expectations) {
    const { code, stdout, stderr } = await dispatched(words, { env: { ATELIER_API_KEY: wrongKey } })
    assert.deepEqual([code, stdout], [2, ''], words.join(' '))
    assert.match(stderr, message)
  }
})

test('text of others cannot steer the terminal, and reaches a pipe as it is', async (t) => {
  const content = 'safe\x1b[2J\x1b]0;title\x07\nline'
  const url = await serve(t, (request, response) => {
    const isModels = request.url?.endsWith('/models')
    const model = { id: 'm\x1b[31m', kind: 'TEXT', provider: 'p', pricing: null }
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
    const data = isModels
      ? { items: [model], total: 1 }
      : { model: 'm', content, finishReason: 'stop', usage, cost: null }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ success: true, data }))
  })
  const env = { ATELIER_URL: url, ATELIER_API_KEY: wrongKey }
  const seen = inTerminal(['chat', 'hello'], env)
  assert.equal(await seen.ended, 0)
  assert.ok(!seen.written().includes('\x1b[2J') && !seen.written().includes('\x07'))
  assert.match(seen.screen(), /^safe\[2J\]0;title\nline/)
  const piped = await dispatched(['chat', 'hello'], { env })
  assert.equal(piped.stdout, `${content}\n`)
  const models = await dispatched(['models'], { env })
  assert.ok(!models.stdout.includes('\x1b'))
})

test('a reader that closes the pipe is not a failure', async (t) => {
  const { env } = await openSetting(t)
  const main = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url))
  const child = spawn(process.execPath, [main, 'help'], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.destroy()
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const [code] = await once(child, 'close')
  assert.deepEqual([code, stderr], [0, ''])
})

test('files are relative to the current folder', async (t) => {
  const { env } = await openSetting(t)
  const made = await runWords(['image', 'a cat', '--json'], { env, cwd: await newFolder(t) })
  assert.equal(made.code, 0, made.stderr)
  assert.match(JSON.parse(made.stdout).files[0], /^atelier-/)
})
