import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { root } from '../../../scripts/install.mjs'
import { oldestNode } from '../../contract/client/installed-nodes.ts'
import { createPauses } from '../../support/pauses.ts'
import { type InstalledProject, installPackage } from './installed-project.ts'

const run = promisify(execFile)
/** As on a machine that has npm and an older Node. */
const env = {
  PATH: [dirname(oldestNode()), '/usr/bin', '/bin'].join(delimiter),
  HOME: process.env.HOME,
}

/** Half a minute where nothing else runs; a machine may also be busy. */
const patient = { timeout: 900_000 }

let project: InstalledProject
let server: ChildProcess
let url = ''
let ownerKey = ''
before(async () => {
  project = await installPackage()
  server = spawn('npx', ['atelier', 'start'], {
    cwd: project.folder,
    env: { ...env, PORT: '0', DRAIN_SECONDS: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  server.stdout?.resume()
  const said: string[] = []
  for await (const line of createInterface({ input: server.stderr ?? process.stdin })) {
    said.push(line)
    url ||= /ready at (\S+)/.exec(line)?.[1] ?? ''
    const path = /Your API key +(\S+)/.exec(line)?.[1]
    if (!path) continue
    ownerKey = readFileSync(path, 'utf8').trim()
    break
  }
  assert.notEqual(ownerKey, '', said.join('\n'))
  server.stderr?.resume()
}, patient)
after(async () => {
  // Its own group: npx and a shell may stand between us and the server.
  if (server?.pid && server.exitCode === null) {
    const ended = new Promise((resolve) => server.once('close', resolve))
    process.kill(-server.pid, 'SIGTERM')
    await ended
  }
  await project?.[Symbol.asyncDispose]()
})

/** What npx finds. It takes half a second by itself, so it starts the server and helps, no more. */
const atelier = (words: string[], more: Record<string, string> = {}) =>
  run(join(project.folder, 'node_modules/.bin/atelier'), words, {
    cwd: project.folder,
    env: { ...env, ...more },
  })

test('the package holds compiled code, types, notices and no test or source', () => {
  const { packed } = project
  for (const path of ['lib/main.js', 'lib/main.d.ts', 'dist/client/client.d.ts', 'LICENSE'])
    assert.ok(packed.includes(path), path)
  for (const path of ['dist/bom.cdx.json', 'dist/third-party-notices.md', 'lib/console/index.html'])
    assert.ok(packed.includes(path), path)
  const unwanted = /^(test|scripts|src|bench|console)\/|\.test\.|(?<!\.d)\.m?tsx?$/
  assert.deepEqual(
    packed.filter((path) => unwanted.test(path)),
    [],
  )
})

test('the package holds what its README links to', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = '']) => path)
  assert.ok(links.length > 20)
  const isPacked = (link: string) =>
    project.packed.some((path) => path === link || path.startsWith(`${link}/`))
  assert.deepEqual(
    links.filter((link) => !isPacked(link)),
    [],
  )
})

test('an installed server serves the API and the console, with data beside the project', async () => {
  const models = await fetch(`${url}/api/ai-tools/v1/models`, {
    headers: { authorization: `Bearer ${ownerKey}` },
  })
  assert.equal(models.status, 200)
  const page = async () => (await fetch(`${url}/console/`)).text()
  const pause = createPauses()
  // A busy machine is ready to answer before it has read the console.
  while (/preparing its console/.test(await page())) await pause()
  assert.match(await page(), /<script/)
  assert.equal(readFileSync(join(project.folder, 'data/owner.key'), 'utf8').trim(), ownerKey)
})

