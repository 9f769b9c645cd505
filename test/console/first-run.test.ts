import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  assertSound,
  type ConsoleTest,
  owner,
  screenshot,
  startConsole,
} from '../support/console-browser.ts'
import { P } from '../support/server.ts'

let app: ConsoleTest
before(async () => {
  app = await startConsole({}, { owner: 'new' })
})
after(() => app[Symbol.asyncDispose]())

test('from the one-time link to a first image and a first run, without leaving the page', () =>
  app.open(
    '/nowhere',
    async (page) => {
      await page.goto(app.server.running.setupLink ?? '')
      await assertSound(page)
      await screenshot(page, 'setup')
      await page.getByLabel('E-mail').fill(owner.email)
      await page.getByLabel(/^Password/).fill(owner.password)
      await page.getByRole('button', { name: 'Set password' }).click()
      await page.getByRole('heading', { level: 1, name: 'Welcome to Atelier' }).waitFor()
      assert.equal(new URL(page.url()).pathname, '/console/welcome')
      assert.equal(new URL(page.url()).hash, '')
      await page.getByRole('button', { name: 'Run it' }).waitFor()
      await assertSound(page)

      await page.getByRole('button', { name: 'Make the image' }).click()
      const made = page.getByRole('img', { name: /lighthouse/ })
      await made.waitFor()
      // A small picture is enough for what is shown small.
      assert.match((await made.getAttribute('src')) ?? '', /&w=416$/)
      await page
        .getByRole('listitem')
        .filter({ hasText: 'Make an image' })
        .getByText('Done')
        .waitFor()

      await page.getByRole('button', { name: 'Run it' }).click()
      const second = page.getByRole('listitem').filter({ hasText: 'Run a workflow' })
      await second.getByText('Completed').waitFor()
      await second.getByText('Done').waitFor()
      await assertSound(page)
      const { body } = await app.server.call(`${P}/workflows`)
      assert.equal(body.data.total, 1)

      // What the welcome page read is also what other screens find in the cache.
      await page.getByRole('link', { name: 'Show the task' }).click()
      await page.getByRole('heading', { name: 'Prompt' }).waitFor()
      await page.goBack()
      await page.getByRole('link', { name: 'All templates' }).click()
      await page.getByRole('heading', { name: 'Product photo set' }).waitFor()
    },
    { signedIn: false },
  ))

test('the overview shows what is left to do, then how things stand', () =>
  app.open(
    '/',
    async (page) => {
      await page.getByLabel('E-mail').fill(owner.email)
      await page.getByLabel('Password').fill('wrong password here')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('alert').getByText('is wrong').waitFor()
      page.expected.push(/401/)
      await assertSound(page)
      await page.getByLabel('Password').fill(owner.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      await page.getByRole('heading', { name: 'Create an API key' }).waitFor()
      await page.getByText('Nothing is running.').waitFor()
      await assertSound(page)
      await page.getByRole('link', { name: 'Create a key' }).click()
      await page.getByLabel('Name').fill('laptop')
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByRole('button', { name: 'I have saved it' }).click()
      await page.keyboard.press('g')
      await page.keyboard.press('o')
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      await page.getByRole('link', { name: /Article to social posts/ }).waitFor()
      await page.getByRole('heading', { name: 'First steps' }).waitFor({ state: 'detached' })
      await assertSound(page)
      await screenshot(page, 'overview-later')
    },
    { signedIn: false },
  ))

test('where the server takes new people, one signs up and is welcomed', async () => {
  await using open = await startConsole({ SIGN_UP: 'open' })
  await open.open(
    '/',
    async (page) => {
      await page.getByRole('button', { name: 'Create an account' }).click()
      await page.getByLabel('E-mail').fill('new@example.com')
      await page.getByLabel('Password').fill('short')
      await page.getByRole('button', { name: 'Create account' }).click()
      await page.getByText('At least 12 characters.').nth(1).waitFor()
      await assertSound(page)
      await page.getByLabel('Password').fill('long enough for all')
      await page.getByRole('button', { name: 'Create account' }).click()
      await page.getByRole('heading', { level: 1, name: 'Welcome to Atelier' }).waitFor()
    },
    { signedIn: false },
  )
})
