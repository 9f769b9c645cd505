import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { addWorkflow, graph, started, until } from '../../journeys/runs/setting.ts'
import { consolePath } from '../../support/console.ts'
import {
  assertSound,
  type ConsoleTest,
  owner,
  screenshot,
  startConsole,
} from '../../support/console-browser.ts'
import { P } from '../../support/server.ts'
import { graphArea, port, reach } from '../canvas-page.ts'

/** A provider that asks everybody to wait for a minute. */
const busy = createServer((_, response) => {
  response.writeHead(429, { 'retry-after': '60' }).end('{"error":{"message":"Slow down"}}')
})
const folder = mkdtempSync(join(tmpdir(), 'atelier-live-'))

let app: ConsoleTest
before(async () => {
  await once(busy.listen(0, '127.0.0.1'), 'listening')
  const baseUrl = `http://127.0.0.1:${(busy.address() as AddressInfo).port}/v1`
  const capabilities = { inputModalities: ['text'], maxOutputTokens: 1000 }
  const models = [{ id: 'busy-text', name: 'Busy', provider: 'busy', kind: 'TEXT', capabilities }]
  const limits = [{ provider: 'busy', concurrency: 8, requestsPerMinute: 600 }]
  const path = join(folder, 'models.json')
  const endpoints = [{ name: 'busy', baseUrl }]
  writeFileSync(path, JSON.stringify({ endpoints, models, limits }))
  app = await startConsole({ TRUSTED_PROXIES: '127.0.0.1/32', MODELS_FILE: path })
})
after(async () => {
  await app[Symbol.asyncDispose]()
  busy.close()
  rmSync(folder, { recursive: true, force: true })
})

const approval = graph(
  [
    { id: 'text', type: 'input.text' },
    { id: 'ask', type: 'wait.approval', data: { title: 'Send it?' } },
    { id: 'out', type: 'output' },
  ],
  ['text -> ask.value', 'ask.approved -> out'],
)

