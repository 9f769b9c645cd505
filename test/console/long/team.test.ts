// A team as its people meet it: invited, looking, turning on the second step, locked out, removed.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { totpCode, totpStep } from '#auth/totp.ts'
import { fromBase32 } from '../../support/base32.ts'
import {
  assertSound,
  type ConsolePage,
  type ConsoleTest,
  owner,
  startConsole,
} from '../../support/console-browser.ts'
import { addWorkflow } from '../canvas-page.ts'

const email = 'anna@example.com'
const password = 'correct horse battery'
const newPassword = 'another good password'
let visits = 0
/** Each time from another address: ten attempts a minute are all that one may make. */
const overThere = () => ({ signedIn: false, address: `192.0.2.${++visits}` })

let app: ConsoleTest
before(async () => {
  app = await startConsole({ TRUSTED_PROXIES: '127.0.0.1/32' })
})
after(() => app[Symbol.asyncDispose]())

const pathOf = (link: string) => link.replace(/^.*\/console/, '')

/** The link that a dialog shows this once. */
async function shownLink(page: ConsolePage): Promise<string> {
  const link = (await page.getByRole('dialog').locator('pre').textContent()) ?? ''
  await assertSound(page)
  await page.getByRole('button', { name: 'I have copied it' }).click()
  return pathOf(link)
}

const invite = (role: string) =>
  app.open('/settings/members', async (page) => {
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByLabel('E-mail').fill('no e-mail')
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByText('Enter an e-mail address with an @').waitFor()
    await assertSound(page)
    await page.getByLabel('E-mail').fill(email)
    await page.getByRole('combobox', { name: 'Role', exact: true }).click()
    await page.getByRole('option', { name: role }).click()
    await page.getByRole('button', { name: 'Create link' }).click()
    const link = await shownLink(page)
    await page.getByRole('button', { name: `Withdraw the invitation for ${email}` }).waitFor()
    await assertSound(page)
    return link
  })