test('expressions, drawings and token counts work from compiled files', async () => {
  const { stdout } = await atelier(['image', 'a lighthouse', '--out', 'a.png', '--json'], {
    ATELIER_URL: url,
  })
  assert.match(stdout, /a\.png|COMPLETED/)
  const data = {
    nodes: [
      { id: 'in', type: 'input.text', data: {} },
      { id: 'up', type: 'json.transform', data: { expression: '$uppercase($)' } },
      { id: 'ask', type: 'text.generate', data: { model: 'demo-text' } },
      { id: 'out', type: 'output', data: {} },
      { id: 'said', type: 'output', data: {} },
    ],
    connections: [
      { source: 'in', target: 'up', targetHandle: 'input' },
      { source: 'up', target: 'out' },
      { source: 'in', target: 'ask', targetHandle: 'prompt' },
      { source: 'ask', target: 'said' },
    ],
  }
  writeFileSync(join(project.folder, 'flow.json'), JSON.stringify({ name: 'Upper', data }))
  await atelier(['workflow', 'push', 'flow.json'], { ATELIER_URL: url })
  const ran = await atelier(['run', '1', '--input', 'in=hello', '--json'], {
    ATELIER_URL: url,
  })
  assert.match(ran.stdout, /HELLO/)
  const estimate = await atelier(['workflow', 'estimate', '1', '--input', 'in=hello'], {
    ATELIER_URL: url,
  })
  assert.match(estimate.stdout, /\$0/)
})

test('the installed command line helps, and speaks MCP', async () => {
  const { stdout } = await run('npx', ['atelier', '--help'], { cwd: project.folder, env })
  assert.match(stdout, /^ +start\b/m)
  const mcp = spawn('npx', ['atelier', 'mcp'], {
    cwd: project.folder,
    env: { ...env, ATELIER_URL: url },
  })
  const clientInfo = { name: 'test', version: '1' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  const asked = [
    { jsonrpc: '2.0', id: 1, method: 'initialize', params },
    { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} },
  ]
  mcp.stdin.end(asked.map((message) => `${JSON.stringify(message)}\n`).join(''))
  let said = ''
  for await (const chunk of mcp.stdout) said += chunk
  assert.match(said, /svc_run_workflow/)
})

test('the installed command line makes a backup of the running server, and checks it', async () => {
  const copy = join(project.folder, 'copy')
  await atelier(['backup', copy])
  const { stdout } = await atelier(['restore', copy, '--check'])
  assert.match(stdout, /copy is whole/)
})

test('a strict TypeScript project imports the client, and an older Node runs it', async () => {
  const program = `import { createClient } from 'atelier/client'
const client = createClient({ baseUrl: ${JSON.stringify(url)}, apiKey: ${JSON.stringify(ownerKey)} })
const { items } = await client.models.list()
const ids: string[] = items.map((model) => model.id)
console.log(ids.join(' '))
`
  writeFileSync(join(project.folder, 'program.mts'), program)
  const flags = [
    '--strict',
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--types',
    '',
    '--singleThreaded',
  ]
  const args = [...flags, '--lib', 'es2022,dom', '--ignoreConfig', 'program.mts']
  const tsc = join(root, 'node_modules/.bin/tsc')
  await run(tsc, args, { cwd: project.folder }).catch((error) => assert.fail(error.stdout))
  const { stdout } = await run(oldestNode(), ['program.mjs'], { cwd: project.folder })
  assert.match(stdout, /demo-text/)
})

test('the image starts the installed server, and its health check tells the truth', async () => {
  const containerfile = readFileSync(join(root, 'Containerfile'), 'utf8')
  assert.match(containerfile, /^RUN node \/build\/deploy\/install-package\.mjs /m)
  assert.match(containerfile, /^USER 10001$/m)
  const listed = (form: RegExp): string[] => JSON.parse(form.exec(containerfile)?.[1] ?? '')
  const [node = '', script = ''] = listed(/^ENTRYPOINT (.*)$/m)
  const inProject = script.replace('/app', project.folder)
  const { stdout } = await run(join(project.folder, 'node_modules/.bin', node), [inProject, '-v'])
  assert.match(stdout, /^atelier \d/)
  const [, ...check] = listed(/^HEALTHCHECK .*\\\n +CMD (.*)$/m)
  const checkAt = (origin: string) =>
    run(
      process.execPath,
      check.map((word) => word.replace('http://127.0.0.1:8787', origin)),
    ).then(
      () => 'healthy',
      () => 'unhealthy',
    )
  assert.equal(await checkAt(url), 'healthy')
  assert.equal(await checkAt('http://127.0.0.1:1'), 'unhealthy')
})
