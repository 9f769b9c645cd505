import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  assertSound,
  type ConsolePage,
  type ConsoleTest,
  screenshot,
  startConsole,
} from '../support/console-browser.ts'
import { addWorkflow } from './canvas-page.ts'

let app: ConsoleTest
before(async () => {
  app = await startConsole()
  await addWorkflow(app, 'Greet', {
    nodes: [
      { id: 'who', type: 'input.text', data: {} },
      { id: 'out', type: 'output', data: {} },
    ],
    connections: [{ source: 'who', target: 'out' }],
  })
})
after(() => app[Symbol.asyncDispose]())

async function choose(page: ConsolePage, label: string, option: string | RegExp) {
  await page.getByLabel(label, { exact: true }).click()
  await page.getByRole('option', { name: option }).click()
}

async function begin(page: ConsolePage, name: string) {
  await page.getByRole('button', { name: 'New trigger' }).click()
  await page.getByLabel('Name').fill(name)
  await choose(page, 'Workflow', /Greet/)
}

test('a schedule is made by choices or by its five fields, and fires by hand', () =>
  app.open('/workflows', async (page) => {
    page.expected.push(/422/)
    await page.getByRole('link', { name: 'Triggers' }).click()
    await page.getByText('No triggers yet').waitFor()
    await assertSound(page)
    await begin(page, 'Mondays')
    await choose(page, 'Every', /^week$/)
    assert.equal(await page.getByLabel('Five fields').inputValue(), '0 9 * * 1')
    await page.getByText(/^At 09:00 on Monday/).waitFor()
    await page.getByLabel('Five fields').fill('0 9 31 2 *')
    await page.getByText('has no occurrence in the next five years').waitFor()
    await page.getByLabel('Five fields').fill('30 2 * * *')
    await page.getByLabel('Time zone').fill('Europe/Berlin')
    await page.getByRole('option', { name: 'Europe/Berlin' }).click()
    await page.getByText(/02:30 does not exist, fires 03:00/).waitFor()
    await assertSound(page)
    await screenshot(page, 'trigger-schedule')
    await page.getByRole('button', { name: 'Make trigger' }).click()
    await page
      .getByText(/must have required property|is required/i)
      .first()
      .waitFor()
    await page.getByLabel('Inputs').fill('{"who": "team"}')
    await page.getByRole('button', { name: 'Make trigger' }).click()
    await page.getByRole('switch', { name: 'Mondays is on' }).waitFor()
    await page.getByRole('button', { name: 'Actions for Mondays' }).click()
    await page.getByRole('menuitem', { name: 'Fire now' }).click()
    await page.getByRole('link', { name: 'Completed' }).waitFor()
    await page.getByRole('switch', { name: 'Mondays is on' }).click()
    await page.getByText('Off', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Actions for Mondays' }).click()
    await page.getByRole('menuitem', { name: 'Firings' }).click()
    await page.getByRole('heading', { name: 'Firings of Mondays' }).waitFor()
    await assertSound(page)
    await screenshot(page, 'trigger-firings')
  }))

test('a webhook is tried with a sample, and its address is shown once', () =>
  app.open('/workflows/triggers', async (page) => {
    await begin(page, 'Issues')
    await choose(page, 'Starts runs', 'Webhook')
    await page.getByLabel('Mapping').fill('{ "who": body.user.login }')
    await page.getByLabel('Send a test').fill('{"user": {"login": "ada"}}')
    await page.getByRole('button', { name: 'Show the inputs' }).click()
    await page.getByText('A run would start with these.').waitFor()
    await assertSound(page)
    await screenshot(page, 'trigger-webhook')
    await page.getByRole('button', { name: 'Make trigger' }).click()
    await page.getByText('This is the only time you will see its address').waitFor()
    await assertSound(page)
    await page.getByRole('button', { name: 'I have saved it' }).click()
    await page.getByText('On request').waitFor()
    await page.getByRole('button', { name: 'Actions for Issues' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete trigger' }).click()
    await page.getByText('On request').waitFor({ state: 'detached' })
  }))

for (const [theme, width] of [
  ['dark', 380],
  ['light', 1024],
  ['dark', 1440],
] as const) {
  test(`triggers can be read in ${theme} at ${width} pixels`, () =>
    app.open(
      '/workflows/triggers',
      async (page) => {
        await page.getByText('Mondays', { exact: true }).waitFor()
        await assertSound(page)
        await screenshot(page, `triggers-${theme}-${width}`)
        await begin(page, 'Daily')
        await page.getByText(/^At 09:00 every day/).waitFor()
        await assertSound(page)
        await screenshot(page, `trigger-form-${theme}-${width}`)
      },
      { theme, width },
    ))
}
