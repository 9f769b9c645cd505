// What one does on the canvas beside drawing: trying code, importing, mending, and all of it on a
// phone. Every panel and dialog of the canvas is looked at here, also at the width of a phone.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Locator, Page } from 'playwright-core'
import {
  assertSound,
  type ConsolePage,
  type ConsoleTest,
  startConsole,
} from '../../support/console-browser.ts'
import { P } from '../../support/server.ts'
import {
  addWorkflow,
  blankCanvas,
  everyNodeInView,
  graphArea,
  saved,
  storedGraph,
} from '../canvas-page.ts'

let app: ConsoleTest
before(async () => {
  app = await startConsole()
})
after(() => app[Symbol.asyncDispose]())

const node = (id: string, type: string, x: number, data: object = {}) => ({
  id,
  type,
  position: { x, y: 0 },
  data,
})

const chain = {
  nodes: [
    node('topic', 'input.json', 0, { label: 'Topic' }),
    node('say', 'text.template', 320, { label: 'Say', template: 'On {{topic}}' }),
    node('shout', 'json.transform', 640, { label: 'Shout', expression: '$uppercase(name)' }),
    node('said', 'output', 960, { label: 'Said' }),
    node('loud', 'output', 1280, { label: 'Loud' }),
  ],
  connections: [
    { source: 'topic', target: 'say', targetHandle: 'topic' },
    { source: 'say', target: 'said' },
    { source: 'topic', target: 'shout', targetHandle: 'input' },
    { source: 'shout', target: 'loud' },
  ],
}

const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' })
const more = async (page: Page, item: string) => {
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

test('a template and an expression are completed and tried on the values of the last run', async () => {
  const workflowId = await addWorkflow(app, 'Tried', chain)
  await run(workflowId, { topic: { name: 'tides' } })
  await app.open(`/workflows/${workflowId}`, async (page) => {
    await page.locator('#node-say .node-title').click()
    const template = inspector(page).getByRole('textbox', { name: 'Template', exact: true })
    await overwrite(template, '')
    await template.pressSequentially('About {{')
    await inspector(page).getByRole('option', { name: 'topic', exact: true }).click()
    await template.press('End')
    assert.equal(await template.textContent(), 'About {{topic}}')
    const outcome = inspector(page).getByRole('status', { name: 'Result' })
    await outcome.getByText('About {"name":"tides"}').waitFor()
    await assertSound(page)

    await page.locator('#node-shout .node-title').click()
    const expression = inspector(page).getByRole('textbox', { name: 'Expression', exact: true })
    await overwrite(expression, '')
    await expression.pressSequentially('$length(na')
    await inspector(page).getByRole('option', { name: 'name', exact: true }).click()
    await outcome.getByText('5', { exact: true }).waitFor()
    await expression.fill('$length(')
    await outcome.getByText(/expected|end of expression/i).waitFor()
    await overwrite(expression, '$count(name)')
    await page.keyboard.press('Control+Enter')
    await graphArea(page).and(page.locator(':focus')).waitFor()
    assert.equal(await expression.textContent(), '$count(name)', 'the key writes nothing')
    assert.equal(await page.getByRole('form', { name: 'Inputs of the run' }).count(), 0)
    // The run does not have a new node, and is not asked for it: a failed request fails this test.
    const palette = page.getByRole('complementary', { name: 'Node types' })
    await palette.getByRole('button', { name: 'Transform', exact: true }).click()
    await inspector(page).getByText('After a run its result is shown here').waitFor()
    const shown = page.waitForResponse(/\/view/)
    await page.keyboard.press('[')
    await shown
    await page.locator('#node-shout.node-is-completed').waitFor()
    await palette.getByRole('button', { name: 'Transform', exact: true }).click()
    await page.locator('#node-transform-2').getByText('Transform 2').waitFor()
    await page.waitForLoadState('networkidle')
  })
})

test('a workflow is imported by file, drop and paste, and what is none says why', () =>
  app.open('/workflows/new', async (page) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const text = JSON.stringify({ name: 'Came by file', data: chain })
    const zone = page.getByRole('button', { name: 'Import a workflow' })
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'bad.json', mimeType: 'application/json', buffer: Buffer.from('[]') })
    await page.getByRole('alert').getByText('This JSON is not a workflow').waitFor()
    await assertSound(page)
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'w.json', mimeType: 'application/json', buffer: Buffer.from(text) })
    await page.locator('#node-shout').waitFor()
    assert.equal(await nameOf(page), 'Came by file')

    await page.goBack()
    await zone.dispatchEvent('drop', { dataTransfer: await dropped(page, text) })
    await page.locator('#node-shout').waitFor()

    await page.goBack()
    await zone.focus()
    await page.evaluate((copied) => navigator.clipboard.writeText(copied), text)
    await page.keyboard.press('Control+v')
    await page.locator('#node-shout').waitFor()
  }))

