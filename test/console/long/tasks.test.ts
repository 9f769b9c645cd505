import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { unzipSync } from 'fflate'
import type { Locator } from 'playwright-core'
import {
  assertSound,
  type ConsoleTest,
  screenshot,
  startConsole,
} from '../../support/console-browser.ts'
import { P } from '../../support/server.ts'

let app: ConsoleTest
before(async () => {
  app = await startConsole()
})
after(() => app[Symbol.asyncDispose]())

const longPrompt = `A quiet harbour at dawn. ${'Boats, nets and gulls. '.repeat(20)}The end.`

const widths = (pictures: Locator) =>
  pictures.evaluateAll((all) => all.map((img) => (img as HTMLImageElement).naturalWidth))

test('an account without tasks is led to its first image', () =>
  app.open('/tasks', async (page) => {
    await page.getByRole('link', { name: 'Make an image' }).waitFor()
    await assertSound(page)
  }))

test('tasks are found by text and kind, and shown whole with what surrounds them', () =>
  app.open('/tasks', async (page) => {
    const ids = [
      await makeTask('images', 'demo-image', longPrompt),
      await makeTask('images', 'demo-image', 'A red square'),
      await makeTask('videos', 'demo-video', 'Waves at night'),
    ]
    await page.reload()
    const cards = page.getByRole('main').getByRole('listitem')
    await page.getByText('Waves at night').waitFor()
    assert.equal(await cards.count(), 3)
    // Small pictures, of a film the first one, and no player.
    await cards.locator('img[src^="blob:"]').waitFor()
    await page.waitForFunction(() =>
      [...document.querySelectorAll<HTMLImageElement>('main li img')].every((img) => img.complete),
    )
    assert.deepEqual(await widths(cards.locator('img')), [416, 416, 416])
    assert.equal(await page.locator('video').count(), 0)
    await screenshot(page, 'tasks-light-1280')
    await assertSound(page)

    await page.getByRole('button', { name: 'Select', exact: true }).click()
    await page.getByRole('checkbox', { name: 'Select A red square' }).check()
    await page.getByRole('checkbox', { name: 'Select Waves at night' }).check()
    await page.getByText('2 selected').waitFor()
    await screenshot(page, 'tasks-selected')
    await assertSound(page)
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as zip' }).click(),
    ])
    const names = Object.keys(unzipSync(readFileSync(await saved.path())))
    assert.match(names.sort().join(), /A red square \w{8}\.png,.*Waves at night \w{8}\.mp4/)
    await page.getByRole('button', { name: 'Done' }).click()

    await page.getByRole('searchbox', { name: 'Prompt or task id' }).fill('HARBOUR')
    await page.waitForURL(/q=HARBOUR/)
    await page.getByText('Waves at night').waitFor({ state: 'detached' })
    // Until the answer is there, neither the old cards nor the new one are shown.
    await cards.first().waitFor()
    assert.equal(await cards.count(), 1)

    await page.getByRole('button', { name: 'Table' }).click()
    await page.getByRole('row', { name: /A quiet harbour/ }).waitFor()
    await assertSound(page)

    await page.getByRole('link', { name: /A quiet harbour/ }).click()
    await page.waitForURL(new RegExp(`/tasks/${ids[0]}`))
    await page.getByText(/The end\.$/).waitFor()
    const whole = page.getByRole('img', { name: /A quiet harbour/ })
    await whole.waitFor()
    await page.waitForFunction(() => document.querySelector<HTMLImageElement>('main img')?.complete)
    assert.ok(((await widths(whole))[0] ?? 0) > 416)
    await screenshot(page, 'task-light-1280')
    await assertSound(page)
    await page.keyboard.press('ArrowLeft')
    await page.waitForURL(new RegExp(`/tasks/${ids[1]}`))
  }))

test('a picture is shown small at once, and whole as soon as that is there', async () => {
  const id = await makeTask('images', 'demo-image', 'A slow harbour')
  await app.open('/tasks', async (page) => {
    const asked = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    await page.route(/\/media\/(?!.*w=)/, async (route) => {
      asked.resolve()
      await release.promise
      await route.continue()
    })
    await page.goto(`${app.server.url}/console/tasks/${id}`)
    const shown = page.getByRole('img', { name: 'A slow harbour' })
    await shown.waitFor()
    await asked.promise
    assert.match((await shown.getAttribute('src')) ?? '', /&w=416$/)
    const before = await shown.boundingBox()
    release.resolve()
    await page.locator('main img:not([src*="w=416"])').waitFor()
    assert.deepEqual(await shown.boundingBox(), before)
    assert.deepEqual(await widths(shown), [512])
  })
})

test('filters that fit nothing say so and can be cleared', () =>
  app.open('/tasks?status=FAILED', async (page) => {
    await page.getByRole('heading', { name: 'No tasks match these filters' }).waitFor()
    await assertSound(page)
    await page.getByRole('main').getByRole('button', { name: 'Clear' }).last().click()
    await page.getByText('A red square').waitFor()
  }))

