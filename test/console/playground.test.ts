import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator } from 'playwright-core'
import {
  assertSound,
  type ConsolePage,
  type ConsoleTest,
  screenshot,
  startConsole,
} from '../support/console-browser.ts'
import { P } from '../support/server.ts'

let app: ConsoleTest
before(async () => {
  app = await startConsole()
})
after(() => app[Symbol.asyncDispose]())

/** The request as the menu copies it: never with a key. */
async function copied(page: ConsolePage, name: string): Promise<string> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Copy as code' }).click()
  await page.getByRole('menuitem', { name: `Copy as ${name}` }).click()
  await page.getByText(`Copied as ${name}`).first().waitFor()
  const text = await page.evaluate(() => navigator.clipboard.readText())
  assert.doesNotMatch(text, /sk_\w{10}/)
  return text
}

test('a chat is streamed, tells what it took, and survives a reload', () =>
  app.open('/playground/chat', async (page) => {
    await page.getByRole('textbox', { name: 'Your message' }).fill('What is 12% of 250?')
    await page.getByText('Enter sends, Shift+Enter starts a new line.').waitFor()
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Enter')
    await page.getByText('12% of 250 = 30').waitFor()
    await page.getByText(/tokens in · .* out · \$0\.00/).waitFor()
    await screenshot(page, 'chat-light-1280')
    assert.match(await copied(page, 'curl'), /^curl .*\/v1\/chat\/completions[\s\S]*12% of 250/)
    await assertSound(page)
    await page.reload()
    await page.getByText('12% of 250 = 30').waitFor()

    await page.getByRole('button', { name: 'Edit and ask again' }).click()
    await page.getByRole('textbox', { name: 'Your message' }).fill('What is 2 + 3?')
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await page.getByText('2 + 3 = 5').waitFor()
    assert.equal(await page.getByText('12% of 250 = 30').count(), 0)
  }))