async function signIn(page: ConsolePage, given: { email: string; password: string }) {
  await page.getByLabel('E-mail').fill(given.email)
  await page.getByLabel('Password').fill(given.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

const graph = {
  nodes: [
    { id: 'topic', type: 'input.text', position: { x: 0, y: 0 }, data: {} },
    { id: 'said', type: 'output', position: { x: 320, y: 0 }, data: { label: 'Said' } },
  ],
  connections: [{ source: 'topic', target: 'said' }],
}

/** The canvas for whoever may only look. */
async function looksAtCanvas(page: ConsolePage, workflowId: number) {
  await page.goto(`${app.server.url}/console/workflows/${workflowId}`)
  await page.getByText('You can view this workflow but not change it.').waitFor()
  for (const name of ['Undo', 'Add a node', 'Tidy', 'Save', 'Run']) {
    assert.equal(await page.getByRole('button', { name }).count(), 0, name)
  }
  assert.equal(await page.getByRole('complementary', { name: 'Node types' }).count(), 0)
  await page.locator('#node-said .node-title').click()
  const settings = page.getByRole('complementary', { name: 'Inspector' })
  await settings.getByLabel('Name').waitFor()
  assert.ok(await settings.getByLabel('Name').isDisabled())
  assert.equal(await settings.getByRole('button', { name: 'Delete' }).count(), 0)
  await assertSound(page)
  // Keys change nothing either, so that no draft is kept, which the server would refuse.
  await page.getByRole('application', { name: 'Workflow graph' }).focus()
  await page.keyboard.press('Delete')
  await page.keyboard.press('Control+s')
  await page.getByText('Saved as version 1').waitFor()
  assert.equal(await page.locator('#node-said').count(), 1)
}

test('a colleague joins by link, sees everything and is offered nothing they may not do', async () => {
  const link = await invite('Viewer')
  const workflowId = await addWorkflow(app, 'Looked at', graph)
  await app.open(
    link,
    async (page) => {
      await page.getByText(email).waitFor()
      await assertSound(page)
      await page.getByLabel('Choose a password').fill(password)
      await page.getByRole('button', { name: 'Join', exact: true }).click()
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      for (const path of [
        '/settings/members',
        '/developer/keys',
        '/developer/webhooks',
        '/workflows',
      ]) {
        await page.goto(`${app.server.url}/console${path}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page.getByRole('main').getByRole('table').or(page.getByText('yet')).first().waitFor()
        for (const name of [/^New/, 'Invite', 'Rotate', /^Actions for/]) {
          assert.equal(await page.getByRole('button', { name }).count(), 0, `${name} at ${path}`)
        }
        await assertSound(page)
      }
      assert.equal(await page.getByRole('link', { name: 'Playground' }).count(), 0)
      await looksAtCanvas(page, workflowId)
    },
    overThere(),
  )
  await app.open(
    link,
    async (page) => {
      page.expected.push(/401/)
      await page.getByText('was used, was withdrawn or has expired').waitFor()
      await assertSound(page)
    },
    overThere(),
  )
})

test('an owner changes a role, but not of the last owner, and makes a new password link', async () => {
  const link = await app.open('/settings/members', async (page) => {
    await page.getByRole('combobox', { name: `Role of ${email}` }).click()
    await page.getByRole('option', { name: 'Editor' }).click()
    await page
      .getByRole('combobox', { name: `Role of ${email}` })
      .getByText('Editor')
      .waitFor()
    page.expected.push(/409/)
    await page.getByRole('combobox', { name: `Role of ${owner.email}` }).click()
    await page.getByRole('option', { name: 'Viewer' }).click()
    await page.getByText('An account always has an owner').waitFor()
    await assertSound(page)
    await page.getByRole('button', { name: `Actions for ${email}` }).click()
    await page.getByRole('menuitem', { name: 'New password link' }).click()
    await page.getByRole('button', { name: 'Create link' }).click()
    return shownLink(page)
  })
  await app.open(
    link,
    async (page) => {
      await page.getByLabel('New password').fill(newPassword)
      await assertSound(page)
      await page.getByRole('button', { name: 'Set the password' }).click()
      await page.getByText('Your password has been changed').waitFor()
      await assertSound(page)
      await page.getByRole('link', { name: 'Sign in' }).click()
      await signIn(page, { email, password: newPassword })
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
    },
    overThere(),
  )
})

test('two steps: turned on with an app, asked for, replaced by a recovery code', async () => {
  const account = await app.open(
    '/settings/account',
    async (page) => {
      await signIn(page, { email, password: newPassword })
      await page.getByRole('button', { name: 'Turn on' }).click()
      await page.getByLabel('Current password').last().fill(newPassword)
      await page.getByRole('button', { name: 'Next' }).click()
      await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor()
      await assertSound(page)
      const dialog = page.getByRole('dialog')
      const secret = fromBase32((await dialog.locator('pre').textContent()) ?? '')
      page.expected.push(/401/)
      await page.getByLabel('Code', { exact: true }).fill('000000')
      await dialog.getByRole('button', { name: 'Turn on' }).click()
      await page.getByText('The code is wrong').waitFor()
      await page.getByLabel('Code', { exact: true }).fill(totpCode(secret, totpStep(Date.now())))
      await dialog.getByRole('button', { name: 'Turn on' }).click()
      await page.getByRole('button', { name: 'I have saved them' }).waitFor()
      await assertSound(page)
      const codes = ((await page.getByRole('dialog').locator('pre').textContent()) ?? '').split(
        '\n',
      )
      await page.getByRole('button', { name: 'I have saved them' }).click()
      await page.getByText('10 of 10 recovery codes').waitFor()
      await page.getByText('current', { exact: true }).waitFor()
      await assertSound(page)
      return { codes }
    },
    overThere(),
  )
  await app.open(
    '/settings/account',
    async (page) => {
      page.expected.push(/401/)
      await signIn(page, { email, password: newPassword })
      await page.getByLabel('Code', { exact: true }).waitFor()
      await assertSound(page)
      await page.getByLabel('Code', { exact: true }).fill(account.codes[0] ?? '')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByText('9 of 10 recovery codes').waitFor()
      await page.getByRole('button', { name: 'End all other sessions' }).click()
      await page
        .getByRole('button', { name: 'End all other sessions' })
        .waitFor({ state: 'hidden' })
      await assertSound(page)
    },
    { ...overThere(), width: 380 },
  )
})

test('whoever is removed is gone, and so is what they could come back with', async () => {
  await app.open(
    '/settings/members',
    async (page) => {
      await page.getByRole('button', { name: `Actions for ${email}` }).click()
      await page.getByRole('menuitem', { name: 'Disable' }).click()
      await assertSound(page)
      await page.getByRole('button', { name: 'Disable', exact: true }).click()
      await page.getByText('disabled', { exact: true }).waitFor()
      await assertSound(page)
      await page.getByRole('button', { name: `Actions for ${email}` }).click()
      await page.getByRole('menuitem', { name: 'Remove' }).click()
      await page.getByRole('button', { name: 'Remove', exact: true }).click()
      await page.getByText(email).first().waitFor({ state: 'hidden' })
    },
    { width: 380 },
  )
  await app.open(
    '/sign-in',
    async (page) => {
      page.expected.push(/401/)
      await signIn(page, { email, password: newPassword })
      await page.getByText('The e-mail or the password is wrong').waitFor()
    },
    overThere(),
  )
})