test('a failed task says why, and what to do about it', async () => {
  const id = await makeTask('images', 'demo-image', 'A picture that fails')
  await app.open('/tasks', async (page) => {
    // The demo provider draws everything: the page is told what another would say.
    await page.route(`**/api/console/v1/tasks/${id}`, async (asked) => {
      const response = await asked.fetch()
      const body = await response.json()
      const { imageContent: _, ...data } = body.data
      const error = { code: 'CONTENT_REJECTED', message: 'It was refused.', retryable: false }
      await asked.fulfill({
        response,
        json: { ...body, data: { ...data, status: 'FAILED', error } },
      })
    })
    await page.getByRole('link', { name: /A picture that fails/ }).click()
    await page.getByText('It was refused.').waitFor()
    await page.getByText('Change the prompt or the picture.').waitFor()
    await assertSound(page)
  })
})

test('a task that does not exist is an error with words, not an empty page', () =>
  app.open('/tasks/00000000-0000-7000-8000-000000000000', async (page) => {
    page.expected.push(/404/)
    await page.getByRole('alert').getByText('TASK_NOT_FOUND').waitFor()
    await assertSound(page)
  }))

/** What is made is not looked at closely here, and large films take seconds. */
const small = {
  images: { imageSampleSize: '512' },
  videos: { videoSeconds: 1, videoResolution: '360p' },
}

async function makeTask(kind: 'images' | 'videos', model: string, prompt: string) {
  const { body } = await app.server.call({
    method: 'POST',
    path: `${P}/${kind}/generations`,
    json: { model, messages: [{ role: 'user', content: prompt }], ...small[kind] },
  })
  for (let status = ''; status !== 'COMPLETED'; ) {
    await pause(20)
    status = (await app.server.call(`${P}/tasks/${body.taskId}`)).body.data.status
    assert.notEqual(status, 'FAILED')
  }
  return body.taskId as string
}

test('a picture gets a star, is found by it, and is deleted with others', () =>
  app.open('/tasks', async (page) => {
    const card = page.getByRole('listitem').filter({ hasText: 'A red square' })
    await card.getByRole('button', { name: 'Add a star' }).click()
    await card.getByRole('button', { name: 'Remove the star' }).waitFor()
    await page.getByRole('button', { name: 'Starred' }).click()
    await page.waitForURL(/starred=true/)
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Waves at night' })
      .waitFor({ state: 'detached' })
    await assertSound(page)
    await screenshot(page, 'tasks-starred')
    await page.getByRole('button', { name: 'Select', exact: true }).click()
    await page.getByRole('checkbox', { name: 'Select A red square' }).check()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await assertSound(page)
    await page.getByRole('button', { name: 'Delete permanently' }).click()
    await page
      .getByText('Nothing matches')
      .or(page.getByText(/No tasks match/))
      .first()
      .waitFor()
    await page.goto(`${app.server.url}/console/tasks`)
    await page.getByText('Waves at night').first().waitFor()
    assert.equal(await page.getByText('A red square').count(), 0)
  }))

test('where a run shows a picture that was deleted, it says so', async () => {
  const made = await app.server.call({
    method: 'POST',
    path: `${P}/workflows`,
    json: {
      name: 'Gone',
      data: {
        nodes: [
          {
            id: 'draw',
            type: 'image.generate',
            data: { model: 'demo-image', prompt: 'A tall gate' },
          },
          { id: 'out', type: 'output', data: {} },
        ],
        connections: [{ source: 'draw', target: 'out' }],
      },
    },
  })
  const workflowId = made.body.data.id
  const { body } = await app.server.call({
    method: 'POST',
    path: `${P}/workflows/${workflowId}/runs`,
    headers: { 'idempotency-key': 'gone' },
  })
  const { runId } = body.data
  await app.open(`/workflows/${workflowId}?run=${runId}`, async (page) => {
    await page.locator('#node-draw .node-media img').waitFor()
    await page.goto(`${app.server.url}/console/tasks`)
    await page.getByRole('button', { name: 'Select', exact: true }).click()
    await page.getByRole('checkbox', { name: 'Select A tall gate' }).check()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByText('A tall gate').first().waitFor({ state: 'detached' })
  })
  // In another browser: the first one has the picture in its cache.
  await app.open(`/workflows/${workflowId}?run=${runId}`, async (page) => {
    page.expected.push(/404/)
    await page.locator('#node-draw').getByText('No longer kept').waitFor()
    await assertSound(page)
    await page.goto(`${app.server.url}/console/runs/${runId}`)
    await page.getByText('No longer kept: it was deleted, or its time was over.').first().waitFor()
    await assertSound(page)
    await screenshot(page, 'run-media-gone')
  })
})
