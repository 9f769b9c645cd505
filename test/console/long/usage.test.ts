import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { formatMoney } from '#console/lib/money.ts'
import {
  assertSound,
  type ConsoleTest,
  screenshot,
  startConsole,
} from '../../support/console-browser.ts'
import { P } from '../../support/server.ts'

let app: ConsoleTest
let folder: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atelier-usage-'))
  const pricing = { inputPerMillionTokens: 700, outputPerMillionTokens: 2_100 }
  await writeFile(
    join(folder, 'models.json'),
    JSON.stringify({
      models: [
        { id: 'demo-text', pricing },
        { id: 'demo-image', pricing: { perImage: 0.04 } },
      ],
    }),
  )
  app = await startConsole({ MODELS_FILE: join(folder, 'models.json') })
})
after(async () => {
  await app[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

test('an account that called nothing is told what will be here', () =>
  app.open('/usage', async (page) => {
    await page.getByRole('heading', { name: 'No calls in this period' }).waitFor()
    await assertSound(page)
  }))

test('what the page and its CSV say is what the ledger holds', () =>
  app.open('/usage', async (page) => {
    await makeCalls()
    await page.reload()
    const sums = ledgerSums(join(app.server.dataDir, 'atelier.db'))
    const table = page.getByRole('region', { name: 'Spend per day by model' })
    await table.waitFor()
    assert.equal(
      await page.getByRole('main').locator('strong').first().textContent(),
      formatMoney(sums.micros / 1e6, 'USD', 'en-GB'),
    )
    await screenshot(page, 'usage-light-1280')
    await assertSound(page)

    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV' }).click()
    const rows = (await readFile(await (await download).path(), 'utf8')).trim().split('\r\n')
    const cells = rows.slice(1).map((row) => row.split(','))
    const sum = (column: number) => cells.reduce((all, row) => all + Number(row[column]), 0)
    assert.deepEqual(
      [sum(3), sum(5), sum(6), Math.round(sum(9) * 1e6)],
      [sums.calls, sums.inputTokens, sums.outputTokens, sums.micros],
    )

    await page.getByRole('combobox', { name: 'Measure' }).click()
    await page.getByRole('option', { name: 'Calls', exact: true }).click()
    await page.waitForURL(/measure=calls/)
    await page.getByRole('region', { name: 'Calls per day by model' }).waitFor()

    markTiers(['batch', 'flex'])
    await page.getByRole('button', { name: /: \d/ }).last().click()
    const panel = page.getByRole('complementary', { name: /^Calls, / })
    const listed = panel.getByRole('listitem')
    await listed.nth(sums.calls - 1).waitFor()
    assert.equal(await listed.count(), sums.calls)
    assert.equal(await listed.getByText('in a batch').count(), 1)
    assert.equal(await listed.getByText('flex tier').count(), 1)
    await screenshot(page, 'usage-calls-light-1280')
    await assertSound(page)
    await panel.getByRole('button', { name: 'Close' }).click()
    await panel.waitFor({ state: 'detached' })
  }))

test('a budget of a workflow is set, raised for a time, and removed', async () => {
  const data = { nodes: [{ id: 'topic', type: 'input.text', data: {} }], connections: [] }
  const json = { name: 'Weekly letter', data }
  await app.server.call({ method: 'POST', path: `${P}/workflows`, json })
  await app.open('/usage/budgets', async (page) => {
    page.expected.push(/422/)
    await page.getByText('No budgets yet').waitFor()
    await assertSound(page)
    await page.getByRole('button', { name: 'New budget' }).click()
    await page.getByLabel('For', { exact: true }).click()
    await page.getByRole('option', { name: 'A workflow' }).click()
    await page.getByRole('button', { name: 'Set budget' }).click()
    await page.getByText('Say which one.').waitFor()
    await page.getByLabel('Workflow', { exact: true }).click()
    await page.getByRole('option', { name: /Weekly letter/ }).click()
    await page.getByLabel(/^Limit/).fill('12.5')
    await assertSound(page)
    await page.getByRole('button', { name: 'Set budget' }).click()
    const row = page.getByRole('row', { name: /Workflow Weekly letter/ })
    await row.getByText('$12.50').first().waitFor()
    const menu = async (item: string) => {
      await row.getByRole('button', { name: /^Actions for/ }).click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    await menu('Raise for a time')
    await page.getByLabel(/^How much more/).fill('5')
    await assertSound(page)
    await page.getByRole('button', { name: 'Raise', exact: true }).click()
    await row.getByText('$5.00 more, ends').waitFor()
    await assertSound(page)
    await menu('Remove')
    await page.getByRole('button', { name: 'Remove budget' }).click()
    await page.getByText('No budgets yet').waitFor()
  })
})

test('an owner settles calls whose outcome is unknown, and nobody else is offered to', async () => {
  const countedMicros = loseOneCall(join(app.server.dataDir, 'atelier.db'))
  const cardOf = (page: Page) =>
    page.locator('section').filter({ has: page.getByRole('heading', { name: 'Unsettled calls' }) })
  // The calls count whatever the period.
  await app.open(
    '/usage?from=2020-01-01&to=2020-01-02',
    async (page) => {
      await page.getByRole('heading', { name: 'No calls in this period' }).waitFor()
      await cardOf(page).getByText('Process lost').waitFor()
      await screenshot(page, 'usage-unsettled-dark-380')
      await assertSound(page)
    },
    { width: 380, theme: 'dark' },
  )
  await app.open('/usage', async (page) => {
    await page.route('**/api/console/v1/session', async (route) => {
      const response = await route.fetch()
      const json = await response.json()
      json.data.session.role = 'editor'
      await route.fulfill({ response, json })
    })
    await page.reload()
    await cardOf(page).getByText('Process lost').waitFor()
    assert.equal(await cardOf(page).getByRole('button', { name: 'Settle' }).count(), 0)
  })
  await app.open('/usage', async (page) => {
    await cardOf(page).getByRole('button', { name: 'Settle' }).click()
    const dialog = page.getByRole('dialog', { name: 'Settle this call' })
    await dialog.getByText(formatMoney(countedMicros / 1e6, 'USD', 'en-GB')).waitFor()
    const cost = dialog.getByLabel('What it did cost, in USD')
    await cost.fill('-1')
    assert.ok(await dialog.getByRole('button', { name: 'Settle' }).isDisabled())
    await cost.fill('0.02')
    await screenshot(page, 'usage-settle-light-1280')
    await assertSound(page)
    await dialog.getByRole('button', { name: 'Settle' }).click()
    await cardOf(page).waitFor({ state: 'detached' })
  })
})

test('what own keys were billed for is told beside the sum', async () => {
  const db = new DatabaseSync(join(app.server.dataDir, 'atelier.db'))
  db.exec("update usage_quarters set own_keys_micros = 20000 where model = 'demo-image'")
  db.close()
  await app.open('/usage', async (page) => {
    const words = `${formatMoney(0.02, 'USD', 'en-GB')} of it with your own keys`
    await page.getByText(words, { exact: true }).waitFor()
    await screenshot(page, 'usage-own-keys-light-1280')
    await assertSound(page)
  })
})

test('what runs were expected to cost stands beside what they did, with the error', async () => {
  const data = {
    nodes: [
      { id: 'draw', type: 'image.generate', data: { model: 'demo-image', prompt: 'A pier' } },
      { id: 'out', type: 'output', data: {} },
    ],
    connections: [{ source: 'draw', sourceHandle: 'image', target: 'out' }],
  }
  const path = `${P}/workflows`
  const made = await app.server.call({ method: 'POST', path, json: { name: 'Pier', data } })
  for (const key of ['one', 'two']) {
    const { body } = await app.server.call({
      method: 'POST',
      path: `${path}/${made.body.data.id}/runs`,
      headers: { 'idempotency-key': key },
    })
    for (let status = ''; status !== 'COMPLETED'; ) {
      await pause(20)
      status = (await app.server.call(`${P}/workflow-runs/${body.data.runId}`)).body.data.status
      assert.notEqual(status, 'FAILED')
    }
  }
  await app.open('/usage?split=workflow', async (page) => {
    const row = page.getByRole('row', { name: 'Pier' })
    await row.getByText('exact').waitFor()
    const spent = formatMoney(0.08, 'USD', 'en-GB')
    const cells = await row.getByRole('cell').allTextContents()
    assert.deepEqual(cells.slice(-4), ['2', spent, spent, 'exact'])
    await page.getByText('2 completed runs').waitFor()
  })
  await app.open('/workflows', async (page) => {
    await page
      .getByRole('row', { name: /Pier/ })
      .getByText(formatMoney(0.08, 'USD', 'en-GB'))
      .waitFor()
    await assertSound(page)
    await page.getByRole('button', { name: 'Delete Pier' }).click()
    const dialog = page.getByRole('dialog')
    assert.ok(await dialog.getByRole('button', { name: 'Delete permanently' }).isDisabled())
    await dialog.getByRole('textbox').fill(String(made.body.data.id))
    await assertSound(page)
    await dialog.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByRole('row', { name: /Pier/ }).waitFor({ state: 'detached' })
  })
})

/** As if the process had died during a call. Returns what it counts as. */
function loseOneCall(path: string): number {
  using db = new DatabaseSync(path)
  const first = `select min(attempt) from ledger where outcome = 'SUCCEEDED'`
  const lose = `update ledger set outcome = 'UNKNOWN', remark = 'LOST' where attempt = (${first})`
  const [row] = db.prepare(`${lose} returning cost_micros`).all()
  return Number(row?.cost_micros)
}

async function makeCalls() {
  for (const content of ['What is 2 + 3?', 'What is 12% of 250?', 'Who are you?']) {
    const answer = await app.server.call({
      method: 'POST',
      path: `${P}/chat/completions`,
      json: { model: 'demo-text', messages: [{ role: 'user', content }] },
    })
    assert.equal(answer.status, 200, answer.text)
  }
  const { body } = await app.server.call({
    method: 'POST',
    path: `${P}/images/generations`,
    json: { model: 'demo-image', messages: [{ role: 'user', content: 'A quiet harbour' }] },
  })
  for (let status = ''; status !== 'COMPLETED'; ) {
    await pause(20)
    status = (await app.server.call(`${P}/tasks/${body.taskId}`)).body.data.status
    assert.notEqual(status, 'FAILED')
  }
  // Asking for usage writes what is still in the chat log.
  await app.open('/usage', (page) => page.getByRole('button', { name: 'CSV' }).waitFor())
}

/** As if vendors had answered chats so. */
function markTiers(tiers: readonly string[]) {
  using db = new DatabaseSync(join(app.server.dataDir, 'atelier.db'))
  const mark = db.prepare(
    `update ledger set via = ? where attempt =
       (select attempt from ledger where operation = 'chat' and via is null limit 1)`,
  )
  for (const tier of tiers) mark.run(JSON.stringify({ tier }))
}

/** The count kept outside: the rows themselves, read with another program. */
function ledgerSums(path: string) {
  using db = new DatabaseSync(path, { readOnly: true })
  const rows = db
    .prepare("select units, cost_micros from ledger where outcome <> 'PENDING'")
    .all() as { units: string; cost_micros: number }[]
  const units = rows.map((row) => JSON.parse(row.units) as Record<string, number>)
  const sum = (name: string) => units.reduce((all, one) => all + (one[name] ?? 0), 0)
  return {
    calls: rows.length,
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    micros: rows.reduce((all, row) => all + row.cost_micros, 0),
  }
}