test('on the canvas an import replaces the graph, undo brings it back, and an export holds it', async () => {
  const workflowId = await addWorkflow(app, 'Replaced', {
    nodes: [node('only', 'input.text', 0)],
    connections: [],
  })
  await app.open(`/workflows/${workflowId}`, async (page) => {
    await page.locator('#node-only').waitFor()
    const chooser = page.waitForEvent('filechooser')
    await more(page, 'Import JSON')
    const buffer = Buffer.from(JSON.stringify({ name: 'Imported', data: chain }))
    await (await chooser).setFiles({ name: 'w.json', mimeType: 'application/json', buffer })
    await page.locator('#node-shout').waitFor()
    const download = page.waitForEvent('download')
    await more(page, 'Export JSON')
    const exported = JSON.parse(await readFile(await (await download).path(), 'utf8'))
    assert.deepEqual(exported, { name: 'Imported', data: chain })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('#node-only').waitFor()
    assert.equal(await nameOf(page), 'Replaced')

    await graphArea(page).dispatchEvent('drop', { dataTransfer: await dropped(page, 'no JSON') })
    await page.getByRole('alert').getByText('This is not valid JSON').waitFor()
    await assertSound(page)
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await graphArea(page).dispatchEvent('drop', {
      dataTransfer: await dropped(page, buffer.toString()),
    })
    await page.locator('#node-shout').waitFor()
  })
})

test('a problem names the node and the setting as the screen does, and leads there', () =>
  app.open('/workflows/new', async (page) => {
    await blankCanvas(page)
    const palette = page.getByRole('complementary', { name: 'Node types' })
    for (const step of ['Generate text', 'Template', 'Call workflow'])
      await palette.getByRole('button', { name: step, exact: true }).click()
    // A new node has the first model there is, so only its prompt is missing.
    const problems = page.getByRole('region', { name: 'Problems' })
    await problems.getByRole('button').first().click()
    const prompt = problems.getByText('Generate text: “prompt” is empty.')
    await prompt.waitFor()
    await assertSound(page)
    assert.doesNotMatch((await problems.textContent()) ?? '', /text\.|data\.|generate-text|Id/)
    await prompt.click()
    await focused(page, 'prompt')
    await page.keyboard.type('A tale of two tides')
    await prompt.waitFor({ state: 'detached' })
    await problems.getByText('Call workflow: Choose a workflow.').click()
    await focused(page, 'Workflow')
  }))

