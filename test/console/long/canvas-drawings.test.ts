import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  assertSound,
  type ConsoleTest,
  screenshot,
  startConsole,
} from '../../support/console-browser.ts'
import { addWorkflow, graphArea, saved, storedGraph } from '../canvas-page.ts'

let app: ConsoleTest
before(async () => {
  app = await startConsole()
})
after(() => app[Symbol.asyncDispose]())

const at = (x: number) => ({ x, y: 0 })
const chain = {
  nodes: [
    { id: 'topic', type: 'input.text', position: at(0), data: { default: 'tea' } },
    { id: 'write', type: 'text.generate', position: at(340), data: { model: 'demo-text' } },
    { id: 'polish', type: 'text.generate', position: at(680), data: { model: 'demo-text' } },
    { id: 'out', type: 'output', position: at(1020), data: {} },
  ],
  connections: [
    { source: 'topic', target: 'write', targetHandle: 'prompt' },
    { source: 'write', target: 'polish', targetHandle: 'prompt' },
    { source: 'polish', target: 'out' },
  ],
}

/** The title of a group moves its nodes, as one step that is undone again. */
async function moveByTitle(page: Page) {
  const title = page.getByRole('button', { name: 'Writing', exact: true })
  const start = await title.boundingBox()
  assert.ok(start)
  await page.mouse.move(start.x + 20, start.y + 10)
  await page.mouse.down()
  await page.mouse.move(start.x + 60, start.y + 70, { steps: 4 })
  await page.mouse.up()
  await page.getByText('Draft saved').waitFor()
  const dragged = await title.boundingBox()
  assert.ok(dragged && Math.abs(dragged.y - start.y - 60) <= 2, `${start.y} ${dragged?.y}`)
  await graphArea(page).focus()
  await page.keyboard.press('Control+z')
  await page.waitForFunction(
    ([x, y]) => document.elementFromPoint(x ?? 0, y ?? 0)?.matches('.group-title'),
    [start.x + 20, start.y + 10],
  )
}

test('nodes are grouped, titled, annotated, muted and bypassed by keyboard, undone, and saved', async () => {
  const workflowId = await addWorkflow(app, 'Drawn', chain)
  await app.open(`/workflows/${workflowId}`, async (page) => {
    await page.locator('#node-out').waitFor()
    await graphArea(page).focus()
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Control+g')
    await page.getByRole('region', { name: 'Group Group' }).waitFor()
    await page.getByLabel('Title of the group').fill('Writing')
    await page.getByRole('region', { name: 'Group Writing' }).waitFor()

    await moveByTitle(page)
    await page.keyboard.press('n')
    const text = page.getByLabel('Text', { exact: true })
    await text.and(page.locator(':focus')).waitFor()
    await page.keyboard.type('Ask Bea before you change the model.')
    await page.getByRole('article', { name: /^Note: Ask Bea/ }).waitFor()

    await graphArea(page).focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('Alt+ArrowRight')
    await page.keyboard.press('Alt+ArrowRight')
    await page.keyboard.press('F2')
    await page.locator('[data-setting="label"] :focus').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('b')
    await page.getByRole('article', { name: /^Generate text, bypassed/ }).waitFor()
    await page.keyboard.press('m')
    await page.getByRole('article', { name: /^Generate text, muted/ }).waitFor()
    await page.keyboard.press('Control+z')
    await page.getByRole('article', { name: /^Generate text, bypassed/ }).waitFor()
    await assertSound(page)
    await screenshot(page, 'canvas-drawings')

    await page.keyboard.press('l')
    await page.getByRole('button', { name: 'Save' }).click()
    await saved(page, 2)
    const { groups, notes, nodes } = (await storedGraph(app, page)) as unknown as {
      groups: { title: string; nodes: string[] }[]
      notes: { text: string }[]
      nodes: { id: string; mode?: string }[]
    }
    assert.deepEqual(
      groups.map((group) => [group.title, group.nodes.join()]),
      [['Writing', 'topic,write,polish,out']],
    )
    assert.equal(notes[0]?.text, 'Ask Bea before you change the model.')
    assert.deepEqual(
      nodes.flatMap(({ id, mode }) => (mode ? [[id, mode]] : [])),
      [['polish', 'bypass']],
    )
    await page.emulateMedia({ colorScheme: 'dark' })
    await screenshot(page, 'canvas-drawings-dark')
  })
})

test('a clicked or added node comes before the open panel, which stays one click away', async () => {
  const workflowId = await addWorkflow(app, 'Beside', chain)
  await app.open(`/workflows/${workflowId}?panel=triggers`, async (page) => {
    const inspector = page.getByRole('complementary', { name: 'Inspector' })
    const tabs = page.getByRole('group', { name: 'Beside the graph' })
    for (const name of ['Triggers', 'Run']) {
      const panel = page.getByRole('complementary', { name, exact: true })
      await page.getByRole('button', { name, exact: true }).first().click()
      await panel.waitFor()
      await page.locator('#node-write').click({ position: { x: 40, y: 12 } })
      await inspector.getByRole('heading', { name: 'Generate text' }).waitFor()
      await tabs.getByRole('button', { name }).click()
      await panel.waitFor()
      await graphArea(page).focus()
      await page.keyboard.press('Home')
      await panel.waitFor()
      await screenshot(page, `canvas-tabs-${name.toLowerCase()}`)
    }
    await page.keyboard.press('a')
    await page.getByRole('combobox', { name: 'Search node types' }).fill('Template')
    await page.keyboard.press('Enter')
    await inspector.getByRole('heading', { name: 'Template' }).waitFor()
    await page.emulateMedia({ colorScheme: 'dark' })
    await screenshot(page, 'canvas-tabs-dark')
  })
})
