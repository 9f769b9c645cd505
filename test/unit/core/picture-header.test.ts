import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readPictureHeader } from '#core/picture-header.ts'
import { gif, jpeg, png, webp } from '../../support/samples.ts'

type Size = { width: number; height: number }
const makers: Record<string, { type: string; make: (size: Size) => Buffer; most: number }> = {
  PNG: { type: 'png', make: png, most: 299 },
  JPEG: { type: 'jpeg', make: jpeg, most: 65_535 },
  GIF: { type: 'gif', make: gif, most: 65_535 },
  'lossy WebP': { type: 'webp', make: (size) => webp('lossy', size), most: 16_383 },
  'lossless WebP': { type: 'webp', make: (size) => webp('lossless', size), most: 16_384 },
  'extended WebP': { type: 'webp', make: (size) => webp('extended', size), most: 16_777_216 },
}

for (const [name, { type, make, most }] of Object.entries(makers)) {
  test(`the type and size of a ${name} are read from its head`, () => {
    const side = fc.integer({ min: 1, max: most })
    fc.assert(
      fc.property(side, side, (width, height) => {
        assert.deepEqual(readPictureHeader(make({ width, height })), { type, width, height })
      }),
    )
  })

  test(`a cut or spoiled ${name} has no size or some size, and never makes it fail`, () => {
    const whole = make({ width: 120, height: 80 })
    for (let end = 0; end < whole.length; end++) {
      const header = readPictureHeader(whole.subarray(0, end))
      if (end < 9) assert.equal(header, null)
    }
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, value) => {
        const spoiled = Buffer.from(whole)
        spoiled[at] = value
        const size = readPictureHeader(spoiled)
        assert.ok(size === null || (size.width > 0 && size.height > 0))
      }),
    )
  })
}

test('the size of a JPEG is that of the picture, not of a preview inside it', () => {
  const bytes = jpeg({ width: 640, height: 480, profileBytes: 150_000 })
  assert.deepEqual(readPictureHeader(bytes), { type: 'jpeg', width: 640, height: 480 })
})

test('an empty picture has no size', () => {
  assert.equal(readPictureHeader(gif({ width: 0, height: 7 })), null)
})

test('what is no picture has no header', () => {
  for (const words of ['', 'RIFF', '<svg width="7" height="7"/>', '\0'.repeat(64)])
    assert.equal(readPictureHeader(Buffer.from(words)), null)
})
