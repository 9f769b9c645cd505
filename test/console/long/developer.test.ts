import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import {
  assertSound,
  type ConsolePage,
  type ConsoleTest,
  screenshot,
  startConsole,
} from '../../support/console-browser.ts'
import { P } from '../../support/server.ts'
import { addWorkflow } from '../canvas-page.ts'

let app: ConsoleTest
before(async () => {
  app = await startConsole({ OUTBOUND_ALLOW: '127.0.0.1/32' })
})
after(() => app[Symbol.asyncDispose]())

const models = (key: string) => app.server.call({ path: `${P}/models`, key })
const row = (page: ConsolePage, name: string) => page.getByRole('row', { name })
const choose = async (page: ConsolePage, name: string, action: string) => {
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

test('a key is made, seen once, used, changed and revoked', () =>
  app.open('/developer/keys', async (page) => {
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('Give it a name').waitFor()
    await assertSound(page)
    await page.getByLabel('Name').fill('shop')
    await page.getByLabel('Access').click()
    await page.getByRole('option', { name: 'Read only' }).click()
    await page.getByLabel('Expires').fill('2020-01-01')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('Choose a day in the future').waitFor()
    await page.getByLabel('Expires').fill('2099-12-31')
    await page.getByRole('button', { name: 'Create key' }).click()

    const shown = page.getByRole('dialog', { name: /is ready/ })
    const key = (await shown.getByText(/^sk_\w{38}$/).textContent()) ?? ''
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    await assertSound(page)
    await shown.getByRole('button', { name: 'I have saved it' }).click()
    await shown.waitFor({ state: 'detached' })
    assert.ok(!(await page.content()).includes(key))
    assert.equal((await models(key)).status, 200)
    assert.equal((await app.server.call({ path: `${P}/workflows`, key })).status, 200)
    const chat = { model: 'demo-text', messages: [{ role: 'user', content: 'Hi' }] }
    const asked = { method: 'POST', path: `${P}/chat/completions`, key, json: chat }
    assert.equal((await app.server.call(asked)).status, 403)

    await choose(page, 'shop', 'Change')
    await page.getByLabel('Access').click()
    await page.getByRole('option', { name: 'Generate' }).click()
    await page.locator('summary', { hasText: 'Limits' }).click()
    await page.getByLabel('Spend per month').fill('5')
    await page.getByRole('button', { name: 'Save' }).click()
    await row(page, 'shop').getByText('$5.00 a month').waitFor()
    assert.equal((await app.server.call(asked)).status, 200)

    // Uses are written once a minute; the page is told what the server would say then.
    await page.route('**/api/console/v1/api-keys', async (asked) => {
      const answer = await asked.fetch()
      const body = await answer.json()
      for (const item of body.data.items) item.lastUsedAt = new Date().toISOString()
      await asked.fulfill({ response: answer, json: body })
    })
    await page.reload()
    await row(page, 'shop').getByText('just now').waitFor()
    await choose(page, 'shop', 'Revoke')
    const revoke = page.getByRole('button', { name: 'Revoke', exact: true })
    assert.ok(await revoke.isDisabled())
    await assertSound(page)
    await page.getByLabel('Type “shop” to confirm').fill('shop')
    await revoke.click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await row(page, 'shop').waitFor({ state: 'detached' })
    assert.equal((await models(key)).status, 401)
    await page.getByRole('switch', { name: /Show 1 revoked/ }).check()
    await row(page, 'shop').getByText('revoked').waitFor()
    await assertSound(page)
  }))

test('a credential is stored, chosen on the canvas, replaced and deleted', () =>
  app.open('/developer/credentials', async (page) => {
    await page.getByText('No credentials yet').waitFor()
    await assertSound(page)
    await page.getByRole('button', { name: 'New credential' }).click()
    await page.getByRole('button', { name: 'Store credential' }).click()
    await page.getByText('Enter the secret').waitFor()
    await assertSound(page)
    await page.getByLabel('Name').fill('crm')
    await page.getByLabel('Kind').click()
    await page.getByRole('option', { name: 'Custom header' }).click()
    await page.getByLabel('Header', { exact: true }).fill('X-Api-Key')
    await page.getByLabel('Value').fill('a-long-secret-9876')
    await page.getByLabel('Hosts').fill('not a host!')
    page.expected.push(/400/)
    await page.getByRole('button', { name: 'Store credential' }).click()
    await page.getByText('Write hosts as').waitFor()
    await page.getByLabel('Hosts').fill('https://api.example.com/')
    await page.getByRole('button', { name: 'Store credential' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await row(page, 'crm').getByText('…9876').waitFor()
    await row(page, 'crm').getByText('api.example.com').waitFor()
    assert.ok(!(await page.content()).includes('a-long-secret'))
    await assertSound(page)
    await screenshot(page, 'credentials')

    await choose(page, 'crm', 'Replace')
    await page.getByLabel('Value').waitFor({ state: 'visible' })
    await assertSound(page)
    await page.getByLabel('Kind').click()
    await page.getByRole('option', { name: 'Bearer token' }).click()
    await page.getByLabel('Token').fill('another-secret-1234')
    await page.getByRole('button', { name: 'Replace' }).click()
    await row(page, 'crm').getByText('…1234').waitFor()

    const data = {
      nodes: [
        {
          id: 'ask',
          type: 'http.request',
          position: { x: 0, y: 0 },
          data: { url: 'https://api.example.com/', credential: 'gone' },
        },
      ],
      connections: [],
    }
    const workflow = await addWorkflow(app, 'Asks', data)
    await page.goto(`${app.server.url}/console/workflows/${workflow}`)
    await page.locator('#node-ask').click()
    const inspector = page.getByRole('complementary', { name: 'Inspector' })
    await inspector
      .getByText(/There is no credential .gone/)
      .first()
      .waitFor()
    await inspector.getByLabel('Credential').click()
    await page.getByRole('option', { name: 'crm', exact: true }).click()
    await inspector.getByText(/There is no credential .gone/).waitFor({ state: 'detached' })
    await assertSound(page)

    await storeOwnKey(page)
    await deleteUnused(page, 'crm')
  }))

async function deleteUnused(page: ConsolePage, name: string) {
  await choose(page, name, 'Delete')
  await page.getByText('No workflow uses it.').waitFor()
  await assertSound(page)
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await row(page, name).waitFor({ state: 'detached' })
}

/** A key of a model provider, which has a provider in place of hosts. */
async function storeOwnKey(page: ConsolePage) {
  await page.goto(`${app.server.url}/console/developer/credentials?new=true`)
  await page.getByLabel('Name').fill('my-openai')
  await page.getByLabel('Kind').click()
  await page.getByRole('option', { name: 'Model provider key' }).click()
  await page.getByLabel('Key', { exact: true }).fill('an-own-key-5678')
  await page.getByRole('button', { name: 'Store credential' }).click()
  await page.getByText('Choose the provider').waitFor()
  await assertSound(page)
  await page.getByLabel('Provider').click()
  await page.getByRole('option', { name: 'openai', exact: true }).click()
  await page.getByRole('button', { name: 'Store credential' }).click()
  await row(page, 'my-openai').getByText('openai', { exact: true }).waitFor()

  const at = { id: 'write', type: 'text.generate', position: { x: 0, y: 0 } }
  const nodes = [{ ...at, data: { model: 'openai/gpt-6-luna', prompt: 'Hello' } }]
  const workflow = await addWorkflow(app, 'Writes', { nodes, connections: [] })
  await page.goto(`${app.server.url}/console/workflows/${workflow}`)
  await page.locator('#node-write').click()
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  const unavailable = inspector.getByText(/this server has no key for/).first()
  await unavailable.waitFor()
  // By its name: it is among the models that the list offers.
  assert.match(await inspector.getByLabel('Model').inputValue(), /^GPT/)
  await inspector.getByLabel('Credential').click()
  await page.getByRole('option', { name: 'my-openai', exact: true }).click()
  await unavailable.waitFor({ state: 'detached' })
  await assertSound(page)
  await page.goto(`${app.server.url}/console/developer/credentials`)
}

/** A receiver that answers as it is told, and how often it was asked. */
async function receiver(statuses: number[]) {
  let asked = 0
  const server = createServer((_request, response) => {
    response.statusCode = statuses[Math.min(asked++, statuses.length - 1)] ?? 200
    response.end('heard')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    count: () => asked,
    close: () => server.close(),
  }
}

test('the secret is shown and rotated, an address tested, a delivery seen and sent again', () =>
  app.open('/developer/webhooks', async (page) => {
    const hook = await receiver([410, 200])
    try {
      await page.getByText('No deliveries yet').waitFor()
      await assertSound(page)
      await page.getByRole('button', { name: 'Show the secret' }).click()
      const first = await page.getByText(/^whsec_[A-Za-z0-9+/]/).textContent()
      await page.getByRole('button', { name: 'Rotate' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
      await page.getByText('Two signatures for now').waitFor()
      assert.notEqual(await page.getByText(/^whsec_[A-Za-z0-9+/]/).textContent(), first)

      await page.getByLabel('Address').fill('http://169.254.169.254/')
      page.expected.push(/422/)
      await page.getByRole('button', { name: 'Send a test' }).click()
      await page
        .getByText(/not allowed|private|refused|public/i)
        .first()
        .waitFor()

      await runWithCallback(hook.url)
      await page.reload()
      await page.getByText('Disabled by 410').first().waitFor()
      await assertSound(page)
      await page.getByRole('button', { name: 'Run completed' }).click()
      const panel = page.getByRole('complementary', { name: 'Delivery' })
      await panel.getByText('Answered 410', { exact: true }).waitFor()
      await panel.getByText('"workflow.run.completed"').waitFor()
      await assertSound(page)
      await panel.getByRole('button', { name: 'Send again' }).click()
      await panel.getByText('Answered 200').waitFor()
      assert.equal(hook.count(), 2)
      await page.keyboard.press('Escape')
      await panel.waitFor({ state: 'detached' })

      await page.getByLabel('Address').fill(hook.url)
      await page.getByRole('button', { name: 'Send a test' }).click()
      await page.getByText('Answered 200').waitFor()
      await screenshot(page, 'webhooks')
    } finally {
      hook.close()
    }
  }))

async function runWithCallback(callbackUrl: string) {
  const data = {
    nodes: [
      { id: 'in', type: 'input.text', data: { default: 'hello' } },
      { id: 'out', type: 'output', data: {} },
    ],
    connections: [{ source: 'in', target: 'out' }],
  }
  const stored = await app.server.call({
    method: 'POST',
    path: `${P}/workflows`,
    json: { name: 'Echo', data },
  })
  const started = await app.server.call({
    method: 'POST',
    path: `${P}/workflows/${stored.body.data.id}/runs`,
    headers: { 'idempotency-key': callbackUrl },
    json: { callbackUrl },
  })
  assert.equal(started.status, 202, started.text)
}

test('every way to connect names this server and no key', () =>
  app.open('/developer/connect', async (page) => {
    for (const name of ['curl', 'JavaScript', 'OpenAI SDK', 'MCP', 'Skills']) {
      await page.getByRole('tab', { name }).click()
      const panel = page.getByRole('tabpanel', { name })
      await panel.getByText(app.server.url).first().waitFor()
      assert.doesNotMatch((await panel.textContent()) ?? '', /sk_/)
      await assertSound(page)
    }
    assert.match(page.url(), /with=skills/)
  }))

test('the audit log tells what was done, is filtered and exported', () =>
  app.open('/developer/audit', async (page) => {
    await page.getByText('Signed in').first().waitFor()
    await assertSound(page)
    await page.getByLabel('Action').click()
    await page.getByRole('option', { name: 'Server’s secret key replaced' }).click()
    await page.getByText('No entries match these filters').waitFor()
    await assertSound(page)
    await page.getByRole('button', { name: 'Clear' }).click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ])
    assert.equal(file.suggestedFilename(), 'audit.csv')
    await page.reload()
    await row(page, 'Audit log exported').waitFor()
    await assertSound(page)
    await screenshot(page, 'audit')
  }))

test('the account is renamed, limited, and its password changed', () =>
  app.open('/settings/account', async (page) => {
    await page.getByLabel('Name of the account').fill('Workshop')
    await page.getByLabel('Spend limit per month').fill('-1')
    await page.getByText('Enter 0 or more').waitFor()
    await assertSound(page)
    await page.getByLabel('Spend limit per month').fill('20')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    await page.getByLabel('Current password').fill('not my password')
    await page.getByLabel('New password').fill('another long password')
    page.expected.push(/401/)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('current password is wrong').waitFor()
    await assertSound(page)
    await page.goto(`${app.server.url}/console/`)
    await page.getByText('of $20.00').waitFor()
  }))
