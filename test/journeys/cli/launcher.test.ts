import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { until } from '../../unit/cli/fake-terminal.ts'
import { begin, newFolder, openSetting, runWords } from './setting.ts'

const script = fileURLToPath(new URL('../../../bin/atelier.mjs', import.meta.url))

test('the launcher hands words, streams and the exit code through', async (t) => {
  const { env } = await openSetting(t)
  const version = await runWords(['--version'], { script })
  assert.deepEqual([version.code, version.stderr], [0, ''])
  assert.match(version.stdout, /^atelier \d+\.\d+\.\d+\n$/)
  const piped = await runWords(['chat'], { script, env, stdin: 'What is 3 + 4?' })
  assert.match(piped.stdout, /7/)
  assert.equal((await runWords(['frobnicate'], { script })).code, 2)
})

test('start serves with the configuration of the environment, and stops on a signal', async (t) => {
  const DATA_DIR = await newFolder(t)
  const { child, said, ended } = begin(['start'], { env: { DATA_DIR, PORT: '0' } })
  t.after(() => child.kill('SIGKILL'))
  await until(
    () => said.stderr.includes('Atelier is ready at'),
    () => said.stderr + said.stdout,
  )
  const ATELIER_URL = /ready at (\S+)/.exec(said.stderr)?.[1] ?? ''
  const models = await runWords(['models'], { env: { ATELIER_URL, DATA_DIR } })
  assert.equal(models.code, 0, models.stderr)
  child.kill('SIGINT')
  assert.equal((await ended).code, 0)
})

test('start with a bad configuration names the variable and ends with 1', async (t) => {
  const env = { DATA_DIR: await newFolder(t), PORT: 'many' }
  const { code, stderr } = await runWords(['start'], { env })
  assert.equal(code, 1)
  assert.match(stderr, /PORT must be a whole number/)
})

test('mcp gives an agent the tools of the server over standard input and output', async (t) => {
  const { env } = await openSetting(t)
  const ask = (id: number, method: string, params: object) =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
  const clientInfo = { name: 'test', version: '1' }
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  const { child, said, ended } = begin(['mcp'], {
    env,
    stdin: ask(1, 'initialize', hello) + ask(2, 'tools/list', {}),
  })
  t.after(() => child.kill('SIGKILL'))
  const { code, stderr } = await ended
  assert.deepEqual([code, stderr], [0, ''])
  const answers = said.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const tools = answers.find(({ id }) => id === 2)?.result.tools ?? []
  assert.ok(tools.some(({ name }: { name: string }) => name === 'svc_run_workflow'))
})

test('a process that is asked to end while it waits exits silently', async (t) => {
  const { env } = await openSetting(t, { EMBEDDED_OPTIONS: 'delayMs=60000', SHUTDOWN_SECONDS: '0' })
  const { child, said } = begin(['image', 'a cat'], { env })
  await until(
    () => said.stderr.includes('RUNNING'),
    () => said.stderr,
  )
  child.kill('SIGTERM')
  const [code, signal] = await once(child, 'exit')
  assert.deepEqual([code, signal], [null, 'SIGTERM'])
})
