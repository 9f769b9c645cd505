import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { assertAccessible, type ConsoleTest, startConsole } from '../../support/console-browser.ts'
import { P } from '../../support/server.ts'
import { addWorkflow, saved } from '../canvas-page.ts'

let app: ConsoleTest
before(async () => {
  app = await startConsole()
})
after(() => app[Symbol.asyncDispose]())

const node = (id: string, type: string, at: [number, number], data: object = {}) => ({
  id,
  type,
  position: { x: at[0], y: at[1] },
  data,
})

/** A picture of 64 by 64, drawn by the page itself. */
const picture = `data:image/svg+xml;base64,${Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><rect width="64" height="64" fill="#c01e63"/><circle cx="32" cy="32" r="20" fill="#fff"/></svg>',
).toString('base64')}`

test('a crop and a mask made in the canvas are inputs of the run', async () => {
  const workflowId = await addWorkflow(app, 'Crop and mask', {
    nodes: [
      node('photo', 'input.image', [0, 0], { required: false, default: await png() }),
      node('crop', 'browser.crop', [320, -60]),
      node('mask', 'browser.mask', [320, 240]),
      node('beside', 'browser.compare', [640, -320]),
      node('cropped', 'output', [640, 0]),
      node('masked', 'output', [640, 300]),
    ],
    connections: [
      { source: 'photo', target: 'crop' },
      { source: 'photo', target: 'mask' },
      { source: 'photo', target: 'beside' },
      { source: 'crop', target: 'beside' },
      { source: 'crop', target: 'cropped' },
      { source: 'mask', target: 'masked' },
    ],
  })
  await app.open(
    `/workflows/${workflowId}`,
    async (page) => {
      const problems = page.getByRole('region', { name: 'Problems' })
      await problems.getByText('2 warnings').waitFor()
      const crop = page.locator('#node-crop')
      await crop.getByRole('button', { name: 'Use this part' }).click()
      await crop.getByText('Input of the run').waitFor()

      const mask = page.locator('#node-mask')
      const paper = mask.getByLabel('Mask: paint with the pointer')
      const box = await paper.boundingBox()
      assert.ok(box)
      await page.mouse.move(box.x + box.width / 3, box.y + box.height / 2)
      await page.mouse.down()
      await page.mouse.move(box.x + (box.width * 2) / 3, box.y + box.height / 2, { steps: 4 })
      await page.mouse.up()
      await mask.getByRole('button', { name: 'Invert' }).click()
      await mask.getByRole('button', { name: 'Use', exact: true }).click()
      await mask.getByText('Input of the run').waitFor()
      // What is made is no longer missed, and what is only looked at never was.
      await problems.getByText('No problems').waitFor()
      const slider = page.locator('#node-beside').getByLabel('Between the two pictures')
      await slider.fill('20')
      // By key: a pointer would have to wait until the graph has stopped moving under it.
      await page.locator('#node-beside').getByLabel('Difference').press('Space')
      await slider.and(page.locator(':disabled')).waitFor()
      await assertAccessible(page)

      await page.getByRole('button', { name: 'Save' }).click()
      await saved(page, 2)
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      const panel = page.getByRole('complementary', { name: 'Run', exact: true })
      await panel.getByText('made on the canvas').nth(1).waitFor()
      await panel.getByRole('button', { name: 'Run', exact: true }).click()
      await page.waitForURL(/[?&]run=/)
      const outputs = await outputsOf(new URL(page.url()).searchParams.get('run') ?? '')
      assert.deepEqual(
        [outputs.cropped, outputs.masked].map(({ width, height }) => [width, height]),
        [
          [51, 51],
          [64, 64],
        ],
      )
    },
    { width: 1440, height: 1000 },
  )
})

type Outputs = Record<'cropped' | 'masked', { width: number; height: number; url: string }>

async function outputsOf(runId: string): Promise<Outputs> {
  for (;;) {
    await pause(20)
    const { body } = await app.server.call({ path: `${P}/workflow-runs/${runId}` })
    const { status, outputs, nodeErrors } = body.data
    if (status === 'COMPLETED') return outputs
    assert.ok(['QUEUED', 'RUNNING'].includes(status), JSON.stringify(nodeErrors))
  }
}

/** The picture as a PNG: servers take no SVG. */
async function png(): Promise<string> {
  return app.open('/kit', (page) =>
    page.evaluate(async (src) => {
      const image = new Image()
      image.src = src
      await image.decode()
      const canvas = document.createElement('canvas')
      canvas.width = 64
      canvas.height = 64
      canvas.getContext('2d')?.drawImage(image, 0, 0)
      return canvas.toDataURL('image/png')
    }, picture),
  )
}
