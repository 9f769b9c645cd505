// One server on each database, and a local host that its nodes may call.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { databases } from '../../support/databases.ts'
import { ownMigrations } from '../../support/migrated.ts'
import { type Body, P, startServer, type TestServer } from '../../support/server.ts'
import { addWorkflow, ended, type GraphNode, graph, run, started } from './setting.ts'

export type NodeBench = {
  readonly server: TestServer
  /** The host: `/fails`, `/busy/<Retry-After>/<name>` (the first time), `/moved`, `/large`, `/deep`, `/never`, `/picture.png`, or an echo as JSON. */
  readonly url: string
  readonly picture: Buffer
  /** Runs the graph, and checks what holds for every completed run. */
  completed(data: object, inputs?: object): Promise<Body>
}

export function onEachDatabase(suite: (bench: NodeBench) => void) {
  for (const { name, open } of databases) {
    describe(name, () => {
      const closing = new AsyncDisposableStack()
      // Filled in `before`, which runs ahead of all tests.
      const bench = {} as { -readonly [K in keyof NodeBench]: NodeBench[K] }
      before(async () => {
        const host = createHost(() => bench.picture)
        closing.defer(() => void host.close())
        await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
        bench.url = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
        const opened =
          name === 'postgres' ? closing.use(await open({ migrations: ownMigrations })) : undefined
        bench.server = closing.use(
          await startServer({
            OUTBOUND_ALLOW: '127.0.0.1/32',
            ...(opened && 'url' in opened.location ? { DATABASE_URL: opened.location.url } : {}),
          }),
        )
        bench.picture = await drawPicture(bench.server)
        bench.completed = (data, inputs = {}) => completed(bench.server, data, inputs)
      })
      after(() => closing.disposeAsync())
      suite(bench)
    })
  }
}

function createHost(picture: () => Buffer) {
  const wasBusy = new Set<string>()
  return createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const { pathname, search } = new URL(request.url ?? '/', 'http://x')
      const [, busy, pause] = pathname.split('/')
      if (busy === 'busy' && pause !== undefined && !wasBusy.has(pathname)) {
        wasBusy.add(pathname)
        return response.writeHead(503, { 'retry-after': pause }).end('busy')
      }
      if (pathname === '/fails') return response.writeHead(500).end('no')
      if (pathname === '/moved') return response.writeHead(302, { location: '/echo' }).end()
      if (pathname === '/large') return response.end(Buffer.alloc(6 * 1024 * 1024, 'x'))
      if (pathname === '/never') return
      if (pathname === '/deep') {
        response.setHeader('content-type', 'application/json')
        return response.end('['.repeat(9_000) + ']'.repeat(9_000))
      }
      if (pathname === '/picture.png') return response.end(picture())
      response.setHeader('content-type', 'application/json')
      const { method, headers } = request
      response.end(
        JSON.stringify({ method, path: pathname + search, token: headers['x-token'], body }),
      )
    })
  })
}

async function drawPicture(server: TestServer): Promise<Buffer> {
  const made = await run(
    server,
    graph([{ id: 'i', type: 'image.generate', data: { model: 'demo-image', prompt: 'a door' } }]),
  )
  return Buffer.from(await (await fetch(made.outputs.i.image.url)).arrayBuffer())
}

const ajv = new Ajv2020({ strict: false })
ajvFormats.default(ajv)

async function completed(server: TestServer, data: object, inputs: object): Promise<Body> {
  const workflowId = await addWorkflow(server, data)
  const result = await ended(server, await started(server, workflowId, { inputs }))
  assert.equal(result.status, 'COMPLETED', JSON.stringify(result.nodeErrors))
  const { body } = await server.call(`${P}/workflows/${workflowId}/schema`)
  assert.ok(ajv.validate(body.data.outputSchema, result.outputs), JSON.stringify(ajv.errors))
  return result
}

export const out = { id: 'out', type: 'output' }

/** One node fed by an input of JSON; its named port is the output. */
export const single = (node: GraphNode, from: string, to: string) =>
  graph([{ id: 'in', type: 'input.json' }, node, out], [`in -> ${to}`, `${from} -> out`])