test('a wire whose port is gone is led to another at one click, and no older run hides that', async () => {
  const workflowId = await addWorkflow(app, 'Renamed', chain)
  await run(workflowId, { topic: { name: 'tides' } })
  await app.open(`/workflows/${workflowId}`, async (page) => {
    await page
      .getByRole('listitem')
      .getByRole('button', { name: /^Completed/ })
      .click()
    await page.locator('#node-said.node-is-completed').waitFor()
    await page.locator('#node-say .node-title').click()
    const template = inspector(page).getByRole('textbox', { name: 'Template', exact: true })
    await overwrite(template, 'On {{subject}}')
    const words = 'The wire from “Topic” goes to “topic”, but the template has no {{topic}}.'
    await inspector(page).getByText(words).waitFor()
    await assertSound(page)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    const panel = page.getByRole('complementary', { name: 'Run' })
    await panel.getByText('This graph cannot run yet. Mend its problems first.').waitFor()
    await assertSound(page)
    const [refused, before] = await Promise.all([
      panel.getByText('cannot run yet').boundingBox(),
      panel.getByRole('heading', { name: 'The run before' }).boundingBox(),
    ])
    assert.ok(refused && before && refused.y < before.y)
    await panel.getByRole('button', { name: 'Show the problems' }).click()
    const problems = page.getByRole('region', { name: 'Problems' })
    await problems.getByText(words).waitFor()
    await assertSound(page)
    await problems.getByRole('button', { name: 'Connect to subject' }).click()
    await problems.getByText('No problems', { exact: true }).waitFor()
    await graphArea(page).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Control+s')
    await saved(page, 2)
    const { connections } = await storedGraph(app, page)
    assert.deepEqual(
      connections.filter((one) => 'target' in one && one.target === 'say'),
      [{ source: 'topic', target: 'say', targetHandle: 'subject' }],
    )
  })
})

test('every panel and dialog of the canvas is legible and fits a phone', async () => {
  const workflowId = await addWorkflow(app, 'Looked at', chain)
  await app.open(`/workflows/${workflowId}`, async (page) => {
    await graphArea(page).waitFor()
    await page.getByRole('button', { name: 'Add a node' }).click()
    await page.getByRole('combobox', { name: 'Search node types' }).waitFor()
    await sound(page, 'Escape')
    await graphArea(page).focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('c')
    await page.getByRole('combobox', { name: 'Port for value' }).waitFor()
    await sound(page, 'Escape')
    await page.getByRole('button', { name: /^Estimate/ }).click()
    await page.getByRole('dialog', { name: 'Estimate for one run' }).waitFor()
    await sound(page, 'Escape')
    await more(page, 'View JSON')
    await page.getByRole('complementary', { name: 'JSON' }).waitFor()
    await assertSound(page)
    await page.getByRole('button', { name: 'Close JSON' }).click()
    // Panels push: of five nodes the first stays in view when the last one is selected, and runs.
    await graphArea(page).focus()
    await page.keyboard.press('End')
    await inspector(page).getByLabel('Name').waitFor()
    await everyNodeInView(page)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('form', { name: 'Inputs of the run' }).getByLabel('Topic').waitFor()
    await everyNodeInView(page)
    await assertSound(page)
    await page.getByRole('button', { name: 'Close Run' }).click()
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Show as a list' }).waitFor()
    await sound(page, 'Escape')
  })
})

