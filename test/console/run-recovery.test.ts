// A server that dies in the middle of a run someone watches, and comes back under its address.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildConsole } from '../../scripts/build-console.ts'
import { withBrowser } from '../support/browser.ts'
import { consolePath } from '../support/console.ts'
import { assertSound } from '../support/console-browser.ts'
import { P } from '../support/server.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'

test('a page that watches a run outlives the server, and shows how it went on', async (t) => {
  await buildConsole()
  // Never answers the first request; the server that is started again gets an answer.
  let asked = 0
  const outside = createServer((_, response) => {
    asked += 1
    if (asked > 1) response.end('high water at noon')
  })
  const outsidePort = await listen(outside)
  t.after(() => outside.close())
  const dataDir = await mkdtemp(join(tmpdir(), 'atelier-recovery-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const env = {
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    CONSOLE: 'on',
    SIGN_UP: 'open',
    LEASE_SECONDS: '2',
    OUTBOUND_ALLOW: '127.0.0.1/32',
  }
  let server = await startServerProcess(env)
  t.after(() => server.kill())
  const session = await signUp(server)
  const workflowId = await addWorkflow(server, session, `http://127.0.0.1:${outsidePort}/`)
  await withBrowser(async (browser) => {
    const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' })
    await context.addCookies([{ name: 'session', value: session, url: server.url }])
    const page = await context.newPage()
    page.setDefaultTimeout(120_000)
    await page.goto(`${server.url}/console/workflows/${workflowId}`)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    const panel = page.getByRole('complementary', { name: 'Run', exact: true })
    await panel
      .locator('input[type=file]')
      .setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: dot })
    await panel.getByRole('img', { name: 'Picture' }).waitFor()
    await panel.getByRole('button', { name: 'Run', exact: true }).click()
    await panel.getByRole('link', { name: 'Details' }).click()
    await page.waitForURL(/\/runs\/[0-9a-f-]+/)
    const row = (name: RegExp) =>
      page.getByRole('list', { name: 'Nodes by time' }).getByRole('button', { name })
    await row(/^Ask.*Running/).waitFor()
    // Which nodes are done is stored a little later than that a call has begun.
    await row(/^Picture.*Completed/).waitFor()

    await server.kill()
    await page.getByText('The server could not be reached.').first().waitFor()
    await row(/^Picture.*Completed/).waitFor()
    await assertSound(page)

    server = await startServerProcess(env)
    await row(/^Ask.*Completed/).waitFor({ timeout: 90_000 })
    await page.getByRole('main').locator('dl').getByText('Completed', { exact: true }).waitFor()
    await page.getByRole('region', { name: 'Kept' }).getByRole('img').waitFor()
    await page.getByText('high water at noon').first().waitFor()
    assert.equal(asked, 2)
    await page.getByText('The server could not be reached.').waitFor({ state: 'detached' })
  })
})

async function signUp(server: ServerProcess): Promise<string> {
  const answer = await server.call({
    method: 'POST',
    path: `${consolePath}/sign-up`,
    key: null,
    headers: { origin: server.url },
    json: { email: 'watcher@example.com', password: 'a long enough password' },
  })
  assert.equal(answer.status, 200, answer.text)
  return /session=([^;]+)/.exec(String(answer.headers['set-cookie']))?.[1] ?? ''
}

async function addWorkflow(server: ServerProcess, session: string, url: string) {
  const token = await server.call({
    method: 'POST',
    path: `${consolePath}/tokens`,
    key: null,
    headers: { origin: server.url, cookie: `session=${session}` },
    json: {},
  })
  assert.equal(token.status, 200, token.text)
  const step = (id: string, type: string, x: number, data: object) => ({
    id,
    type,
    position: { x, y: 0 },
    data,
  })
  const answer = await server.call({
    method: 'POST',
    path: `${P}/workflows`,
    key: token.body.data.accessToken,
    json: {
      name: 'Two steps',
      data: {
        nodes: [
          step('picture', 'input.image', 0, { label: 'Picture' }),
          step('ask', 'http.request', 320, { label: 'Ask', url, timeoutMs: 30_000 }),
          step('answer', 'output', 640, { label: 'Answer' }),
          step('kept', 'output', 960, { label: 'Kept' }),
        ],
        connections: [
          { source: 'ask', target: 'answer' },
          { source: 'picture', target: 'kept' },
        ],
      },
    },
  })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data.id as number
}

/** A picture of one point. */
const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

async function freePort(): Promise<number> {
  const probe = createServer()
  const port = await listen(probe)
  probe.close()
  await once(probe, 'close')
  return port
}
