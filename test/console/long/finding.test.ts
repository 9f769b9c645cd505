import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
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

const graph = (label: string, model = 'demo-text') => ({
  nodes: [
    { id: 'text', type: 'text.generate', data: { label, model, prompt: 'Hello' } },
    { id: 'out', type: 'output', data: {} },
  ],
  connections: [{ source: 'text', sourceHandle: 'text', target: 'out' }],
})

let app: ConsoleTest
before(async () => {
  app = await startConsole()
  for (let number = 1; number <= 60; number++)
    await addWorkflow(app, `Report ${number}`, graph('Summarise the quarter'))
  await addWorkflow(app, 'Lighthouse', graph('Describe the harbour', 'demo-code'))
})
after(() => app[Symbol.asyncDispose]())

const rows = (page: ConsolePage) =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader') })
const search = (page: ConsolePage) => page.getByRole('searchbox', { name: /^Name, label/ })

test('a workflow is found by what is in it, sorted, and by its address', () =>
  app.open('/workflows', async (page) => {
    await page.getByText('50 of 61 workflows').waitFor()
    assert.match(await rows(page).first().innerText(), /Lighthouse/)
    await page.getByRole('button', { name: 'More' }).last().click()
    await page.getByText('11 of 61 workflows').waitFor()
    await page.goBack()
    await page.keyboard.press('/')
    await search(page).pressSequentially('harbour')
    await page.getByText('1 of 1 workflows').waitFor()
    await page.waitForURL(/q=harbour/)
    await assertSound(page)
    await search(page).fill('no such thing')
    await page.getByText('Nothing matches “no such thing”').waitFor()
    await assertSound(page)
    await page.getByRole('button', { name: 'Clear search' }).last().click()
    await page.getByRole('combobox', { name: 'Order' }).click()
    await page.getByRole('option', { name: 'By name' }).click()
    await page.waitForURL(/sort=name/)
    await rows(page).first().getByText('Lighthouse').waitFor()
  }))

let exported = ''

test('many are tagged, exported and duplicated at once, with the keyboard too', () =>
  app.open(
    '/workflows?sort=name',
    async (page) => {
      await page.getByRole('link', { name: 'Lighthouse' }).focus()
      await page.keyboard.press('x')
      await page.getByText('1 workflow selected').waitFor()
      await page.getByRole('link', { name: 'Report 10', exact: true }).focus()
      await page.keyboard.press('X')
      await page.getByText('3 workflows selected').waitFor()
      await page.getByRole('button', { name: 'Tag', exact: true }).click()
      await page.getByLabel('Add tags').fill('coast, quarterly')
      await assertSound(page)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('link', { name: 'coast' }).first().waitFor()
      await screenshot(page, 'workflows-light-1440')
      await page.getByRole('link', { name: 'coast' }).first().click()
      await page.getByText('3 of 3 workflows').waitFor()
      await page.getByRole('button', { name: 'Select these 3' }).click()
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export' }).click(),
      ])
      const saved = JSON.parse(readFileSync((await file.path()) ?? '', 'utf8'))
      assert.deepEqual(saved.workflows.map(({ name }: { name: string }) => name).sort(), [
        'Lighthouse',
        'Report 1',
        'Report 10',
      ])
      await page.getByRole('button', { name: 'Duplicate', exact: true }).click()
      await page.getByText('6 of 6 workflows').waitFor()
      await page.getByText(/^Copied the saved versions/).waitFor()
      await page.getByRole('button', { name: 'Call Lighthouse from a terminal' }).first().click()
      const call = page.getByRole('dialog', { name: 'Call Lighthouse from a terminal' })
      await call.getByText(/curl -s .*\/workflows\/\d+\/runs/).waitFor()
      await assertSound(page)
      await page.keyboard.press('Escape')
      exported = JSON.stringify(saved)
    },
    { width: 1440 },
  ))

