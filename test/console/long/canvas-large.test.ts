import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ConsoleTest, startConsole } from '../../support/console-browser.ts'
import { addWorkflow, graphArea, largestGraph } from '../canvas-page.ts'

let app: ConsoleTest
before(async () => {
  app = await startConsole()
})
after(() => app[Symbol.asyncDispose]())

test('200 nodes and 1,000 connections are few elements, and only wires in hand are drawn alone', async () => {
  const workflowId = await addWorkflow(app, 'Largest', largestGraph())
  await app.open(`/workflows/${workflowId}`, async (page) => {
    await page.locator('#node-n199').waitFor()
    // An overview of what is all visible would only cover some of it.
    const overview = page.getByLabel('Overview of the graph')
    await page.getByRole('button', { name: 'Zoom in' }).click()
    await page.getByRole('button', { name: 'Zoom in' }).click()
    await overview.waitFor()
    await page.getByRole('button', { name: 'Show everything' }).click()
    await overview.waitFor({ state: 'detached' })
    // One path per type of port at rest: text from the inputs, any from the merges.
    assert.equal(await page.locator('.wire').count(), 2)
    const elements = await page.evaluate(() => document.querySelectorAll('*').length)
    assert.ok(elements < 6500, `${elements} elements`)
    await graphArea(page).focus()
    await page.keyboard.press('Home')
    const live = await page.locator('.wire-live').count()
    assert.ok(live > 0 && live < 30, `${live} wires in hand`)
    await page.keyboard.press('l')
    await page.getByText('Draft saved').waitFor()
    await page.keyboard.press('Control+z')
    await page.getByText('Saved as version 1').first().waitFor()
  })
})

test('for people who prefer less motion, nothing is in transition when all is selected', async () => {
  const workflowId = await addWorkflow(app, 'Calm', largestGraph())
  await app.open(`/workflows/${workflowId}`, async (page) => {
    await page.locator('#node-n199').waitFor()
    await graphArea(page).focus()
    const begun = await page.evaluateHandle(() => {
      const names: string[] = []
      document.addEventListener('transitionrun', ({ propertyName }) => names.push(propertyName))
      return names
    })
    await page.keyboard.press('Control+a')
    await page.getByRole('heading', { name: '200 nodes' }).waitFor()
    assert.deepEqual(await begun.jsonValue(), [])
  })
})
