import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { consolePath } from '../support/console.ts'
import {
  assertSound,
  type ConsolePage,
  type ConsoleTest,
  owner,
  startConsole,
} from '../support/console-browser.ts'
import { P } from '../support/server.ts'

let app: ConsoleTest
before(async () => {
  app = await startConsole()
})
after(() => app[Symbol.asyncDispose]())

const h1 = (page: ConsolePage, name: string) => page.getByRole('heading', { level: 1, name })
const focused = (page: ConsolePage) => page.evaluate(() => document.activeElement?.textContent)

test('g and a letter lead to each section, the focus to its heading, ? lists the keys', () =>
  app.open('/', async (page) => {
    await h1(page, 'Overview').waitFor()
    for (const [key, name] of [
      ['t', 'Tasks'],
      ['w', 'Workflows'],
      ['r', 'Runs'],
      ['u', 'Usage'],
      ['d', 'API keys'],
    ] as const) {
      await page.keyboard.press('g')
      await page.keyboard.press(key)
      await h1(page, name).waitFor()
    }
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Runs' }).click()
    await h1(page, 'Runs').waitFor()
    await page.waitForFunction(() => document.activeElement?.tagName === 'H1')
    assert.equal(await focused(page), 'Runs')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Go to').waitFor()
    await assertSound(page)
  }))

test('the search finds a screen and goes there by keyboard alone', () =>
  app.open('/', async (page) => {
    await h1(page, 'Overview').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search and commands' }).fill('webho')
    await assertSound(page)
    await page.keyboard.press('Enter')
    await h1(page, 'Webhooks').waitFor()
  }))

test('the search finds a workflow by its name', async () => {
  const data = { nodes: [], connections: [] }
  const json = { name: 'Quarterly digest', data }
  await app.server.call({ method: 'POST', path: `${P}/workflows`, json })
  await app.open('/', async (page) => {
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('combobox', { name: 'Search and commands' }).fill('digest')
    await page.getByRole('option', { name: 'Quarterly digest' }).click()
    await page.waitForURL(/\/workflows\/1/)
  })
})

test('letters typed into a field are letters', () =>
  app.open('/settings/account', async (page) => {
    const name = page.getByLabel('Name of the account')
    await name.fill('')
    await name.pressSequentially('g o?')
    assert.equal(await name.inputValue(), 'g o?')
    await h1(page, 'Account').waitFor()
  }))

test('the skip link comes first and leads past the navigation', () =>
  app.open('/', async (page) => {
    await h1(page, 'Overview').waitFor()
    await page.keyboard.press('Tab')
    assert.equal(await focused(page), 'Skip to the content')
  }))

test('a chosen theme outlives the page and is there before the first paint', () =>
  app.open('/', async (page) => {
    const background = () =>
      page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
    assert.equal(await background(), 'rgb(250, 249, 246)')
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Dark' }).click()
    await page.waitForFunction(
      () => getComputedStyle(document.documentElement).backgroundColor === 'rgb(21, 20, 18)',
    )
    await page.reload({ waitUntil: 'commit' })
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark')
  }))

test('an ended session asks for the password over the page, and what was typed stays', () =>
  app.open(
    '/settings/account',
    async (page) => {
      await page.getByLabel('E-mail').fill(owner.email)
      await page.getByLabel('Password').fill(owner.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      const name = page.getByLabel('Name of the account')
      await name.fill('Typed before the end')
      await page.evaluate(
        (path) => fetch(`${path}/sign-out`, { method: 'POST' }).then(() => undefined),
        consolePath,
      )
      page.expected.push(/401/)
      await page.getByRole('button', { name: 'Save' }).click()
      const over = page.getByRole('dialog', { name: 'Your session has ended' })
      await over.waitFor()
      await page.keyboard.press('Escape')
      await assertSound(page)
      await over.getByLabel('Password').fill(owner.password)
      await over.getByRole('button', { name: 'Sign in' }).click()
      await over.waitFor({ state: 'detached' })
      await page.getByText('Saved', { exact: true }).waitFor()
      assert.equal(await name.inputValue(), 'Typed before the end')
      await page.reload()
      await page.waitForFunction(
        () => document.querySelector('input')?.value === 'Typed before the end',
      )
    },
    { signedIn: false },
  ))

test('a server that does not answer is said once, and what was read stays', () =>
  app.open('/developer/keys', async (page) => {
    await page.getByRole('row', { name: 'owner.key' }).waitFor()
    page.expected.push(/ERR_FAILED|Failed to load/)
    await page.route('**/api/**', (asked) => asked.abort())
    await page.keyboard.press('g')
    await page.keyboard.press('o')
    await page.getByText('The server has been unreachable since').waitFor()
    await assertSound(page)
    await page.unroute('**/api/**')
    await page.keyboard.press('g')
    await page.keyboard.press('d')
    await page.getByRole('row', { name: 'owner.key' }).waitFor()
    await page.getByText('The server has been unreachable since').waitFor({ state: 'detached' })
  }))

test('a wrong address, a refused read and a broken answer have their pages', () =>
  app.open('/no/such/screen', async (page) => {
    await h1(page, 'There is nothing here').waitFor()
    await assertSound(page)
    page.expected.push(/403|500/)
    await page.route('**/api-keys', (asked) =>
      asked.fulfill({
        status: 403,
        json: {
          success: false,
          error: { code: 'INSUFFICIENT_SCOPE', message: 'Ask the owner.', retryable: false },
        },
      }),
    )
    await page.getByRole('link', { name: 'Developer' }).click()
    await page.getByText('You do not have access').waitFor()
    await assertSound(page)
    await page.unroute('**/api-keys')
    await page.route('**/server', (asked) =>
      asked.fulfill({
        status: 500,
        headers: { 'x-request-id': 'req_test_1' },
        json: {
          success: false,
          error: { code: 'INTERNAL_ERROR', message: 'It broke.', retryable: false },
        },
      }),
    )
    await page.getByRole('link', { name: 'Connect' }).click()
    await page.getByRole('alert').getByText('It broke.').waitFor()
    await page.getByText('req_test_1').waitFor()
    await assertSound(page)
  }))