test('all that match are deleted, unless their number has changed; an export comes back', () =>
  app.open(
    '/workflows?q=report',
    async (page) => {
      await page.getByText('50 of 62 workflows').waitFor()
      await page.getByRole('button', { name: 'Select these 50' }).click()
      await page.getByRole('button', { name: 'Select all 62 that match' }).click()
      await page.getByText('62 workflows selected').waitFor()
      // Somebody else adds one meanwhile: nothing is deleted.
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByText('Delete 62 workflows?').waitFor()
      const otherId = await addWorkflow(app, 'Report of somebody else', graph('x'))
      const json = { name: 'Every Monday', kind: 'SCHEDULE', cron: '0 9 * * 1' }
      const path = `${P}/workflows/${otherId}/triggers`
      assert.equal((await app.server.call({ method: 'POST', path, json })).status, 200)
      await page.getByLabel('Type 62 to confirm').fill('62')
      page.expected.push(/412/)
      await page.getByRole('button', { name: 'Delete permanently' }).click()
      await page.getByText('These are 63 workflows by now. Nothing was changed.').waitFor()
      await assertSound(page)
      // The dialog is about all that match now, and asks again.
      await page.getByText('50 of 63 workflows').waitFor()
      await page.getByText('1 trigger will stop').waitFor()
      await page.getByText('Every Monday').waitFor()
      await page.getByLabel('Type 63 to confirm').fill('63')
      await page.getByRole('button', { name: 'Delete permanently' }).click()
      await page.getByText('Nothing matches “report”').waitFor()
      const left = await app.server.call({ path: `${P}/workflows` })
      assert.equal(left.body.data.total, 2)

      // What was exported can be imported again.
      await page.goto(`${app.server.url}/console/workflows/new`)
      const buffer = Buffer.from(exported)
      const copy = { name: 'workflows.json', mimeType: 'application/json', buffer }
      await page.getByLabel('Import a workflow').setInputFiles(copy)
      await page.getByRole('heading', { name: 'Drafts of new workflows' }).waitFor()
      assert.equal(await page.getByRole('button', { name: /^Delete the draft/ }).count(), 3)
    },
    { width: 1440 },
  ))

test('the search of everything asks the server, and says when it fails', () =>
  app.open('/', async (page) => {
    await page.getByRole('button', { name: /^Search/ }).click()
    const field = page.getByRole('combobox', { name: 'Search and commands' })
    await field.fill('harbour')
    await page
      .getByRole('option', { name: /Lighthouse\s*Workflow/ })
      .first()
      .waitFor()
    await assertSound(page)
    await field.fill('demo-image')
    await page.getByRole('option', { name: /Demo image · embedded\s*Model/ }).waitFor()
    // While the server is asked, nothing is said to be missing.
    const { promise: held, resolve: answer } = Promise.withResolvers<void>()
    await page.route('**/api/console/v1/search*', async (route) => {
      await held
      await route.continue()
    })
    await field.fill('lantern')
    await page.getByRole('status').filter({ hasText: 'Searching…' }).waitFor()
    assert.equal(await page.getByText('Nothing matches.').count(), 0)
    answer()
    await page.getByText('Nothing matches.').waitFor()
    await page.unroute('**/api/console/v1/search*')
    // An answer, because after a lost connection everything is asked for again by itself.
    const error = { code: 'INTERNAL_ERROR', message: 'Something went wrong on this server.' }
    const json = { success: false, error: { ...error, details: {}, requestId: 'r' } }
    await page.route('**/api/console/v1/search*', (route) => route.fulfill({ status: 500, json }))
    page.expected.push(/Failed to load/)
    await field.fill('somewhere')
    await page.getByRole('option', { name: /Search failed. Retry/ }).waitFor()
    await page.unroute('**/api/console/v1/search*')
    await page.getByRole('option', { name: /Search failed. Retry/ }).click()
    await page.getByRole('option', { name: /Search failed/ }).waitFor({ state: 'detached' })
    await field.fill('lighthouse')
    await page
      .getByRole('option', { name: /Lighthouse\s*Workflow/ })
      .first()
      .click()
    await page.waitForURL(/\/workflows\/\d+/)
  }))

test('a call of a workflow finds it on the server, and the gallery is paged and searched', async () => {
  const data = {
    nodes: [
      { id: 'call', type: 'workflow.call', data: {} },
      { id: 'out', type: 'output', data: {} },
    ],
    connections: [],
  }
  const draftId = crypto.randomUUID()
  for (const content of ['A quiet harbour', 'A red boat']) {
    const json = { model: 'demo-image', messages: [{ role: 'user', content }] }
    const made = await app.server.call({ method: 'POST', path: `${P}/images/generations`, json })
    const path = `${P}/tasks/${made.body.data.taskId}`
    while ((await app.server.call({ path })).body.data.status !== 'COMPLETED');
  }
  await app.open('/playground/image', async (page) => {
    await page.evaluate(
      ([id, graph]) =>
        fetch(`/api/console/v1/drafts/${id}`, {
          method: 'PUT',
          headers: { 'content-type': 'application/json', 'if-none-match': '*' },
          body: JSON.stringify({ name: 'Calls', data: graph }),
        }),
      [draftId, data] as const,
    )
    await page.getByRole('button', { name: 'Gallery' }).click()
    await page.getByText('2 of 2 tasks').waitFor()
    await page.getByRole('searchbox', { name: 'Words of the prompt' }).fill('red')
    await page.getByText('1 of 1 tasks').waitFor()
    await assertSound(page)
    await page.getByRole('button', { name: 'A red boat' }).click()

    await page.goto(`${app.server.url}/console/workflows/${draftId}?node=call`)
    const field = page.getByRole('combobox', { name: 'Workflow', exact: true })
    await field.fill('describe the harbour')
    await page
      .getByRole('option', { name: /Lighthouse #/ })
      .first()
      .click()
    assert.match(await field.inputValue(), /Lighthouse/)
  })
})
