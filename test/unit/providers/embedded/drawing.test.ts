import assert from 'node:assert/strict'
import { test } from 'node:test'
import { layOver } from '#providers/embedded/video/film.ts'

test('what covers replaces, what is clear leaves, what is half blends', () => {
  const under = Uint8Array.from([100, 100, 100, 255, 100, 100, 100, 255, 100, 100, 100, 255])
  layOver(under, Uint8Array.from([200, 0, 9, 255, 0, 0, 0, 0, 100, 0, 50, 128]))
  assert.deepEqual([...under.subarray(0, 3)], [200, 0, 9])
  assert.deepEqual([...under.subarray(4, 7)], [100, 100, 100])
  assert.deepEqual([...under.subarray(8, 11)], [150, 50, 100])
})
