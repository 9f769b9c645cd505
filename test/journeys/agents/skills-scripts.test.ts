import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { unzipSync } from 'fflate'
import { request } from 'undici'
import { P, startServer, type TestServer } from '../../support/server.ts'
import { addWorkflow, graph } from '../runs/setting.ts'

let server: TestServer
let folder: string
before(async () => {
  server = await startServer()
  folder = await mkdtemp(join(tmpdir(), 'atelier-scripts-'))
  const answer = await request(`${server.url}${P}/skills.zip`)
  const files = unzipSync(new Uint8Array(await answer.body.arrayBuffer()))
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
})
after(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

type Ended = { code: number | null; out: string; err: string }

function run(script: string, args: string[], env: Record<string, string> = {}): Promise<Ended> {
  const child = spawn(process.execPath, [join(folder, script), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ATELIER_API_KEY: server.ownerKey, ...env },
  })
  const ended = { out: '', err: '' }
  child.stdout.on('data', (part) => (ended.out += part))
  child.stderr.on('data', (part) => (ended.err += part))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...ended })))
}

/** A proxy that once cuts the connection after the server has answered. */
async function cutOnce(method: string): Promise<{ url: string; close(): Promise<void> }> {
  let isCut = false
  const proxy: Server = createServer(async (incoming, outgoing) => {
    const { host: _, connection: __, ...headers } = incoming.headers
    const answer = await request(server.url + incoming.url, {
      method: incoming.method as 'GET',
      headers,
      body: incoming.method === 'GET' ? null : Buffer.concat(await incoming.toArray()),
    })
    const bytes = await answer.body.arrayBuffer()
    if (!isCut && incoming.method === method) {
      isCut = true
      outgoing.destroy()
      return
    }
    outgoing.writeHead(answer.statusCode, { 'content-type': 'application/json' })
    outgoing.end(Buffer.from(bytes))
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  const close = () =>
    new Promise<void>((resolve) => {
      proxy.close(() => resolve())
      proxy.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${port}`, close }
}

const total = async (path: string) => (await server.call(`${P}${path}`)).body.data.total

describe('scripts/run-workflow.mjs', () => {
  const script = 'service-workflows/scripts/run-workflow.mjs'
  const echo = graph(
    [
      { id: 'word', type: 'input.text' },
      { id: 'out', type: 'output' },
    ],
    ['word -> out'],
  )

  test('runs a workflow to its end and prints the run', async () => {
    const id = await addWorkflow(server, echo)
    const { code, out, err } = await run(script, [String(id), '--inputs', '{"word":"tea"}'])
    assert.equal(code, 0, err)
    const printed = JSON.parse(out)
    assert.deepEqual([printed.status, printed.outputs], ['COMPLETED', { out: 'tea' }])
    assert.match(err, /^key: \S+$/m)
  })

  test('with the same key gives the same run, also after a cut line', async () => {
    const id = await addWorkflow(server, echo)
    const args = [String(id), '--inputs', '{"word":"tea"}', '--key', 'order 1841']
    const proxy = await cutOnce('POST')
    try {
      const first = await run(script, args, { ATELIER_URL: proxy.url })
      const second = await run(script, args)
      assert.deepEqual([first.code, second.code], [0, 0], first.err + second.err)
      assert.equal(JSON.parse(first.out).runId, JSON.parse(second.out).runId)
      assert.equal(await total(`/workflows/${id}/runs`), 1)
    } finally {
      await proxy.close()
    }
  })

  test('reports what is wrong with refused inputs', async () => {
    const id = await addWorkflow(server, echo)
    const { code, err } = await run(script, [String(id), '--inputs', '{"wrod":"tea"}'])
    assert.equal(code, 2)
    assert.match(err, /422 INPUT_INVALID[\s\S]*\/inputs\/word/)
  })

  test('exits with 1 if the run fails, and prints the node errors', async () => {
    const failing = graph(
      [
        { id: 'word', type: 'input.text' },
        { id: 'bad', type: 'json.transform', data: { expression: '$error("no")' } },
        { id: 'out', type: 'output' },
      ],
      ['word -> bad', 'bad -> out'],
    )
    const id = await addWorkflow(server, failing)
    const { code, out, err } = await run(script, [String(id), '--inputs', '{"word":"tea"}'])
    assert.equal(code, 1, err)
    assert.equal(JSON.parse(out).nodeErrors[0].nodeId, 'bad')
  })

  test('asks for a key if there is none, and never accepts one as an argument', async () => {
    const { code, err } = await run(script, ['1'], { ATELIER_API_KEY: '' })
    assert.equal(code, 2)
    assert.match(err, /ATELIER_API_KEY/)
    assert.equal((await run(script, ['1', '--api-key', 'sk_x'])).code, 2)
  })
})

describe('scripts/generate.mjs', () => {
  const script = 'service-generation/scripts/generate.mjs'
  const args = ['image', '--model', 'demo-image', '--prompt']

  test('makes a picture and prints the task', async () => {
    const { code, out, err } = await run(script, [
      ...args,
      'a red kite',
      '--imageAspectRatio',
      '16:9',
    ])
    assert.equal(code, 0, err)
    const task = JSON.parse(out)
    assert.equal(task.status, 'COMPLETED')
    const { width, height } = task.imageContent[0]
    assert.ok(width > height)
    const again = await run(script, ['--task', task.taskId])
    assert.equal(JSON.parse(again.out).taskId, task.taskId)
  })

  test('finds the task after a cut line, and submits nothing twice', async () => {
    const before = await total('/tasks')
    const prompt = `a blue heron ${'standing in the reeds '.repeat(20)}`
    const proxy = await cutOnce('POST')
    try {
      const { code, out, err } = await run(script, [...args, prompt], { ATELIER_URL: proxy.url })
      assert.equal(code, 0, err)
      assert.match(err, /not submitted again/)
      assert.equal(JSON.parse(out).promptPreview, prompt.slice(0, 200))
      assert.equal(await total('/tasks'), before + 1)
    } finally {
      await proxy.close()
    }
  })

  test('tells why a submission is refused', async () => {
    const { code, err } = await run(script, ['image', '--model', 'unheard-of', '--prompt', 'x'])
    assert.equal(code, 2)
    assert.match(err, /400 MODEL_NOT_FOUND/)
  })
})
