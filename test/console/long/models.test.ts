import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Locator } from 'playwright-core'
import {
  assertSound,
  type ConsolePage,
  type ConsoleTest,
  screenshot,
  startConsole,
  views,
} from '../../support/console-browser.ts'
import { addWorkflow } from '../canvas-page.ts'

const folder = mkdtempSync(join(tmpdir(), 'atelier-prices-'))
const path = join(folder, 'prices.json')
const prices = (content: object) =>
  JSON.stringify({ source: 'https://example.com/list', date: '2026-11-17', ...content })

const modelsPath = join(folder, 'models.json')
/** A server of the operator's. */
const shed = createServer(({ url }, response) => {
  const data = [{ id: 'tiny', max_model_len: 4096 }, { id: 'small-embed' }, { id: 'large' }]
  response.writeHead(url === '/v1/models' ? 200 : 404).end(JSON.stringify({ data }))
})

let app: ConsoleTest
before(async () => {
  writeFileSync(path, prices({ prices: { 'fal/kling-3-4k': { perSecond: 0.5 } } }))
  // Real providers have long names and prices. Nothing is sent to them here.
  const keys = { OPENAI_API_KEY: 'none', ANTHROPIC_API_KEY: 'none', FAL_KEY: 'none' }
  shed.listen(0, '127.0.0.1')
  await once(shed, 'listening')
  const baseUrl = `http://127.0.0.1:${(shed.address() as AddressInfo).port}/v1`
  const endpoints = [
    { name: 'shed', baseUrl },
    { name: 'attic', baseUrl: 'http://127.0.0.1:9/v1' },
  ]
  writeFileSync(modelsPath, JSON.stringify({ endpoints }))
  app = await startConsole({ ...keys, PRICES_FILE: path, MODELS_FILE: modelsPath })
})
after(async () => {
  shed.close()
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

for (const { theme, width } of views([380, 1280])) {
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

test('the playground says where a price is from, and of which day', () =>
  app.open('/playground/video', async (page) => {
    await page.getByRole('combobox', { name: 'Model' }).fill('Kling')
    await page.getByRole('option', { name: /Kling 3.0 4K/ }).click()
    await page.getByText(/price of .*2026 from example\.com/).waitFor()
    await assertSound(page)
    await screenshot(page, 'prices-playground')
  }))

/** The chosen row of an open picker: as wide as promised, inside the window, with all its words. */
async function assertReadable(page: ConsolePage, option: Locator) {
  const field = await page.getByRole('combobox', { name: 'Model' }).boundingBox()
  const list = await page.getByRole('listbox').boundingBox()
  const width = page.viewportSize()?.width ?? 0
  assert.ok(field && list && list.x >= 0 && list.x + list.width <= width)
  assert.ok(list.width >= Math.min(Math.max(field.width, 384) - 2, width - 20), `${list.width} px`)
  const cut = await option.evaluate((row) =>
    [...row.querySelectorAll('span')].some((part) => part.scrollWidth > part.clientWidth + 1),
  )
  assert.equal(cut, false, 'a name or price is cut')
}

test('the picker of a node is as readable as the others, beside the canvas', async () => {
  const data = {
    nodes: [
      { id: 'text', type: 'text.generate', data: { model: 'demo-text', prompt: 'Hello' } },
      { id: 'out', type: 'output', data: {} },
    ],
    connections: [{ source: 'text', sourceHandle: 'text', target: 'out' }],
  }
  const id = await addWorkflow(app, 'Picking', data)
  await app.open(
    `/workflows/${id}?node=text`,
    async (page) => {
      await page.getByText('No problems').first().waitFor()
      // The panel has pushed the graph aside and covers none of it.
      const panel = await page.getByRole('complementary', { name: 'Inspector' }).boundingBox()
      const last = await page.locator('#node-out').boundingBox()
      assert.ok(panel && last && last.x + last.width <= panel.x, 'a node is covered')
      const model = page.getByRole('combobox', { name: 'Model' })
      await model.fill('Claude Fable')
      const option = page.getByRole('option', { name: /Claude Fable 5\.1/ })
      assert.match(await option.innerText(), /Anthropic · \$10\.00 in, \$50\.00 out/)
      await assertReadable(page, option)
      await screenshot(page, 'picker-canvas-1440')
      await option.click()
      assert.equal(await model.inputValue(), 'Claude Fable 5.1')
      // Models without a key are listed in place. One that is typed in full stays, and says so.
      await model.fill('gemini')
      await page.getByText(/^\d+ more need a key$/).waitFor()
      await screenshot(page, 'picker-canvas-keyless')
      await model.fill(keyless)
      await page.keyboard.press('Tab')
      await page.getByText('Neither the server nor your account has a key for gemini.').waitFor()
      await page.getByText('Draft saved').waitFor()
      await page.reload()
      await page.getByText('has a key for gemini').first().waitFor()
      await page.locator('#node-text').getByText(keyless).waitFor()
      assert.equal(
        await page.getByRole('link', { name: 'Add a key' }).getAttribute('target'),
        '_blank',
      )
      await assertSound(page)
      await screenshot(page, 'picker-canvas-no-key')
    },
    { width: 1440, height: 900 },
  )
})

const keyless = 'gemini/gemini-3.8-flash'

const pickers = [
  ['/playground/chat', 'Claude Sonnet', /Anthropic · \$2\.00 in, \$10\.00 out .* · 1m context/],
  ['/playground/image', 'GPT Image', /OpenAI · \$5\.00 in, \$30\.00 out per M tokens/],
  ['/playground/video', 'Kling', /fal · \$0\.50 a second/],
] as const

for (const [path, typed, line] of pickers) {
  test(`the picker at ${path} shows names, providers and prices, and finds ids`, () =>
    app.open(
      path,
      async (page) => {
        const model = page.getByRole('combobox', { name: 'Model' })
        await model.fill(typed)
        const option = page.getByRole('option', { name: new RegExp(typed) }).first()
        assert.match(await option.innerText(), line)
        await assertReadable(page, option)
        await assertSound(page)
        // On a phone, a chat has its model in a sheet.
        if (path !== '/playground/chat') {
          await page.setViewportSize({ width: 380, height: 800 })
          await assertReadable(page, option)
        }
        await screenshot(page, `picker-${path.split('/').at(-1)}-380`)
        await page.setViewportSize({ width: 1440, height: 900 })
        // By provider, and by id.
        await model.fill('embedded')
        await page.getByRole('option', { name: /Demo/ }).first().waitFor()
        await model.fill('no-such-model')
        await page.getByText('No model has this name, id or provider.').waitFor()
        await model.fill('')
        // What nobody has a key for stands last, and cannot be tried here.
        await page.getByText(/^\d+ more need a key$/).waitFor()
        const last = page.getByRole('option').last()
        assert.match(await last.innerText(), /no key/)
        assert.equal(await last.getAttribute('aria-disabled'), 'true')
        await screenshot(page, `picker-${path.split('/').at(-1)}-1440`)
      },
      { width: 1440, height: 900 },
    ))
}

test('models are found by kind, provider, capability, price and state, by their address', () =>
  app.open('/models', async (page) => {
    const rows = page.getByRole('row').filter({ has: page.getByRole('rowheader') })
    await rows.first().waitFor()
    const all = await rows.count()
    assert.equal(all, 47)
    await assertSound(page)
    const choose = async (filter: string, choice: string) => {
      await page.getByRole('combobox', { name: filter, exact: true }).click()
      await page.getByRole('option', { name: choice, exact: true }).click()
    }
    await choose('Kind', 'Image')
    await choose('Provider', 'OpenAI')
    await page.waitForURL(/kind=IMAGE&provider=openai/)
    await page.getByText('5 of 47 models').waitFor()
    await page.getByRole('button', { name: 'Clear' }).click()
    await choose('Capability', 'Searches the web')
    await choose('Order', 'Cheapest first')
    await page.getByRole('rowheader', { name: /Claude Haiku 5\.5/ }).waitFor()
    await page.reload()
    await page.getByRole('rowheader', { name: /Claude Haiku 5\.5/ }).waitFor()
    await page.getByRole('button', { name: 'Clear' }).click()
    await choose('Price', 'Price unknown')
    await page
      .getByText('No price is known, so it is refused under a spend limit.')
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Clear' }).click()
    await choose('State', 'Needs a key')
    await page
      .getByText(/has a key for gemini/)
      .first()
      .waitFor()
    assert.equal(await page.getByRole('link', { name: /^Try / }).count(), 0)
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByRole('searchbox', { name: 'Name, id or provider' }).fill('tts-1-hd')
    await page.getByText('1 of 47 models').waitFor()
    await page.getByText('Retires 6 Jan 2027').waitFor()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy id of TTS-1 HD' }).click()
    await page.getByText('Copied').first().waitFor()
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'openai/tts-1-hd')
    await page.getByRole('searchbox', { name: 'Name, id or provider' }).fill('nothing like it')
    await page.getByText('Nothing matches “nothing like it”').waitFor()
    await assertSound(page)
    await page.goto(`${app.server.url}/console/models?q=sonnet`)
    await page.getByRole('link', { name: 'Try Claude Sonnet 5.5' }).click()
    // The address names the model only until the conversation has one of its own.
    await page.waitForURL(/playground\/chat\?/)
    await page.getByRole('button', { name: 'Model and settings: Claude Sonnet 5.5' }).waitFor()
  }))

for (const { theme, width } of views([380, 1024, 1440])) {
  test(`the models can be read in ${theme} at ${width} pixels`, () =>
    app.open(
      '/models',
      async (page) => {
        await page.getByRole('rowheader').first().waitFor()
        await assertSound(page)
        await screenshot(page, `models-${theme}-${width}`)
      },
      { theme, width },
    ))
}

test('a prices file with a mistake is shown under Connect', async () => {
  writeFileSync(path, prices({ prices: { a: { perImage: -1 } } }))
  await app.open('/developer/connect', async (page) => {
    const banner = page.getByText('The prices file has a mistake')
    while (!(await banner.isVisible())) await page.reload()
    await assertSound(page)
  })
})

async function chooseModel(page: ConsolePage, place: number, name: RegExp) {
  await page.getByRole('combobox', { name: `Model ${place}` }).click()
  await page.getByRole('option', { name }).first().click()
}

test('a route is made, answers in the playground, is changed and deleted', () =>
  app.open('/models', async (page) => {
    await page.getByRole('link', { name: 'Routes' }).click()
    await page.getByText('No routes yet').waitFor()
    await assertSound(page)
    await page.getByRole('button', { name: 'Make the first route' }).click()
    await page.getByLabel('Name').fill('writer')
    await page.getByRole('button', { name: 'Make route' }).click()
    await page.getByText('Choose a model, or remove this row.').first().waitFor()
    await assertSound(page)
    await chooseModel(page, 1, /demo-text|Demo text/i)
    await chooseModel(page, 2, /demo-code|Demo code/i)
    await page.getByRole('combobox', { name: 'Which is asked first' }).click()
    await page.getByRole('option', { name: 'By weight' }).click()
    await page.getByLabel('Weight of model 1').fill('3')
    await page.getByLabel('It does not accept in time').check()
    await page.getByLabel('Pay twice rather than wait').check()
    await assertSound(page)
    await screenshot(page, 'route-dialog')
    await page.getByRole('button', { name: 'Make route' }).click()
    await page.getByRole('row', { name: /writer.*demo-text · weight 3/s }).waitFor()
    await assertSound(page)
    await screenshot(page, 'routes')
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByRole('link', { name: 'Playground' }).click()
    await page.getByRole('combobox', { name: 'Model' }).fill('writer')
    await page.getByRole('option', { name: /writer/ }).click()
    await page.getByRole('textbox', { name: 'Your message' }).fill('What is 2 + 3?')
    await page.keyboard.press('Enter')
    await page.getByText('2 + 3 = 5').waitFor()
    await page.getByRole('link', { name: 'Models' }).click()
    await page.getByRole('link', { name: 'Routes' }).click()
    await page.getByRole('button', { name: 'Actions for writer' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete route' }).click()
    await page.getByText('No routes yet').waitFor()
  }))

for (const [theme, width] of [
  ['dark', 1280],
  ['light', 380],
] as const) {
  test(`a new route can be read in ${theme} at ${width} pixels`, () =>
    app.open(
      '/models/routes?edit=new+route',
      async (page) => {
        await page.getByRole('combobox', { name: 'Model 1' }).waitFor()
        await assertSound(page)
        await screenshot(page, `route-new-${theme}-${width}`)
      },
      { theme, width },
    ))
}

for (const { theme, width } of views([380, 1280])) {
  test(`what the operator’s servers have is shown in ${theme} at ${width} pixels`, () =>
    app.open(
      '/models',
      async (page) => {
        await page.getByRole('button', { name: 'Find models' }).click()
        await page.getByText('Text · 4,096 tokens of context').waitFor()
        await page.getByText(/127\.0\.0\.1:9 cannot be reached/).waitFor()
        await assertSound(page)
        await screenshot(page, `discover-${theme}-${width}`)
      },
      { theme, width },
    ))
}

test('an operator adds some of the models that a server has', () =>
  app.open('/models', async (page) => {
    await page.getByRole('button', { name: 'Find models' }).click()
    await page.getByRole('checkbox', { name: 'shed/large' }).uncheck()
    await page.getByRole('checkbox', { name: 'They cost nothing' }).check()
    await page.getByRole('button', { name: 'Add 2 models' }).click()
    await page.getByText('2 models added').first().waitFor()
    const { models } = JSON.parse(readFileSync(modelsPath, 'utf8'))
    assert.deepEqual(
      models.map(({ id, pricing }: { id: string; pricing: object }) => [id, pricing]),
      ['shed/tiny', 'shed/small-embed'].map((id) => [
        id,
        { inputPerMillionTokens: 0, outputPerMillionTokens: 0 },
      ]),
    )
  }))
