import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import {
  assertSound,
  type ConsoleTest,
  screenshot,
  startConsole,
} from '../support/console-browser.ts'
import { P } from '../support/server.ts'
import { addWorkflow } from './canvas-page.ts'

let app: ConsoleTest
let folder: string
/** What `/send` answers; the answers to `/slow` wait until someone ends them. */
const outside = { status: 404, held: [] as ServerResponse[] }
const server = createServer((request, response) => {
  if (request.url === '/slow') outside.held.push(response)
  else response.writeHead(outside.status, { 'content-type': 'text/plain' }).end('so be it')
})
const address = (path: string) =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`

before(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  folder = await mkdtemp(join(tmpdir(), 'atelier-runs-'))
  const models = [
    { id: 'demo-image', pricing: { perImage: 0.04 } },
    { id: 'demo-text', pricing: { inputPerMillionTokens: 700, outputPerMillionTokens: 2_100 } },
  ]
  await writeFile(join(folder, 'models.json'), JSON.stringify({ models }))
  app = await startConsole({
    MODELS_FILE: join(folder, 'models.json'),
    OUTBOUND_ALLOW: '127.0.0.1/32',
  })
})
after(async () => {
  for (const response of outside.held) response.end()
  await app[Symbol.asyncDispose]()
  server.close()
  await rm(folder, { recursive: true, force: true })
})

const node = (id: string, type: string, at: [number, number], data: object = {}) => ({
  id,
  type,
  position: { x: at[0] * 320, y: at[1] * 160 },
  data,
})

const postcard = {
  nodes: [
    node('about', 'input.text', [0, 0], { label: 'About', minLength: 3 }),
    node('picture', 'input.image', [0, 1], { label: 'Picture' }),
    node('size', 'input.text', [0, 2], {
      label: 'Size',
      enum: ['small', 'large'],
      default: 'small',
    }),
    node('draw', 'image.generate', [1, 0], { label: 'Draw', model: 'demo-image' }),
    node('card', 'output', [2, 0], { label: 'Postcard' }),
  ],
  connections: [
    { source: 'about', target: 'draw', targetHandle: 'prompt' },
    { source: 'picture', target: 'draw', targetHandle: 'image' },
    { source: 'draw', target: 'card' },
  ],
}

test('a run with an upload: filled by hand, estimated, started once, shown, run again', async () => {
  const workflowId = await addWorkflow(app, 'Postcard', postcard)
  const file = await picture()
  await app.open(`/workflows/${workflowId}`, async (page) => {
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    const form = page.getByRole('complementary', { name: 'Run', exact: true })
    const run = form.getByRole('button', { name: 'Run', exact: true })
    await run.click()
    await form.getByText('Required.').nth(1).waitFor()
    await form.getByLabel('About').fill('ab')
    await form.getByText('At least 3 characters.').waitFor()
    await form.getByLabel('About').fill('A harbour at dawn')
    await form
      .locator('input[type=file]')
      .setInputFiles({ name: 'harbour.png', mimeType: 'image/png', buffer: file })
    await form.getByRole('img', { name: 'Picture' }).waitFor()
    await form.locator('strong', { hasText: '$0.04' }).waitFor()
    await assertSound(page)
    await looks(page, 'run-form')
    // As a double click does, and surely both before the page could change.
    await run.evaluate((button: HTMLElement) => [0, 1].map(() => button.click()))
    await form.getByRole('link', { name: 'Details' }).click()
    await page.waitForURL(/\/runs\/[0-9a-f-]+/)
    await status(page, 'Completed')
    const { body } = await app.server.call(`${P}/workflows/${workflowId}/runs`)
    assert.equal(body.data.total, 1)

    const outputs = page.getByRole('region', { name: 'Postcard' })
    await outputs.getByRole('img').waitFor()
    await page.getByRole('application', { name: 'Graph of the run' }).waitFor()
    await assertSound(page)
    await looks(page, 'run')

    const steps = await page.evaluate('history.length')
    await row(page, /^Draw/).click()
    await page.waitForURL(/node=draw/)
    const panel = page.getByRole('complementary', { name: 'Draw' })
    await panel.getByRole('tab', { name: 'Input' }).click()
    await panel.getByRole('region', { name: 'prompt' }).getByText('A harbour at dawn').waitFor()
    await panel.getByRole('tab', { name: /^Calls/ }).click()
    await panel.getByRole('region', { name: 'Provider calls' }).getByText('demo-image').waitFor()
    await panel.getByRole('tab', { name: 'Cost' }).click()
    await panel.getByText('Expected').waitFor()
    await assertSound(page)
    await looks(page, 'run-node')
    // By its button: Escape belongs to whatever is on top, which a tooltip may be.
    await panel.getByRole('button', { name: 'Close' }).click()
    await panel.waitFor({ state: 'detached' })
    assert.equal(await page.evaluate('history.length'), steps)

    const first = page.url()
    await page.getByRole('button', { name: 'Run again' }).click()
    const again = page.getByRole('dialog')
    await again.getByRole('img', { name: 'Picture' }).waitFor()
    assert.equal(await again.getByLabel('About').inputValue(), 'A harbour at dawn')
    await again.getByRole('button', { name: 'Run', exact: true }).click()
    await page.waitForURL((url) => url.href !== first && url.pathname.includes('/runs/'))
    await status(page, 'Completed')
  })
})

test('a picture for a run is dropped, taken from the gallery, and removed', async () => {
  const workflowId = await addWorkflow(app, 'Postcard by hand', postcard)
  const file = await picture()
  await app.open(`/workflows/${workflowId}`, async (page) => {
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    const form = page.getByRole('complementary', { name: 'Run', exact: true })
    const dropped = await page.evaluateHandle((base64) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
      const transfer = new DataTransfer()
      transfer.items.add(new File([bytes], 'harbour.png', { type: 'image/png' }))
      return transfer
    }, file.toString('base64'))
    const zone = form.getByRole('button', { name: /^Picture/ })
    await zone.dispatchEvent('drop', { dataTransfer: dropped })
    const shown = form.getByRole('img', { name: 'Picture' })
    await shown.waitFor()
    await form.getByRole('button', { name: 'Remove picture' }).click()
    await form.getByRole('button', { name: 'Gallery' }).click()
    const gallery = page.getByRole('dialog', { name: 'Choose an image' })
    await gallery.getByRole('button', { name: 'A harbour' }).first().waitFor()
    await assertSound(page)
    await gallery.getByRole('button', { name: 'A harbour' }).first().click()
    await shown.waitFor()
  })
})

/** A list of texts, sent on to an address that refuses them; and a workflow called beside it. */
async function addSending() {
  const inner = await addWorkflow(app, 'Shout', {
    nodes: [
      node('words', 'input.text', [0, 0]),
      node('loud', 'text.template', [1, 0], { label: 'Louder', template: '{{words}}!' }),
      node('said', 'output', [2, 0]),
    ],
    connections: [
      { source: 'words', target: 'loud', targetHandle: 'words' },
      { source: 'loud', target: 'said' },
    ],
  })
  const graph = {
    nodes: [
      node('topics', 'input.json', [0, 0], { label: 'Topics' }),
      node('write', 'flow.map', [1, 0], {
        label: 'Write each',
        apply: { type: 'text.generate', data: { model: 'demo-text', maxTokens: 40 } },
      }),
      node('shout', 'workflow.call', [1, 1], {
        label: 'Shout it',
        workflowId: inner,
        words: 'Hey',
      }),
      node('send', 'http.request', [2, 0], { label: 'Send', url: address('/send') }),
      node('sent', 'output', [3, 0], { label: 'Sent' }),
    ],
    connections: [
      { source: 'topics', target: 'write' },
      { source: 'write', target: 'send', targetHandle: 'vars' },
      { source: 'send', target: 'sent' },
    ],
  }
  const workflowId = await addWorkflow(app, 'Send it on', graph)
  return { workflowId, graph }
}

async function lookAtFailure(page: Page) {
  await page.getByRole('button', { name: 'Go to the failure' }).click()
  await page.waitForURL(/node=send/)
  const panel = page.getByRole('complementary', { name: 'Send' })
  await panel.getByRole('tab', { name: 'Error', selected: true }).waitFor()
  await panel.getByText(/404/).first().waitFor()
  await page.waitForFunction(isInView, 'run-node-send')
  await assertSound(page)
  await looks(page, 'run-failed')
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })

  await page.keyboard.press('F8')
  await panel.waitFor()
  await page.getByRole('application', { name: 'Graph of the run' }).focus()
  await page.keyboard.press('ArrowLeft')
  await page.waitForURL(/node=write/)
  const list = page.getByRole('complementary', { name: 'Write each' })
  await list.getByRole('tab', { name: 'Items' }).click()
  await list.getByRole('button', { name: 'Item 2' }).waitFor()
  await list.getByText(/^\d done$/).waitFor()
  await assertSound(page)
  await looks(page, 'run-items')
  await row(page, /^Write each/).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await panel.waitFor()
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Inside Write each' }).click()
  await row(page, /^Item 2/).click()
  const item = page.getByRole('complementary', { name: 'Item 2 of Write each' })
  await item.getByRole('tab', { name: 'Input' }).click()
  await item.getByText('gulls', { exact: true }).waitFor()
  await item.getByRole('tab', { name: /^Calls/ }).click()
  await item.getByRole('region', { name: 'Provider calls' }).getByText('demo-text').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Inside Shout it' }).click()
  await row(page, /^Louder/).waitFor()
  await assertSound(page)
}

test('a failure is found, retried with what was finished, and goes through', async () => {
  const { workflowId, graph } = await addSending()
  const runId = await startRun(workflowId, { topics: ['tides', 'gulls'] })
  await app.open(`/runs/${runId}`, async (page) => {
    await lookAtFailure(page)
    outside.status = 200
    const renamed = [...graph.nodes.slice(0, -1), node('sent', 'output', [3, 0], { label: 'Gone' })]
    const put = await app.server.call({
      method: 'PUT',
      path: `${P}/workflows/${workflowId}`,
      json: { name: 'Send it on', data: { ...graph, nodes: renamed } },
    })
    assert.equal(put.status, 200, put.text)
    await page.getByRole('button', { name: 'Retry' }).click()
    const dialog = page.getByRole('dialog')
    // Whoever changed the workflow since most likely means the change; here it is the other.
    await dialog.getByRole('radio', { name: 'The workflow as it is now', checked: true }).waitFor()
    await dialog.getByRole('radio', { name: 'The graph that ran' }).check()
    await dialog.getByText('2 calls, which cost').waitFor()
    await dialog.getByText('Send, Sent', { exact: true }).waitFor()
    await dialog.getByText('About $0.00').waitFor()
    await screenshot(page, 'retry-dialog')
    await assertSound(page)
    await dialog.getByRole('button', { name: 'Retry' }).click()
    await page.waitForURL((url) => !url.href.includes(runId))
    await status(page, 'Completed')
    await page.getByRole('link', { name: runId.slice(0, 8) }).waitFor()
    const retried = /runs\/([0-9a-f-]+)/.exec(page.url())?.[1]
    const { body } = await app.server.call(`${P}/workflow-runs/${retried}`)
    assert.equal(body.data.cost.amount, 0, 'what was paid for is not paid again')

    await page.getByRole('button', { name: 'Run again' }).click()
    await dialog.getByRole('textbox', { name: 'Topics' }).getByText('gulls').waitFor()
    await assertSound(page)
    await dialog.getByRole('textbox', { name: 'Topics' }).fill('["tides",')
    await dialog.getByRole('region', { name: 'Topics' }).getByText(/JSON/).waitFor()
  })
})

test('failed items of a list are counted where they are listed, and retried from there', async () => {
  const apply = { type: 'json.transform', data: { expression: '$number($)' } }
  const workflowId = await addWorkflow(app, 'Numbers', {
    nodes: [
      node('texts', 'input.json', [0, 0], { label: 'Texts' }),
      node('read', 'flow.map', [1, 0], { label: 'Read each', onItemError: 'skip', apply }),
      node('out', 'output', [2, 0]),
    ],
    connections: [
      { source: 'texts', target: 'read' },
      { source: 'read', target: 'out' },
    ],
  })
  const path = `${P}/workflows/${workflowId}/runs`
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const json = { inputs: { texts: ['1', 'two', '3'] } }
  const { body } = await app.server.call({ method: 'POST', path, headers, json })
  await app.open(`/runs/${body.data.runId}?node=read`, async (page) => {
    await page.getByText('Completed').first().waitFor()
    const list = page.getByRole('complementary', { name: 'Read each' })
    await list.getByRole('tab', { name: 'Items' }).click()
    await list.getByText('2 done, 1 failed').waitFor()
    await assertSound(page)
    await list.getByRole('button', { name: 'Retry failed' }).click()
    await page.getByRole('dialog', { name: 'Retry this run' }).waitFor()
  })
})

test('an unknown outcome says what it may cost, and leads to the call', async () => {
  const { workflowId } = await addSending()
  outside.status = 404
  const runId = await startRun(workflowId, { topics: ['tides'] })
  await app.open(`/runs/${runId}`, async (page) => {
    const unknown = 'PROVIDER_OUTCOME_UNKNOWN'
    await page.route('**/api/console/v1/runs/*/node*', async (route) => {
      const response = await route.fetch()
      const text = (await response.text()).replaceAll('HTTP_FAILED', unknown)
      await route.fulfill({ response, body: text })
    })
    await page.getByRole('button', { name: 'Go to the failure' }).click()
    await page.getByText(/may pay again\. Look at the call first/).waitFor()
    await assertSound(page)
    await page.getByRole('button', { name: 'Look at the call' }).click()
    await page.getByRole('tab', { name: /^Calls/, selected: true }).waitFor()
  })
})

test('a run of two hundred nodes is followed without rebuilding its graph', async () => {
  const many = Array.from({ length: 198 }, (_, i) =>
    node(`n${i}`, 'text.template', [i % 20, Math.floor(i / 20)], { template: `${i}` }),
  )
  const workflowId = await addWorkflow(app, 'Two hundred', {
    nodes: [
      ...many,
      node('ask', 'http.request', [0, 11], { label: 'Ask', url: address('/slow') }),
      node('answer', 'output', [1, 11]),
    ],
    connections: [{ source: 'ask', target: 'answer' }],
  })
  const runId = await startRun(workflowId, {})
  await app.open(`/runs/${runId}`, async (page) => {
    await row(page, /^Ask.*Running/).waitFor()
    const cards = page.locator('.react-flow .node-card')
    await cards.nth(199).waitFor({ state: 'attached' })
    assert.equal(await cards.count(), 200)
    await page.evaluate(`
      window.redrawn = new Set()
      new MutationObserver((changes) => {
        for (const { target } of changes) {
          const element = target.nodeType === 1 ? target : target.parentElement
          window.redrawn.add(element?.closest('.node-card')?.id ?? element?.className ?? '')
        }
      }).observe(document.querySelector('.react-flow__viewport').parentElement, {
        subtree: true, childList: true, attributes: true, characterData: true,
      })`)
    for (const response of outside.held) response.end('at last')
    await status(page, 'Completed')
    await page.locator('#run-node-answer').getByText('Completed').waitFor()
    assert.deepEqual(await page.evaluate('[...window.redrawn].sort()'), [
      'run-node-answer',
      'run-node-ask',
    ])
  })
})

test('a run is cancelled by hand, and the page says what that means', async () => {
  const workflowId = await addWorkflow(app, 'Waits', {
    nodes: [
      node('ask', 'http.request', [0, 0], { label: 'Ask', url: address('/slow') }),
      node('answer', 'output', [1, 0]),
    ],
    connections: [{ source: 'ask', target: 'answer' }],
  })
  const runId = await startRun(workflowId, {})
  await app.open(`/runs/${runId}`, async (page) => {
    await status(page, 'Running')
    await assertSound(page)
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('nothing more will be billed').waitFor()
    await dialog.getByLabel('Reason').fill('took too long')
    await assertSound(page)
    await dialog.getByRole('button', { name: 'Cancel the run' }).click()
    await dialog.waitFor({ state: 'detached' })
    await status(page, 'Cancelled')
    await page.getByText('took too long').waitFor()
  })
})

test('a workflow made from a template opens with its samples, and runs from the list', async () => {
  const { listTemplates } = await import('../../src/graph/templates/list-templates.ts')
  const template = listTemplates().find(({ id }) => id === 'webhook-enrichment')
  assert.ok(template)
  await addWorkflow(app, template.name, template.data)
  await app.open('/workflows', async (page) => {
    await page.getByRole('button', { name: `Run ${template.name}` }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Filled in with sample inputs.').waitFor()
    await dialog.getByRole('textbox', { name: 'Record' }).getByText('message').waitFor()
    await dialog.getByText('More', { exact: true }).click()
    await dialog.getByLabel('Cost limit').fill('-1')
    await dialog.getByText('Enter an amount from 0').waitFor()
    await dialog.getByLabel('Cost limit').fill('50')
    await assertSound(page)
    await dialog.getByRole('textbox', { name: 'Record' }).press('Control+Enter')
    await page.waitForURL(/\/runs\//)
    await status(page, 'Completed')
    await page.getByText(/, limit/).waitFor()
  })
  await app.open('/runs?status=FAILED', async (page) => {
    await page
      .getByRole('row', { name: /Send it on/ })
      .getByText(/404/)
      .first()
      .waitFor()
    await assertSound(page)
    await looks(page, 'runs')
  })
})

test('a run that does not exist is an error with words, not an empty page', () =>
  app.open('/runs/00000000-0000-7000-8000-000000000000', async (page) => {
    page.expected.push(/404/)
    await page.getByRole('alert').getByText('RUN_NOT_FOUND').waitFor()
    await assertSound(page)
  }))

/** The card stands whole in the graph, also once a panel has made that narrower. */
function isInView(id: string): boolean {
  const card = document.getElementById(id)
  const [own, all] = [card, card?.closest('.react-flow')].map((one) => one?.getBoundingClientRect())
  return own !== undefined && all !== undefined && own.left >= all.left && own.right <= all.right
}

const status = (page: Page, words: string) =>
  page.getByRole('main').locator('dl').getByText(words, { exact: true }).waitFor()

const row = (page: Page, name: RegExp) =>
  page.getByRole('list', { name: 'Nodes by time' }).getByRole('button', { name })

async function startRun(workflowId: number, inputs: object): Promise<string> {
  const answer = await app.server.call({
    method: 'POST',
    path: `${P}/workflows/${workflowId}/runs`,
    headers: { 'idempotency-key': `run-of-${workflowId}` },
    json: { inputs },
  })
  assert.equal(answer.status, 202, answer.text)
  return answer.body.data.runId
}

/** Drawn by the demo provider, so that the test carries no file. */
async function picture(): Promise<Buffer> {
  const { body } = await app.server.call({
    method: 'POST',
    path: `${P}/images/generations`,
    json: {
      model: 'demo-image',
      imageSampleSize: '512',
      messages: [{ role: 'user', content: 'A harbour' }],
    },
  })
  for (;;) {
    await pause(20)
    const task = (await app.server.call(`${P}/tasks/${body.taskId}`)).body.data
    assert.notEqual(task.status, 'FAILED')
    if (task.status !== 'COMPLETED') continue
    return Buffer.from(await (await fetch(task.imageContent[0].url)).arrayBuffer())
  }
}

/** For people to look at, where ATELIER_SCREENSHOTS names a folder. */
async function looks(page: Page, name: string): Promise<void> {
  if (!process.env.ATELIER_SCREENSHOTS) return
  const before = page.viewportSize()
  for (const width of [380, 1440])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      await screenshot(page, `${name}-${colorScheme}-${width}`)
    }
  await page.emulateMedia({ colorScheme: 'light' })
  if (before) await page.setViewportSize(before)
}