test('the live page shows what waits, by workflow, as it comes and goes', async () => {
  await app.open('/runs', async (page) => {
    await page.getByRole('link', { name: 'Live' }).click()
    await page.getByRole('heading', { name: 'Nothing is running.' }).waitFor()
    await assertSound(page)
    await screenshot(page, 'live-empty')
    const workflowId = await addWorkflow(app.server, approval, 'Weekly letter')
    const runId = await started(app.server, workflowId, { inputs: { text: 'Dear readers' } })
    await until(app.server, runId, ({ nodes }) => nodes[1].status === 'WAITING')
    // It runs for a moment before it sleeps, and the page may show that first.
    const row = page.getByRole('row').filter({ hasText: /^Weekly letter0010/ })
    await row.waitFor()
    await assertSound(page)
    await screenshot(page, 'live')
    await row.getByRole('link').click()
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
    await page.getByRole('link', { name: /Weekly letter/ }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('l')
    await page.getByRole('heading', { name: 'Live', level: 1 }).waitFor()
  })
})

test('the live page shows the limits of a provider key, who waits for it, and until when', async () => {
  const write = { id: 'write', type: 'text.generate', data: { model: 'busy-text', prompt: 'x' } }
  await app.open('/runs/live', async (page) => {
    const row = page.getByRole('row').filter({ hasText: /^busy/ })
    await row.filter({ hasText: /^busy0 of 8600 requests0$/ }).waitFor()
    const workflowId = await addWorkflow(app.server, graph([write]), 'Patience')
    const runId = await started(app.server, workflowId)
    await row
      .filter({
        hasText: /^busybusy-text paused until \d\d:\d\d.*: the provider asked to wait0 of 8/,
      })
      .filter({ hasText: /600 requests1(just now|.* ago)$/ })
      .waitFor()
    await assertSound(page)
    await screenshot(page, 'live-lanes')
    await app.server.call({ method: 'POST', path: `${P}/workflow-runs/${runId}/cancel` })
    await row.filter({ hasText: /600 requests0$/ }).waitFor()
  })
})

test('the bell tells of a sign-in from a new place, and remembers that it was read', async () => {
  const signIn = (address: string) =>
    app.server.call({
      method: 'POST',
      path: `${consolePath}/sign-in`,
      key: null,
      headers: { origin: app.server.url, 'x-forwarded-for': address },
      json: owner,
    })
  await signIn('198.51.100.7')
  await app.open('/runs', async (page) => {
    await page.getByRole('button', { name: /^Notices, \d unread$/ }).click()
    await page.getByText('You signed in from a new place: 198.51.100.7').waitFor()
    await page.getByRole('link', { name: '1 waits for you' }).waitFor()
    await assertSound(page)
    await screenshot(page, 'notices')
    await page.getByRole('button', { name: 'Mark all as read' }).click()
    await page.getByRole('button', { name: 'Notices', exact: true }).waitFor()
    await page.reload()
    const bell = page.getByRole('button', { name: 'Notices', exact: true })
    await bell.click()
    await page.getByText('You signed in from a new place: 198.51.100.7').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('You signed in from a new place').waitFor({ state: 'detached' })
    assert.equal(await bell.evaluate((element) => element === document.activeElement), true)
  })
})

/** Drags a node of the list onto the middle of the wire from the subject. */
async function dropOnWire(page: Page, label: string) {
  const from = await reach(page, 'subject', 'value')
  const to = await port(page, 'draw', 'prompt').boundingBox()
  const area = await graphArea(page).boundingBox()
  assert.ok(to && area)
  const middle = { x: (from.x + to.x + to.width / 2) / 2, y: (from.y + to.y + to.height / 2) / 2 }
  const list = page.getByRole('complementary', { name: 'Node types' })
  await list.getByRole('button', { name: label, exact: true }).dragTo(graphArea(page), {
    targetPosition: { x: middle.x - area.x, y: middle.y - area.y },
  })
}

test('the tour leads from a built graph to a call from a terminal, and its samples go with one click', async () => {
  await app.open('/', async (page) => {
    await page.getByRole('button', { name: 'Take the tour' }).click()
    const tour = page.getByRole('complementary', { name: 'Tour' })
    const isAt = (title: string) =>
      tour.locator('[aria-current=step]').filter({ hasText: title }).waitFor()
    await isAt('Build')
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor()
    await assertSound(page)
    await screenshot(page, 'tour')
    const workflowId = Number(/workflows\/(\d+)/.exec(page.url())?.[1])
    const path = `/api/ai-tools/v1/workflows/${workflowId}`
    // The step is to build: a node of the list is dragged onto a wire.
    await tour.getByRole('button', { name: 'Show me' }).click()
    await page.waitForFunction('document.activeElement?.textContent.trim() === "Template"')
    await dropOnWire(page, 'Template')
    await page.getByLabel('Template', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await isAt('Run')
    const { connections } = (await app.server.call({ path })).body.data.data
    assert.deepEqual(
      connections.map((wire: { source: string; target: string }) => [wire.source, wire.target]),
      [
        ['draw', 'picture'],
        ['subject', 'template'],
        ['template', 'draw'],
      ],
    )
    await tour.getByRole('button', { name: 'Show me' }).click()
    await page.waitForFunction('document.activeElement?.textContent.trim() === "Run"')
    await tour.getByRole('button', { name: 'Leave' }).click()
    await tour.waitFor({ state: 'detached' })
    const runId = await started(app.server, workflowId, { inputs: { subject: 'a boat' } })
    await until(app.server, runId, ({ completedAt }) => completedAt !== null)
    // It is resumed where it was left, also after a reload.
    await page.goto(`${app.server.url}/console/`)
    await page.getByRole('button', { name: 'Resume the tour' }).click()
    await isAt('See the cost')
    await tour.getByRole('button', { name: 'Show me' }).click()
    await page.waitForURL(`**/runs/${runId}`)
    await isAt('Make a key')
    await tour.getByRole('button', { name: 'Show me' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Terminal')
    await page.getByRole('button', { name: 'Create key' }).click()
    const shown = page.getByRole('dialog', { name: /is ready/ })
    const key = (await shown.getByText(/^sk_\w{38}$/).textContent()) ?? ''
    await shown.getByRole('button', { name: 'I have saved it' }).click()
    await isAt('Call it from a terminal')
    await tour.getByText('Idempotency-Key').waitFor()
    await assertSound(page)
    await screenshot(page, 'tour-call')
    const json = { inputs: { subject: 'a harbour' } }
    const headers = { 'idempotency-key': 'tour' }
    await app.server.call({ method: 'POST', path: `${path}/runs`, key, headers, json })
    await tour.getByText('That is all.').waitFor()
    await tour.getByRole('button', { name: 'Remove sample data' }).click()
    await page.waitForURL('**/workflows')
    assert.equal((await app.server.call({ path })).status, 404)
    await tour.waitFor({ state: 'detached' })
  })
})
