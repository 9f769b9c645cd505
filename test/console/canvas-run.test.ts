import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { RunNode } from '#console/api/types.ts'
import { letterAndPictures } from '../../scripts/sample-content.ts'
import {
  assertAccessible,
  assertSound,
  type ConsoleTest,
  screenshot,
  startConsole,
} from '../support/console-browser.ts'
import { P } from '../support/server.ts'
import { addWorkflow, draftStored, graphArea } from './canvas-page.ts'

let app: ConsoleTest
let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atelier-canvas-run-'))
  const models = [
    { id: 'demo-image', pricing: { perImage: 0.04 } },
    { id: 'demo-text', pricing: { inputPerMillionTokens: 700, outputPerMillionTokens: 2_100 } },
  ]
  await writeFile(join(folder, 'models.json'), JSON.stringify({ models }))
  app = await startConsole({ MODELS_FILE: join(folder, 'models.json') })
})
after(async () => {
  await app[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const node = (id: string, type: string, at: [number, number], data: object = {}) => ({
  id,
  type,
  position: { x: at[0] * 300, y: at[1] * 320 },
  data,
})

const poster = {
  nodes: [
    node('subject', 'input.text', [0, 0], { label: 'Subject' }),
    node('words', 'text.template', [1, 0], { label: 'Words', template: 'A poster of {{subject}}' }),
    node('draw', 'image.generate', [2, 0], {
      label: 'Draw',
      model: 'demo-image',
      imageSampleSize: '512',
    }),
    node('parts', 'json.transform', [1, 1], { label: 'Parts', expression: '$split($, " ")' }),
    node('out', 'output', [3, 0], { label: 'Poster' }),
  ],
  connections: [
    { source: 'subject', target: 'words', targetHandle: 'subject' },
    { source: 'words', target: 'draw', targetHandle: 'prompt' },
    { source: 'words', target: 'parts' },
    { source: 'draw', target: 'out' },
  ],
}

const card = (page: Page, id: string) => page.locator(`#node-${id}`)
const panelOf = (page: Page) => page.getByRole('complementary', { name: 'Run', exact: true })
const strip = (page: Page) => page.getByRole('region', { name: 'Runs' })
const inspectorOf = (page: Page) => page.getByRole('complementary', { name: 'Inspector' })

const shownRun = (page: Page) => new URL(page.url()).searchParams.get('run')

async function startRun(workflowId: number, inputs: object): Promise<string> {
  const path = `${P}/workflows/${workflowId}/runs`
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const answer = await app.server.call({ method: 'POST', path, headers, json: { inputs } })
  assert.equal(answer.status, 202, answer.text)
  return answer.body.data.runId
}

test('a run starts beside the graph, and every result stands on its node', async () => {
  const workflowId = await addWorkflow(app, 'Poster', poster)
  await app.open(`/workflows/${workflowId}`, async (page) => {
    const toggle = page.getByRole('button', { name: 'Run', expanded: false, exact: true })
    await toggle.click()
    const panel = panelOf(page)
    await panel.getByLabel('Subject').fill('harbours')
    await panel.locator('strong', { hasText: '$0.04' }).waitFor()
    await assertSound(page)
    await looks(page, 'canvas-run-form')
    await panel.getByRole('button', { name: 'Run', exact: true }).click()
    await card(page, 'words').getByText('A poster of harbours').waitFor()
    await card(page, 'draw').locator('img').first().waitFor()
    await card(page, 'draw').getByText('$0.04').waitFor()
    await card(page, 'parts').getByText('4 items').waitFor()
    await panel.getByText('Completed').waitFor()
    await replay(page)
    assert.match(
      (await card(page, 'draw').getAttribute('aria-label')) ?? '',
      /^Draw, Generate image, step 3, 1 of 3 inputs connected, done, .*\$0\.04, picture$/,
    )
    await assertSound(page)
    await looks(page, 'canvas-run-done')
    // The whole value, in the settings of its node; the graph keeps its place.
    await card(page, 'parts')
      .getByRole('button', { name: /^Show the result/ })
      .click()
    await inspectorOf(page).getByRole('region', { name: 'Result' }).getByText('harbours').waitFor()
    const pin = inspectorOf(page).getByRole('button', { name: 'Pin', exact: true })
    await Promise.all([draftStored(page), pin.click()])
    await strip(page).getByText('1 pinned').waitFor()
    await assertSound(page)
    await looks(page, 'canvas-run-result')
    await page.getByRole('group', { name: 'Beside the graph' }).getByText('Run').click()

    // The inputs are remembered, saved as a set, and taken back from it.
    await panel.getByRole('button', { name: 'Save as a set' }).click()
    await panel.getByLabel('Name of the set').fill('By the sea')
    await panel.getByRole('button', { name: 'Save set' }).click()
    await panel.getByLabel('Subject').fill('mountains')
    await page.reload()
    assert.equal(await panel.getByLabel('Subject').inputValue(), 'mountains')
    await card(page, 'words').getByText('A poster of harbours').waitFor()
    await panel.getByRole('button', { name: 'Run', exact: true }).click()
    await card(page, 'words').getByText('A poster of mountains').waitFor()
    await panel.getByText('Completed').waitFor()
    await runAgain(page)
    await usePinned(page)
    await panel.getByLabel('Inputs from').click()
    await page.getByRole('option', { name: 'By the sea' }).click()
    await page.waitForFunction(() =>
      [...document.querySelectorAll('textarea')].some(({ value }) => value === 'harbours'),
    )

    await compareRuns(page)
    await strip(page).getByRole('button', { name: 'Stop comparing' }).click()
    await readOnPhone(page)
    await strip(page).getByRole('button', { name: 'Unpin all' }).click()
    await strip(page).getByRole('button', { name: 'Hide results' }).click()
    await card(page, 'words').getByText('A poster of mountains').waitFor({ state: 'detached' })
  })
})

/** The same inputs again are a third run, not the second one. */
async function runAgain(page: Page) {
  await panelOf(page).getByRole('button', { name: 'Run', exact: true }).click()
  await strip(page).getByRole('listitem').nth(2).waitFor()
  await panelOf(page).getByText('Completed').waitFor()
  await card(page, 'words').getByText('A poster of mountains').waitFor()
}

/** What was pinned took the place of its node, although what feeds it has changed. */
async function usePinned(page: Page) {
  await card(page, 'parts').getByText('Pinned result').waitFor()
  await panelOf(page).getByText('Parts: the pinned result is used').waitFor()
  const { body } = await app.server.call(`${P}/workflow-runs/${shownRun(page)}/nodes/parts`)
  assert.deepEqual(Object.values(body.data.outputs)[0], ['A', 'poster', 'of', 'harbours'])
}

/** Back to the first moment of the run, and to its end. */
async function replay(page: Page) {
  const slider = strip(page).getByRole('slider', { name: 'Moment of the run' })
  await slider.focus()
  await page.keyboard.press('Home')
  await card(page, 'out').getByText('Queued').waitFor()
  await card(page, 'draw').locator('img').first().waitFor({ state: 'detached' })
  await assertSound(page)
  // A phone has no slider, so that it has lost the focus.
  await slider.focus()
  await page.keyboard.press('Space')
  await card(page, 'draw').locator('img').first().waitFor()
  await strip(page).getByRole('button', { name: 'Replay this run' }).waitFor()
}

/** The list of steps has the same results. */
async function readOnPhone(page: Page) {
  await page.getByRole('button', { name: 'Run', expanded: true, exact: true }).click()
  await page.setViewportSize({ width: 380, height: 860 })
  const steps = page.getByRole('region', { name: 'Steps of the workflow' })
  await steps.getByRole('button', { name: /^Show the result: A poster of mountains/ }).waitFor()
  await steps.locator('img').first().waitFor()
  await assertSound(page)
  await screenshot(page, 'canvas-run-list')
  await page.setViewportSize({ width: 1280, height: 800 })
}

/** Two runs side by side: what differs, and what does not. */
async function compareRuns(page: Page) {
  await strip(page)
    .getByRole('button', { name: /^Compare with/ })
    .last()
    .click()
  const differences = panelOf(page).getByRole('region', { name: 'Differences of two runs' })
  await differences.getByText('harbours').first().waitFor()
  await differences.getByText('mountains').first().waitFor()
  await card(page, 'words').getByText('A poster of harbours').waitFor()
  await card(page, 'words').getByText('A poster of mountains').waitFor()
  await assertSound(page)
  await looks(page, 'canvas-run-compare')
}

test('a failure stands at its node, is mended there and tried again; a wait asks for its answer', async () => {
  const workflowId = await addWorkflow(app, 'Ask first', {
    nodes: [
      node('topic', 'input.text', [0, 0], { label: 'Topic' }),
      node('shape', 'json.transform', [1, 0], { label: 'Shape', expression: '$number($)' }),
      node('ok', 'wait.approval', [2, 0], { label: 'Agree', title: 'Is it good?' }),
      node('out', 'output', [3, 0], { label: 'Said' }),
    ],
    connections: [
      { source: 'topic', target: 'shape' },
      { source: 'shape', target: 'ok' },
      { source: 'ok', target: 'out' },
    ],
  })
  const runId = await startRun(workflowId, { topic: 'tides' })
  await app.open(`/workflows/${workflowId}?run=${runId}&panel=run`, async (page) => {
    await card(page, 'shape')
      .getByText(/^Failed:/)
      .waitFor()
    await card(page, 'out')
      .getByText(/Not reached/)
      .waitFor()
    await assertSound(page)
    await looks(page, 'canvas-run-failed')
    await card(page, 'shape').getByRole('button', { name: 'Fix' }).click()
    const inspector = inspectorOf(page)
    await inspector.getByText(/would fail again|may work later/).waitFor()
    // The focus is where the error is.
    const editor = inspector.getByRole('textbox', { name: 'Expression' })
    await page.waitForFunction(() => document.activeElement?.matches('[data-editor]'))
    await editor.getByText('$number($)').waitFor()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('$uppercase($')
    await card(page, 'shape').getByText('Before your change').waitFor()
    await card(page, 'shape').getByRole('button', { name: 'Try this node' }).click()
    // The draft runs: it was changed, and nothing is saved.
    await card(page, 'ok')
      .getByText(/^Waiting for approval since/)
      .waitFor()
    await card(page, 'shape').getByText('TIDES').waitFor()
    const { body } = await app.server.call(`${P}/workflows/${workflowId}`)
    assert.equal(body.data.version, 1)
    await page.getByText('Draft saved').waitFor()
    await assertSound(page)
    await looks(page, 'canvas-run-waiting')
    // It is answered without leaving the graph.
    await card(page, 'ok').getByRole('button', { name: 'Answer' }).click()
    const dialog = page.getByRole('dialog', { name: 'Is it good?' })
    await dialog.getByText('TIDES').waitFor()
    await assertSound(page)
    await screenshot(page, 'canvas-answer')
    await dialog.getByRole('textbox', { name: 'Comment' }).fill('Fine')
    await page.keyboard.press('Tab')
    await dialog.getByRole('button', { name: 'Approve' }).click()
    await dialog.waitFor({ state: 'detached' })
    await card(page, 'ok')
      .getByText(/^Approved by/)
      .waitFor()
    assert.match(page.url(), /workflows/)
  })
})

test('of ten nodes, an edit of one costs that one', async () => {
  const workflowId = await addWorkflow(app, 'Letter and pictures', letterAndPictures)
  const runId = await startRun(workflowId, { topic: 'the harbour' })
  await app.open(`/workflows/${workflowId}?run=${runId}`, async (page) => {
    await card(page, 'letter')
      .getByText(/ms|Done| s/)
      .first()
      .waitFor()
    await card(page, 'polish').getByText('Polish').click()
    await inspectorOf(page).getByLabel('Longest answer').fill('60')
    await page.keyboard.press('Control+Enter')
    const panel = panelOf(page)
    await panel.getByText(/Reuses 3 nodes, saves \$0\.\d+/).waitFor()
    for (const id of ['draft', 'picture', 'banner'])
      await card(page, id).getByText('Next run: reused').waitFor()
    await card(page, 'polish')
      .getByText(/^Next run: \$0\.\d+/)
      .waitFor()
    await assertSound(page)
    await looks(page, 'canvas-reuse')
    await panel.getByRole('button', { name: 'Run', exact: true }).click()
    for (const id of ['draft', 'picture', 'banner'])
      await card(page, id)
        .getByText(/^Reused from \d{2}:\d{2} · saved \$0\.\d+/)
        .waitFor()
    await panel.getByText('Completed').waitFor()
    const { body } = await app.server.call(`${P}/workflow-runs/${shownRun(page)}`)
    const paid = body.data.nodes.filter((one: RunNode) => (one.cost?.amount ?? 0) > 0)
    assert.deepEqual(
      paid.map((one: RunNode) => [one.nodeId, one.cost?.amount]),
      [['polish', body.data.cost.amount]],
    )
    await page.goto(`${app.server.url}/console/runs/${shownRun(page)}`)
    const rows = page.getByRole('list', { name: 'Nodes by time' })
    await rows
      .getByRole('button', { name: /, reused$/ })
      .first()
      .click()
    await page.getByText(/^Reused from a run/).waitFor()
    await assertSound(page)
    await screenshot(page, 'run-reused')
  })
})

/** Light and dark, wide and narrow, for people to look at. */
async function looks(page: Page, name: string) {
  if (!process.env.ATELIER_SCREENSHOTS) return
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    for (const width of [1440, 1024, 380]) {
      await page.setViewportSize({ width, height: 860 })
      await page.evaluate('new Promise((done) => setTimeout(done, 300))')
      await screenshot(page, `${name}-${width}-${theme}`)
    }
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('button', { name: 'Show everything' }).click()
}

/** The node that keys act on: the graph has the focus, and names it. */
async function activeNode(page: Page): Promise<string> {
  const id = await page.waitForFunction(() => {
    const graph = document.activeElement
    return graph?.matches('.react-flow') && graph.getAttribute('aria-activedescendant')
  })
  return String(await id.jsonValue()).replace(/^node-/, '')
}

async function choose(page: Page, label: string | RegExp, text: string) {
  await page.getByRole('combobox', { name: label }).waitFor()
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

/**
 * Of each node: its type, its port to connect from, and what it is connected to. Without a port it is
 * connected by itself, because the node before it is selected.
 */
const fiveSteps: [type: string, port: string | null, from: string][] = [
  ['Text input', null, ''],
  ['Transform', null, ', connected to value of Text input'],
  ['Template', 'input', 'Transform'],
  ['Generate text', null, ', connected to text of Template'],
  ['Output', '', 'Generate text'],
]

const heard = (page: Page, words: string) =>
  page.getByRole('status').getByText(words, { exact: true }).waitFor({ state: 'attached' })

/** Escape in a closed picker leaves its panel, and what was chosen stays. */
async function leavePicker(page: Page) {
  await page.keyboard.press('End')
  await page.keyboard.press('Alt+ArrowLeft')
  assert.equal(await activeNode(page), 'generate-text')
  const model = inspectorOf(page).getByRole('combobox', { name: 'Model' })
  const chosen = await model.inputValue()
  await page.keyboard.press('Enter')
  for (let tab = 0; tab < 30 && !(await model.and(page.locator(':focus')).isVisible()); tab++)
    await page.keyboard.press('Tab')
  await page.keyboard.press('Escape')
  assert.equal(await activeNode(page), 'generate-text')
  assert.equal(await model.inputValue(), chosen)
}

async function writeExpression(page: Page, text: string) {
  await page.keyboard.press('Enter')
  const isEditor = () => document.activeElement?.matches('[data-editor]') ?? false
  for (let tab = 0; tab < 30 && !(await page.evaluate(isEditor)); tab++)
    await page.keyboard.press('Tab')
  await page.keyboard.press('Control+a')
  await page.keyboard.type(text)
  await page.getByText('Draft saved').waitFor()
  // The first may close a list of completions.
  const isGraph = () => document.activeElement?.matches('.react-flow') ?? false
  for (let key = 0; key < 2 && !(await page.evaluate(isGraph)); key++)
    await page.keyboard.press('Escape')
  assert.equal(await activeNode(page), 'transform')
}

test('five nodes are built, run and mended by keyboard, and a screen reader hears it', () =>
  app.open('/workflows/new', async (page) => {
    await page.getByRole('button', { name: 'Blank workflow' }).focus()
    await page.keyboard.press('Enter')
    await graphArea(page).waitFor()
    await page.waitForFunction(() => document.activeElement?.ariaLabel?.startsWith('Workflow'))
    await page.keyboard.press('Tab')
    await page.waitForFunction(() => document.activeElement?.matches('.react-flow'))
    for (const [type, port, from] of fiveSteps) {
      if (port !== null) await page.keyboard.press('Escape')
      await page.keyboard.press('a')
      await choose(page, 'Search node types', type)
      const id = await activeNode(page)
      if (port === null) {
        await heard(page, `Added ${type}${from}`)
        continue
      }
      await page.keyboard.press('c')
      if (port !== '') await choose(page, 'Port to connect from', port)
      await choose(page, /^Port for/, from)
      assert.equal(await activeNode(page), id, 'the focus is at the node that was connected')
    }
    await leavePicker(page)
    await page.keyboard.press('Home')
    await page.keyboard.press('Alt+ArrowRight')
    assert.equal(await activeNode(page), 'transform')
    await writeExpression(page, '$number($')

    await page.keyboard.press('Control+Enter')
    const subject = panelOf(page).getByLabel('Text')
    await subject.and(page.locator(':focus')).waitFor()
    await page.keyboard.type('tides')
    await page.keyboard.press('Control+Enter')
    await page
      .getByRole('alert')
      .filter({ hasText: /^Run failed: Transform, / })
      .waitFor()
    await heard(page, 'Run failed')
    await page.keyboard.press('Escape')
    await panelOf(page).waitFor({ state: 'detached' })
    await page.keyboard.press('F8')
    assert.equal(await activeNode(page), 'transform')
    assert.match(
      await graphArea(page).ariaSnapshot(),
      /article "Transform, step 2, 1 of 1 inputs connected, Failed: /,
    )
    await writeExpression(page, '$uppercase($')

    await page.keyboard.press('Control+Enter')
    await subject.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByText('Run completed', { exact: true }).waitFor({ state: 'attached' })
    const tree = await graphArea(page).ariaSnapshot()
    for (const [index, [type]] of fiveSteps.entries())
      assert.match(tree, new RegExp(`article "${type}, step ${index + 1}.*, done, .*text"`))
    await assertSound(page)
  }))

test('menus, pasted texts and pictures, aligned nodes, and the graph in words', async () => {
  const workflowId = await addWorkflow(app, 'Described', poster)
  await app.open(`/workflows/${workflowId}`, async (page) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await card(page, 'words').click({ button: 'right', position: { x: 40, y: 12 } })
    const menu = page.getByRole('menu', { name: 'Actions' })
    await menu.getByRole('menuitem', { name: /^Run this node/ }).waitFor()
    await assertAccessible(page)
    await menu.getByRole('menuitem', { name: /^Settings/ }).click()
    await inspectorOf(page).locator(':focus').first().waitFor()
    await graphArea(page).focus()
    await page.keyboard.press('Shift+F10')
    await menu.getByRole('menuitem', { name: /^Duplicate/ }).click()
    await card(page, 'words-2').waitFor()
    assert.equal(await activeNode(page), 'words-2', 'a menu gives the focus back to its node')

    await page.evaluate(() => navigator.clipboard.writeText('https://example.com/items'))
    await page.keyboard.press('Control+v')
    await card(page, 'request').waitFor()
    await page.evaluate(async () => {
      const canvas = document.createElement('canvas')
      const picture = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'))
      if (picture) await navigator.clipboard.write([new ClipboardItem({ 'image/png': picture })])
    })
    await page.keyboard.press('Control+v')
    await card(page, 'image').getByText('A file inside the graph').waitFor()

    await page.keyboard.press('Control+a')
    await page.keyboard.press('Shift+F10')
    await menu.getByRole('menuitem', { name: 'Align top' }).click()
    await page.keyboard.press('Control+z')
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Explain this graph' }).click()
    const dialog = page.getByRole('dialog', { name: 'What this workflow does' })
    await dialog.getByText('It needs an image model, another system to call.').waitFor()
    await dialog.getByText('Makes a picture with “demo-image” from Words.').waitFor()
    await assertSound(page)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })
})
