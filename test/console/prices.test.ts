import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import {
  assertSound,
  type ConsoleTest,
  screenshot,
  startConsole,
} from '../support/console-browser.ts'

const folder = mkdtempSync(join(tmpdir(), 'atelier-prices-'))
const path = join(folder, 'prices.json')
const prices = (content: object) =>
  JSON.stringify({ source: 'https://example.com/list', date: '2026-11-17', ...content })

let app: ConsoleTest
before(async () => {
  writeFileSync(path, prices({ prices: { 'fal/kling-3-4k': { perSecond: 0.5 } } }))
  app = await startConsole({ FAL_KEY: 'none', PRICES_FILE: path })
})
after(async () => {
  await app[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const card = 'Models without a price'

test('an owner sets the stand-in price of a model, changes it and removes it', () =>
  app.open('/settings/account', async (page) => {
    await page.getByRole('heading', { name: card }).waitFor()
    await page.getByText('Refused under a limit').first().waitFor()
    await page.getByRole('button', { name: 'Set a price for fal/veo-3.1-fast' }).click()
    await page.getByRole('button', { name: 'Save' }).last().click()
    await page.getByText('Enter 0 or more.').waitFor()
    await assertSound(page)
    await page.getByLabel('Per second, in USD').fill('0.4')
    await page.getByRole('button', { name: 'Save' }).last().click()
    await page.getByText('Stand-in: $0.40 per second').waitFor()
    await page.getByText('https://example.com/list, 2026-11-17').waitFor()
    await assertSound(page)
    await page.getByRole('button', { name: 'Change the price for fal/veo-3.1-fast' }).click()
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Stand-in: $0.40 per second').waitFor({ state: 'detached' })
  }))

for (const theme of ['light', 'dark'] as const) {
  for (const width of [1280, 380]) {
    test(`the prices can be read in ${theme} at ${width} pixels`, () =>
      app.open(
        '/settings/account',
        async (page) => {
          await page.getByRole('button', { name: 'Set a price for fal/veo-3.1-fast' }).click()
          await page.getByLabel('Per second, in USD').waitFor()
          await assertSound(page)
          const box = await page.getByRole('heading', { name: card }).boundingBox()
          assert.ok(box && box.x >= 0 && box.x + box.width <= width)
          await screenshot(page, `prices-${theme}-${width}`)
        },
        { theme, width },
      ))
  }
}

test('the playground says where a price is from, and of which day', () =>
  app.open('/playground/video', async (page) => {
    await page.getByRole('combobox', { name: 'Model' }).fill('Kling')
    await page.getByRole('option', { name: /Kling 3.0 4K/ }).click()
    await page.getByText(/price of .*2026 from example\.com/).waitFor()
    await assertSound(page)
    await screenshot(page, 'prices-playground')
  }))

test('a prices file with a mistake is shown under Connect', async () => {
  writeFileSync(path, prices({ prices: { a: { perImage: -1 } } }))
  await app.open('/developer/connect', async (page) => {
    const banner = page.getByText('The prices file has a mistake')
    while (!(await banner.isVisible())) await page.reload()
    await assertSound(page)
  })
})