test('on a phone a workflow is built, connected, set and saved in the list', () =>
  app.open(
    '/workflows/new',
    async (page) => {
      await page.getByRole('button', { name: 'Blank workflow' }).click()
      const steps = page.getByRole('region', { name: 'Steps of the workflow' })
      await steps.getByText('No steps yet').waitFor()
      for (const step of ['Text input', 'Template', 'Output']) {
        await steps.getByRole('button', { name: 'Add a step' }).click()
        await choose(page, 'Search node types', step)
        await steps.getByRole('button', { name: step, exact: true }).waitFor()
      }
      await assertSound(page)
      const step = (name: string) => steps.locator('ol > li').filter({ hasText: name })
      const connect = (name: string) =>
        step(name).first().getByRole('button', { name: 'Connect' }).click()
      await steps.getByText('from Text input: value').waitFor()
      await steps.getByRole('button', { name: 'Template', exact: true }).click()
      const template = inspector(page).getByRole('textbox', { name: 'Template', exact: true })
      await overwrite(template, '{{input}}!')
      await inspector(page).getByLabel('Name').fill('Exclaim')
      await assertSound(page)
      await inspector(page).getByRole('button', { name: 'Close' }).click()
      await steps.getByRole('button', { name: 'Exclaim' }).waitFor()
      await steps.getByText('from Exclaim: text').waitFor()
      await connect('Text input')
      await choose(page, 'Port for value', 'Output (output): value')
      await steps.getByText('from Exclaim: text').waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Save' }).click()
      await saved(page, 1)
      const { nodes, connections } = await storedGraph(app, page)
      assert.deepEqual(
        nodes.map(({ id, data }) => [id, data]),
        [
          ['text', {}],
          ['template', { template: '{{input}}!', label: 'Exclaim' }],
          ['output', {}],
        ],
      )
      assert.equal(connections.length, 2)
    },
    { width: 380, height: 800 },
  ))

test('of several drafts each can be opened, and discarding one leaves the others', async () => {
  const workflowId = await addWorkflow(app, 'Drafted', chain)
  await app.open(`/workflows/${workflowId}`, async (first) => {
    const second = await app.tab(first, `/workflows/${workflowId}`)
    for (const [page, name] of [
      [first, 'Said first'],
      [second, 'Said second'],
    ] as const) {
      await page.locator('#node-said .node-title').click()
      await inspector(page).getByLabel('Name').fill(name)
      await page.getByText('Draft saved').waitFor()
    }
    await first.reload()
    await first.getByText('This is a draft').waitFor()
    await first.locator('#node-said').getByText('Said second').waitFor()
    await assertSound(first)
    await first.getByRole('link', { name: /^draft from/ }).click()
    await first.locator('#node-said').getByText('Said first').waitFor()
    await first.getByRole('button', { name: 'Discard the draft' }).click()
    await first.getByText('This is the saved version').waitFor()
    await first.getByRole('link', { name: /^draft from/ }).click()
    await first.locator('#node-said').getByText('Said second').waitFor()
  })
})

/**
 * A code editor that has just got the focus may set its cursor between the two halves of `fill`,
 * which selects all and then types.
 */
async function overwrite(editor: Locator, text: string) {
  do await editor.fill(text)
  while ((await editor.innerText()).trim() !== text)
}

/** Types into the list that has the focus and takes the first match. */
async function choose(page: Page, list: string, text: string) {
  await page.getByRole('combobox', { name: list, exact: true }).fill(text)
  await page.keyboard.press('Enter')
}

async function sound(page: ConsolePage, key: string) {
  await assertSound(page)
  await page.keyboard.press(key)
}

const nameOf = (page: Page) => page.getByLabel('Name of the workflow').inputValue()

const dropped = (page: Page, text: string) =>
  page.evaluateHandle((content) => {
    const transfer = new DataTransfer()
    transfer.items.add(new File([content], 'workflow.json', { type: 'application/json' }))
    return transfer
  }, text)

/** The control of this label has the focus. */
const focused = (page: Page, label: string) =>
  page.waitForFunction(
    (name) =>
      [...((document.activeElement as HTMLInputElement | null)?.labels ?? [])].some(
        ({ textContent }) => textContent === name,
      ),
    label,
  )

async function run(workflowId: number, inputs: object) {
  const { body } = await app.server.call({
    method: 'POST',
    path: `${P}/workflows/${workflowId}/runs`,
    headers: { 'idempotency-key': `run-of-${workflowId}` },
    json: { inputs },
  })
  for (;;) {
    await pause(20)
    const { data } = (await app.server.call(`${P}/workflow-runs/${body.data.runId}`)).body
    if (data.status === 'COMPLETED') return
    assert.ok(['QUEUED', 'RUNNING'].includes(data.status), JSON.stringify(data.nodeErrors))
  }
}
