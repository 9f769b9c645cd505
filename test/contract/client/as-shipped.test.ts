import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { buildClient } from '../../../scripts/build-client.ts'
import { withBrowser } from '../../support/browser.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { oldestNode } from './installed-nodes.ts'

const shipped = fileURLToPath(new URL('../../../dist/client/', import.meta.url))

let page: AsyncDisposable & { origin: string }
let server: TestServer
before(async () => {
  buildClient()
  page = await servePage()
  server = await startServer({ ALLOWED_ORIGINS: page.origin })
})
after(async () => {
  await server.stop()
  await page[Symbol.asyncDispose]()
})

/** Another origin than the server's: a page and the shipped files. */
async function servePage() {
  const site = createServer(async (request, response) => {
    const name = basename(request.url ?? '')
    if (!name.endsWith('.js')) {
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<!doctype html><title>t</title>')
      return
    }
    const text = await readFile(join(shipped, name))
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(text)
  })
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  return {
    origin: `http://127.0.0.1:${(site.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      site.close()
      site.closeAllConnections()
    },
  }
}

/** The same plain JavaScript everywhere: what it prints is what is compared. */
const journey = (from: string, baseUrl: string, apiKey: string) => `
  const { AtelierError, createClient, verifyWebhook, WebhookError } = await import(${JSON.stringify(from)})
  const client = createClient(${JSON.stringify({ baseUrl, apiKey })})
  const { items } = await client.models.list()
  const data = {
    nodes: [{ id: 'in', type: 'input.text', data: {} }, { id: 'out', type: 'output', data: {} }],
    connections: [{ source: 'in', target: 'out' }],
  }
  const { id } = await client.workflows.create({ name: 'echo', data })
  const run = await client.runs.submitAndWait(id, { inputs: { in: 'Grüße' } })
  const missing = await client.runs.get('00000000-0000-4000-8000-000000000000').catch((e) => e)
  const headers = { 'webhook-id': 'a', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' }
  const forged = await verifyWebhook('{}', headers, 'whsec_AAAA', { nowMs: 1000 }).catch((e) => e)
  const stopped = await client.runs
    .wait(run.runId, { signal: AbortSignal.abort(new Error('stopped')) })
    .catch((e) => e)
  return JSON.stringify({
    models: items.length > 0,
    outputs: run.outputs,
    missing: [missing instanceof AtelierError, missing.code, typeof missing.requestId],
    forged: [forged instanceof WebhookError, forged.reason],
    stopped: stopped.message,
  })`

const expected = {
  models: true,
  outputs: { out: 'Grüße' },
  missing: [true, 'RUN_NOT_FOUND', 'string'],
  forged: [true, 'SIGNATURE'],
  stopped: 'stopped',
}

test('the shipped client runs as plain JavaScript on the oldest Node at hand', async () => {
  const url = pathToFileURL(join(shipped, 'client.js')).href
  const script = `console.log(await (async () => {${journey(url, server.url, server.ownerKey)}})())`
  const args = ['--input-type=module', '--eval', script]
  const { stdout, stderr } = await promisify(execFile)(oldestNode(), args, { timeout: 60_000 })
  assert.deepEqual(JSON.parse(stdout), expected)
  assert.equal(stderr, '')
})

test('the shipped client runs in a browser, on a page of an allowed origin', async () => {
  const said = await withBrowser(async (browser) => {
    const tab = await browser.newPage()
    await tab.goto(page.origin)
    const body = journey('/client.js', server.url, server.ownerKey)
    return tab.evaluate(`(async () => {${body}})()`)
  })
  assert.deepEqual(JSON.parse(String(said)), expected)
})

test('a redirect is refused in a browser too', async () => {
  const front = createServer((request, response) => {
    const cors = {
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'authorization',
    }
    if (request.method === 'OPTIONS') response.writeHead(204, cors).end()
    else response.writeHead(302, { ...cors, location: `${server.url}/healthz` }).end()
  }).listen(0, '127.0.0.1')
  await once(front, 'listening')
  const baseUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
  const code = await withBrowser(async (browser) => {
    const tab = await browser.newPage()
    await tab.goto(page.origin)
    return tab.evaluate(`import('/client.js').then(({ createClient }) =>
      createClient(${JSON.stringify({ baseUrl, apiKey: 'sk_x' })})
        .models.list().catch((error) => error.code))`)
  })
  front.close()
  front.closeAllConnections()
  assert.equal(code, 'REDIRECT_REFUSED')
})

test('what is shipped imports nothing but itself, and its types name only what is shipped', () => {
  const files = globSync('*.{js,d.ts}', { cwd: shipped })
  assert.ok(files.includes('client.js') && files.includes('client.d.ts'))
  for (const file of files) {
    const text = readFileSync(join(shipped, file), 'utf8')
    for (const [, target = ''] of text.matchAll(/(?:from|import\()\s*['"]([^'"]+)['"]/g)) {
      assert.match(target, /^\.\/[\w-]+\.js$/, file)
      assert.ok(files.includes(target.slice(2)), `${file}: ${target}`)
    }
  }
})
