import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Locator, Page } from 'playwright-core'
import { assertSound, type ConsoleTest, startConsole } from '../support/console-browser.ts'
import { blankCanvas, dragWire, type Graph, graphArea, saved, storedGraph } from './canvas-page.ts'

let app: ConsoleTest
before(async () => {
  app = await startConsole()
})
after(() => app[Symbol.asyncDispose]())

const steps = ['Text input', 'Template', 'Generate text', 'Output']
/** Beside those that come by themselves, because each node is added while the one before is selected. */
const wires: [[string, string], [string, string]][] = [
  [
    ['text', 'value'],
    ['generate-text', 'system'],
  ],
]

async function byMouse(page: Page): Promise<Graph> {
  await blankCanvas(page)
  const palette = page.getByRole('complementary', { name: 'Node types' })
  for (const step of steps) await palette.getByRole('button', { name: step, exact: true }).click()
  await page.getByRole('button', { name: 'Tidy' }).click()
  await page.getByRole('button', { name: 'Show everything' }).click()
  for (const [from, to] of wires) await dragWire(page, from, to)
  await page.locator('#node-generate-text').click()
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await inspector.getByLabel('Model').click()
  await page
    .getByRole('option', { name: /demo-text|Demo text/i })
    .first()
    .click()
  await page.getByRole('toolbar', { name: 'View' }).getByRole('button', { name: 'Tidy' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await saved(page, 1)
  await assertSound(page)
  return storedGraph(app, page)
}

async function byKeyboard(page: Page): Promise<Graph> {
  await page.getByRole('button', { name: 'Blank workflow' }).focus()
  await page.keyboard.press('Enter')
  await graphArea(page).focus()
  for (const step of steps) {
    await page.keyboard.press('a')
    await choose(page, 'Search node types', step)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  for (const [[node, from], [target, to]] of wires) {
    await graphArea(page).focus()
    await walkTo(page, node)
    await page.keyboard.press('c')
    await page.getByRole('dialog').waitFor()
    const first = page.getByRole('combobox', { name: 'Port to connect from' })
    if (await first.isVisible()) await choose(page, 'Port to connect from', from)
    await choose(page, `Port for ${from}`, `${target}): ${to}`)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await graphArea(page).focus()
  await walkTo(page, 'generate-text')
  await page.keyboard.press('Enter')
  const model = page.getByRole('combobox', { name: 'Model' })
  while (!(await model.evaluate((field) => field === document.activeElement))) {
    await page.keyboard.press('Tab')
  }
  await page.keyboard.type('demo-text')
  await page.getByRole('option').first().waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await graphArea(page).focus()
  await page.keyboard.press('l')
  await page.keyboard.press('Control+s')
  await saved(page, 1)
  return storedGraph(app, page)
}

/** Types into the list that has the focus and takes the first match. */
async function choose(page: Page, list: string, text: string) {
  const field = page.getByRole('combobox', { name: list, exact: true })
  await focused(field)
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

async function focused(field: Locator) {
  await field.waitFor()
  while (!(await field.evaluate((element) => element === document.activeElement))) {
    await setImmediate()
  }
}

/** Along the wires, and between nodes that nothing leads to. */
async function walkTo(page: Page, node: string) {
  await page.keyboard.press('Home')
  for (const key of ['Alt+ArrowRight', 'Alt+ArrowRight', 'Alt+ArrowRight', 'Home']) {
    if (await isChosen(page, node)) return
    await page.keyboard.press(key)
  }
  for (let i = 0; i < 6 && !(await isChosen(page, node)); i++) {
    await page.keyboard.press('Alt+ArrowDown')
  }
  for (let i = 0; i < 6 && !(await isChosen(page, node)); i++) {
    await page.keyboard.press('Alt+ArrowUp')
  }
  assert.ok(await isChosen(page, node), `no way to ${node}`)
}

const isChosen = async (page: Page, node: string) =>
  (await graphArea(page).getAttribute('aria-activedescendant')) === `node-${node}`

test('the same workflow by mouse and by keyboard gives equal JSON', async () => {
  const mouse = await app.open('/workflows/new', byMouse)
  const keyboard = await app.open('/workflows/new', byKeyboard)
  assert.deepEqual(keyboard, mouse)
  assert.equal(mouse.connections.length, 4)
})

test('Run on a new draft saves it and asks for the inputs at once', () =>
  app.open('/workflows/new', async (page) => {
    const checked = page.waitForResponse(/\/workflows\/check/)
    await blankCanvas(page)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByText('Add the first node').waitFor()
    const problems = page.getByRole('region', { name: 'Problems' })
    await checked
    await problems.getByText('Nothing to check yet').waitFor()
    assert.equal(await problems.getByText('warning').count(), 0)
    const palette = page.getByRole('complementary', { name: 'Node types' })
    const add = (name: string) => palette.getByRole('button', { name, exact: true }).click()
    const said = (words: string) =>
      page.getByRole('status').getByText(words, { exact: true }).waitFor({ state: 'attached' })
    await add('Text input')
    await page.getByText('Add the first node').waitFor({ state: 'detached' })
    await add('Output')
    await said('Added Output, connected to value of Text input')
    await isRightOf(page, '#node-output', '#node-text')
    await page.keyboard.press('Control+z')
    await said('Undone: Add Output')
    await page.keyboard.press('Control+Shift+z')
    // An output leads nowhere, so that a second one is not connected; it has a name of its own.
    await add('Output')
    await said('Added Output 2')
    await page.locator('#node-output-2').getByText('Output 2', { exact: true }).waitFor()
    await dragWire(page, ['text', 'value'], ['output-2', 'value'])
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('form', { name: 'Inputs of the run' }).getByLabel('text').waitFor()
    const { connections } = await storedGraph(app, page)
    assert.deepEqual(
      connections,
      ['output', 'output-2'].map((target) => ({
        ...{ source: 'text', sourceHandle: 'value' },
        ...{ target, targetHandle: 'value' },
      })),
    )
  }))

async function isRightOf(page: Page, one: string, other: string) {
  const [box, before] = await Promise.all([
    page.locator(one).boundingBox(),
    page.locator(other).boundingBox(),
  ])
  assert.ok(box && before && box.x > before.x + before.width && box.y === before.y)
}

test('who looks for a schedule among the nodes of a new draft is led to its triggers', () =>
  app.open('/workflows/new', async (page) => {
    await blankCanvas(page)
    const palette = page.getByRole('complementary', { name: 'Node types' })
    await palette.getByRole('button', { name: 'Text input', exact: true }).click()
    await palette.getByRole('searchbox').fill('schedule')
    await palette.getByRole('button', { name: 'Schedule or webhook' }).click()
    await page.getByText('A trigger starts this workflow by itself').waitFor()
    await page.getByRole('button', { name: 'New trigger' }).click()
    await page
      .getByRole('dialog')
      .getByText(/^Every day at 09:00/)
      .waitFor()
    assert.match(page.url(), /\/workflows\/\d+\?panel=triggers/)
  }))
