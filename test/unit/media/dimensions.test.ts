import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { dimensions } from '#media/dimensions.ts'
import { sniff } from '#media/sniff.ts'
import { gif, jpeg, png, webp } from '../../support/samples.ts'

type Size = { width: number; height: number }
const makers: Record<string, { make: (size: Size) => Buffer; most: number }> = {
  PNG: { make: png, most: 299 },
  JPEG: { make: jpeg, most: 65_535 },
  GIF: { make: gif, most: 65_535 },
  'lossy WebP': { make: (size) => webp('lossy', size), most: 16_383 },
  'lossless WebP': { make: (size) => webp('lossless', size), most: 16_384 },
  'extended WebP': { make: (size) => webp('extended', size), most: 16_777_216 },
}

const measured = (bytes: Uint8Array) => {
  const type = sniff(bytes)
  return type && dimensions(type, bytes)
}

for (const [name, { make, most }] of Object.entries(makers)) {
  test(`the size of a ${name} is read from its head`, () => {
    const side = fc.integer({ min: 1, max: most })
    fc.assert(
      fc.property(side, side, (width, height) => {
        assert.deepEqual(measured(make({ width, height })), { width, height })
      }),
    )
  })

  test(`a cut or spoiled ${name} has no size or some size, and never makes it fail`, () => {
    const whole = make({ width: 120, height: 80 })
    for (let end = 0; end < whole.length; end++) measured(whole.subarray(0, end))
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, value) => {
        const spoiled = Buffer.from(whole)
        spoiled[at] = value
        const size = measured(spoiled)
        assert.ok(size === null || (size.width > 0 && size.height > 0))
      }),
    )
  })
}

test('the size of a JPEG is that of the picture, not of a preview inside it', () => {
  const bytes = jpeg({ width: 640, height: 480, profileBytes: 150_000 })
  assert.deepEqual(measured(bytes), { width: 640, height: 480 })
})

test('an empty picture has no size', () => {
  assert.equal(measured(gif({ width: 0, height: 7 })), null)
})

test('types whose head does not tell have no size', () => {
  assert.equal(dimensions('video/webm', Buffer.alloc(64)), null)
})
