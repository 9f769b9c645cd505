import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Resvg } from '@resvg/resvg-js'
import { planJob } from '#providers/demo/plan.ts'
import { produce } from '#providers/demo/worker.ts'

const drawn = (svg: string) =>
  new Resvg(`<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40">${svg}</svg>`).render()
const png = (svg: string) => ({ bytes: drawn(svg).asPng(), mimeType: 'image/png' })

test('the demo draws anew only what the mask leaves open, in the form of the picture', async () => {
  const image = png('<rect width="60" height="40" fill="#123456"/>')
  const mask = png('<rect width="30" height="40"/>')
  const job = planJob({ kind: 'IMAGE', model: 'demo-image', prompt: 'a red door', image, mask })
  assert.deepEqual([job.width, job.height], [1024, 683])
  const bytes = Buffer.from(await produce(job)).toString('base64')
  const { pixels } = drawn(`<image width="60" height="40" href="data:image/png;base64,${bytes}"/>`)
  const at = (x: number, y: number) =>
    pixels.subarray(4 * (60 * y + x), 4 * (60 * y + x) + 3).toString('hex')
  assert.deepEqual([at(3, 3), at(25, 35)], ['123456', '123456'])
  assert.notEqual(at(45, 20), '123456')
})
