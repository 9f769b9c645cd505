import assert from 'node:assert/strict'
import { test } from 'node:test'
import { layOver, toYuv } from '#providers/embedded/video/yuv.ts'

test('what covers replaces, what is clear leaves, what is half blends', () => {
  const under = Uint8Array.from([100, 100, 100, 255, 100, 100, 100, 255, 100, 100, 100, 255])
  layOver(under, Uint8Array.from([200, 0, 9, 255, 0, 0, 0, 0, 100, 0, 50, 128]))
  assert.deepEqual([...under.subarray(0, 3)], [200, 0, 9])
  assert.deepEqual([...under.subarray(4, 7)], [100, 100, 100])
  assert.deepEqual([...under.subarray(8, 11)], [150, 50, 100])
})

test('black, white and the primaries become their studio-range values', () => {
  const planes = (color: [number, number, number], height: number) => {
    const size = { width: 2, height }
    const rgba = Uint8Array.from({ length: 2 * height * 4 }, (_, i) => color[i % 4] ?? 255)
    const yuv = new Uint8Array(3 * height)
    toYuv(rgba, size, yuv)
    return [yuv[0], yuv[2 * height], yuv.at(-1)]
  }
  assert.deepEqual(planes([0, 0, 0], 360), [16, 128, 128])
  assert.deepEqual(planes([255, 255, 255], 360), [235, 128, 128])
  assert.deepEqual(planes([255, 0, 0], 360), [81, 90, 240])
  assert.deepEqual(planes([0, 0, 255], 360), [41, 240, 110])
  assert.deepEqual(planes([255, 0, 0], 720), [63, 102, 240])
})

test('chroma is the mean of four pixels', () => {
  const rgba = new Uint8Array(4 * 2 * 4).fill(255)
  for (const at of [0, 1, 4, 5]) rgba.set([255, 0, 0], at * 4)
  const yuv = new Uint8Array(12)
  toYuv(rgba, { width: 4, height: 2 }, yuv)
  assert.deepEqual([...yuv.subarray(8)], [90, 128, 240, 128])
})
