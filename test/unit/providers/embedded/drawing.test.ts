import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawPlane } from '#providers/embedded/video/draw.ts'
import { matrixFor, toPlanes, visibleArea } from '#providers/embedded/video/planes.ts'

const surface = (width: number, height: number, value = 100) => ({
  width,
  height,
  bytes: new Uint8Array(width * height).fill(value),
})
const plane = (width: number, height: number, samples: [value: number, alpha: number][]) => ({
  width,
  height,
  samples: Uint16Array.from(samples, ([value, alpha]) => (value << 8) | alpha),
})
const here = { a: 1, b: 0, tx: 0, ty: 0 }

test('what covers replaces, what is clear leaves, what is half blends', () => {
  const to = surface(3, 1)
  drawPlane(
    to,
    plane(3, 1, [
      [200, 255],
      [0, 0],
      [100, 128],
    ]),
    here,
    256,
  )
  assert.deepEqual([...to.bytes], [200, 100, 150])
})

test('between pixels a plane lies on both, and it never leaves the surface', () => {
  const to = surface(4, 1, 0)
  drawPlane(
    to,
    plane(3, 1, [
      [0, 0],
      [200, 255],
      [0, 0],
    ]),
    { ...here, tx: -0.5 },
    256,
  )
  assert.deepEqual([...to.bytes], [0, 100, 100, 0])
  const outside = surface(2, 2)
  for (const shift of [-9, 9]) {
    drawPlane(
      outside,
      plane(2, 2, [
        [1, 255],
        [1, 255],
        [1, 255],
        [1, 255],
      ]),
      { ...here, tx: shift, ty: shift },
      256,
    )
  }
  assert.deepEqual([...outside.bytes], [100, 100, 100, 100])
})

test('a quarter turn carries the corner round', () => {
  const to = surface(3, 3, 0)
  const corner = plane(
    3,
    3,
    Array.from({ length: 9 }, (_, i) => (i === 2 ? [200, 255] : [0, 0])),
  )
  // u = y, v = 3 - x
  drawPlane(to, corner, { a: 0, b: 1, tx: 0, ty: 3 }, 256)
  assert.deepEqual([...to.bytes], [0, 0, 0, 0, 0, 0, 0, 0, 200])
})

test('opacity fades a plane', () => {
  const to = surface(1, 1, 0)
  drawPlane(to, plane(1, 1, [[200, 255]]), here, 128)
  assert.deepEqual([...to.bytes], [100])
})

test('black, white and the primaries become their studio-range values', () => {
  const pixel = (r: number, g: number, b: number, height: number) => {
    const rgba = Uint8Array.from([r, g, b, 255, r, g, b, 255, r, g, b, 255, r, g, b, 255])
    const { luma, blue, red } = toPlanes(rgba, { width: 2, height: 2 }, matrixFor(height))
    return [luma, blue, red].map(({ samples }) => (samples[0] ?? 0) >> 8)
  }
  assert.deepEqual(pixel(0, 0, 0, 360), [16, 128, 128])
  assert.deepEqual(pixel(255, 255, 255, 360), [235, 128, 128])
  assert.deepEqual(pixel(255, 0, 0, 360), [81, 90, 240])
  assert.deepEqual(pixel(0, 0, 255, 360), [41, 240, 110])
  assert.deepEqual(pixel(255, 0, 0, 720), [63, 102, 240])
})

test('the visible area is found, and nothing where nothing is', () => {
  const pixels = new Uint8Array(8 * 8 * 4)
  assert.equal(visibleArea(pixels, { width: 8, height: 8 }).width, 0)
  pixels[(3 * 8 + 5) * 4 + 3] = 255
  assert.deepEqual(visibleArea(pixels, { width: 8, height: 8 }), {
    left: 4,
    top: 2,
    width: 4,
    height: 4,
  })
})