test('two models answer the same question side by side', () =>
  app.open('/playground/chat', async (page) => {
    await page.getByRole('button', { name: /^Model and settings/ }).click()
    await page.getByRole('button', { name: 'Compare two models' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Ask both' }).waitFor()
    await page.getByRole('textbox', { name: 'Your message' }).fill('What is 6 * 7?')
    await page.keyboard.press('Control+Enter')
    const facts = page.getByText(/tokens in · /)
    await facts.nth(1).waitFor()
    await screenshot(page, 'chat-two-light-1280')
    await assertSound(page)
  }))

test('an image is made, leads on as an input, and becomes a workflow', () =>
  app.open('/playground/image?prompt=A%20quiet%20harbour', async (page) => {
    await assertSound(page)
    await page.getByRole('button', { name: 'Make the image' }).click()
    await page.getByRole('img', { name: 'A quiet harbour' }).waitFor()
    await screenshot(page, 'image-light-1280')
    assert.match(await copied(page, 'JavaScript'), /atelier\/client[\s\S]*A quiet harbour/)
    await assertSound(page)
    await page.getByRole('button', { name: 'Make a workflow' }).click()
    await page.waitForURL(/\/workflows\/[0-9a-f-]{36}/)
    await page.getByText('Prompt').first().waitFor()
  }))

test('several images are made at once, compared, and used again', () =>
  app.open('/playground/image?prompt=Three%20boats', async (page) => {
    await page.getByText('Costs $0.00').waitFor()
    await page.getByRole('combobox', { name: 'How many' }).click()
    await page.getByRole('option', { name: '3', exact: true }).click()
    await page.getByRole('button', { name: 'Make 3 images' }).click()
    const strip = page.getByRole('region', { name: 'Results of this session' })
    for (const name of ['Result 1, done', 'Result 2, done', 'Result 3, done'])
      await strip.getByRole('button', { name }).waitFor()
    await strip.getByRole('button', { name: 'Compare two' }).click()
    await page.getByRole('slider', { name: 'Between the two pictures' }).waitFor()
    await screenshot(page, 'image-compare-light-1280')
    await assertSound(page)
    await strip.getByRole('button', { name: 'Show one' }).click()
    await page.getByRole('button', { name: 'Use as input' }).click()
    await page.getByRole('img', { name: 'Reference picture' }).waitFor()
    const prompt = page.getByRole('textbox', { name: 'Prompt' })
    await prompt.fill('')
    await prompt.press('ArrowUp')
    assert.equal(await prompt.inputValue(), 'Three boats')
    await prompt.press('ArrowDown')
    assert.equal(await prompt.inputValue(), '')
    await prompt.fill('Half a prom')
    await page.reload()
    await strip.getByRole('button', { name: 'Result 3, done' }).waitFor()
    assert.equal(await prompt.inputValue(), 'Half a prom')
    for (const width of [380, 1024, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await screenshot(page, `image-session-${width}`)
    }
    await page.emulateMedia({ colorScheme: 'dark' })
    await assertSound(page)
    await screenshot(page, 'image-session-dark')
  }))

test('a part of a picture is painted, kept half-made, and made anew', () =>
  app.open('/playground/image?prompt=A%20lighthouse', async (page) => {
    await page.getByRole('button', { name: 'Make the image' }).click()
    await page.getByRole('button', { name: 'Use as input' }).click()
    await page.getByRole('button', { name: 'Paint a mask' }).click()
    const dialog = page.getByRole('dialog', { name: 'Paint a mask' })
    const use = dialog.getByRole('button', { name: 'Use the mask' })
    await use.and(page.locator(':disabled')).waitFor()
    const paper = dialog.getByLabel('Mask: paint with the pointer')
    // The picture is there once its rectangle can be chosen.
    await dialog.getByText('Paint a rectangle by numbers').click()
    const box = await paper.boundingBox()
    assert.ok(box)
    await page.mouse.move(box.x + box.width / 3, box.y + box.height / 2)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 3 })
    await page.mouse.up()
    await use.and(page.locator(':enabled')).waitFor()
    await page.keyboard.press('Control+z')
    await use.and(page.locator(':disabled')).waitFor()
    for (const [name, value] of [
      ['Left', '100'],
      ['Top', '200'],
      ['Width', '300'],
      ['Height', '400'],
    ] as const)
      await dialog.getByRole('textbox', { name }).fill(value)
    await dialog.getByRole('button', { name: 'Paint the rectangle' }).click()
    await assertSound(page)
    await screenshot(page, 'mask-light')

    await page.reload()
    await page.getByRole('button', { name: 'Paint a mask' }).click()
    await use.and(page.locator(':enabled')).click()
    await page.getByText('A mask is applied').waitFor()
    const mask = page.getByRole('img', { name: 'What stays as it is, darkened' })
    assert.deepEqual(await alphaOf(mask), { width: 1024, height: 1024, inside: 0, outside: 255 })
    await assertSound(page)
    for (const width of [380, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await screenshot(page, `mask-applied-${width}`)
      await page.getByRole('button', { name: 'Change the mask' }).click()
      await dialog.getByText('The picture has').waitFor({ state: 'attached' })
      await assertSound(page)
      await screenshot(page, `mask-${width}`)
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    }
    const answered = page.waitForResponse((response) =>
      response.url().endsWith(`${P}/images/generations`),
    )
    await page.getByRole('button', { name: 'Make the image' }).click()
    assert.match((await answered).request().postData() ?? '', /"mask":"http/)
    // A mask belongs to its picture.
    await page.getByRole('button', { name: 'Remove reference picture' }).click()
    assert.equal(await page.getByText('A mask is applied').count(), 0)
  }))

/** The size of a picture, and how opaque it is in the painted rectangle and beside it. */
const alphaOf = (picture: Locator) =>
  picture.evaluate(async (element) => {
    const image = element as HTMLImageElement
    await image.decode()
    const { naturalWidth: width, naturalHeight: height } = image
    const canvas = Object.assign(document.createElement('canvas'), { width, height })
    const context = canvas.getContext('2d', { willReadFrequently: true })
    context?.drawImage(image, 0, 0)
    const at = (x: number, y: number) => context?.getImageData(x, y, 1, 1).data[3]
    return { width, height, inside: at(250, 400), outside: at(90, 190) }
  })

test('a submission whose answer was lost is found, and made once', () =>
  app.open('/playground/image', async (page) => {
    page.expected.push(/ERR_|Failed to load/)
    const path = `${P}/images/generations`
    // The request arrives, its answer does not.
    await page.route(`**${path}`, async (route) => {
      await route.fetch()
      await route.abort('connectionreset')
    })
    await page.getByRole('textbox', { name: 'Prompt' }).fill('A boat nobody heard of')
    await page.getByRole('button', { name: 'Make the image' }).click()
    await page.getByText('Found it').waitFor()
    await page.getByRole('img', { name: 'A boat nobody heard of' }).waitFor()
    await assertSound(page)
    const { body } = await app.server.call(`${P}/tasks?size=200`)
    const made = body.data.items.filter((task: { promptPreview: string }) =>
      task.promptPreview.startsWith('A boat nobody'),
    )
    assert.equal(made.length, 1)
  }))

test('a video shows its stages and its film', () =>
  app.open('/playground/video?prompt=Waves%20at%20night', async (page) => {
    // A quick machine may be done before the first look, so that one is told of the stage before.
    let looks = 0
    await page.route('**/api/console/v1/tasks/*', async (route) => {
      const response = await route.fetch()
      looks += 1
      if (looks > 1) return route.fulfill({ response })
      const body = await response.json()
      const { videoContent: _, ...data } = body.data
      const json = { ...body, data: { ...data, status: 'RUNNING', retryAfterSeconds: 1 } }
      return route.fulfill({ response, headers: { 'content-type': 'application/json' }, json })
    })
    // A film of the usual length takes seconds to encode, and nobody looks at it here.
    await page.route('**/videos/generations', (route) => {
      const body = { ...route.request().postDataJSON(), videoSeconds: 1, videoResolution: '360p' }
      return route.continue({ postData: JSON.stringify(body) })
    })
    await page.getByRole('button', { name: 'Make the video' }).click()
    await page.getByText('Being made').waitFor()
    await page.locator('video[aria-label="Waves at night"]').waitFor()
    await assertSound(page)
  }))
