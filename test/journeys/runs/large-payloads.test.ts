// Values of a run that are too long for a row, from submission to webhook.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { ownMigrations } from '../../support/migrated.ts'
import { P, startServer } from '../../support/server.ts'
import { addWorkflow, ended, graph, started } from './setting.ts'

const long = 'long '.repeat(40_000)

/** Echoes bodies at `/echo`, refuses `/gate` until it is opened, and records calls of `/hook`. */
async function startHost() {
  const told: string[] = []
  const asked = new Map<string, number>()
  const gate = { isOpen: false }
  const host = createServer((request, response) => {
    const path = request.url ?? ''
    asked.set(path, (asked.get(path) ?? 0) + 1)
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      if (path === '/hook') told.push(body)
      const isShut = path === '/gate' && !gate.isOpen
      response.writeHead(isShut ? 500 : 200, { 'content-type': 'text/plain' })
      response.end(path === '/echo' ? JSON.parse(body).text : 'ok')
    })
  })
  host.listen(0, '127.0.0.1')
  await once(host, 'listening')
  return {
    url: `http://127.0.0.1:${(host.address() as AddressInfo).port}`,
    told,
    asked,
    gate,
    async [Symbol.asyncDispose]() {
      host.close()
    },
  }
}

for (const { name, open } of databases) {
  describe(name, () => {
    test('long inputs, results and outputs are read, replayed and sent to webhooks like short ones', async () => {
      await using host = await startHost()
      await using database =
        name === 'postgres' ? await open({ migrations: ownMigrations }) : undefined
      const location = database?.location
      await using server = await startServer({
        OUTBOUND_ALLOW: '127.0.0.1/32',
        ...(location && 'url' in location ? { DATABASE_URL: location.url } : {}),
      })
      const post = { method: 'POST', failOnHttpError: true }
      const workflowId = await addWorkflow(
        server,
        graph(
          [
            { id: 'in', type: 'input.json' },
            { id: 'echo', type: 'http.request', data: { ...post, url: `${host.url}/echo` } },
            { id: 'gate', type: 'http.request', data: { ...post, url: `${host.url}/gate` } },
            { id: 'out', type: 'output' },
          ],
          ['in -> echo.body', 'echo.body -> gate.body', 'echo.body -> out'],
        ),
      )
      const inputs = { in: { text: long } }
      const callbackUrl = `${host.url}/hook`
      const failed = await ended(server, await started(server, workflowId, { inputs, callbackUrl }))
      assert.equal(failed.status, 'FAILED')

      const node = await server.call(`${P}/workflow-runs/${failed.runId}/nodes/echo`)
      assert.equal(node.body.data.inputs.body.text, long)
      assert.equal(node.body.data.outputs.body, long)

      host.gate.isOpen = true
      const again = await server.call({
        method: 'POST',
        path: `${P}/workflow-runs/${failed.runId}/retry`,
        headers: { 'idempotency-key': randomUUID() },
      })
      const { runId } = again.body.data
      const run = await ended(server, runId)
      assert.equal(run.status, 'COMPLETED', JSON.stringify(run.nodeErrors))
      assert.equal(run.outputs.out, long)
      assert.equal(host.asked.get('/echo'), 1)

      while (host.told.length < 2) await new Promise((resolve) => setTimeout(resolve, 10))
      const event = host.told
        .map((body) => JSON.parse(body))
        .find(({ data }) => data.runId === runId)
      assert.equal(event.data.truncated, true)
      assert.equal(event.data.outputs, undefined)
    })
  })
}
