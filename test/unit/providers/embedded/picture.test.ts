import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readPictureHeader } from '#providers/embedded/picture.ts'

const bytes = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'))

const pictures = {
  png: bytes('89504e470d0a1a0a 0000000d 49484452 00000280 000001e0 0806000000'),
  gif: bytes('474946383961 8002 e001 00'),
  jpeg: bytes('ffd8 ffe0 0004 0000 ffff c0 0011 08 01e0 0280 03 012200'),
  'webp lossy': bytes(`52494646 00000000 57454250 56503820 00000000 000000 9d012a 8002 e001`),
  'webp lossless': bytes(`52494646 00000000 57454250 5650384c 00000000 2f 7fc27700 0000000000`),
  'webp extended': bytes(`52494646 00000000 57454250 56503858 0a000000 00000000 7f0200 df0100`),
}

for (const [name, picture] of Object.entries(pictures)) {
  test(`the type and size of a ${name} picture are read from its first bytes`, () => {
    const type = name.split(' ')[0]
    assert.deepEqual(readPictureHeader(picture), { type, width: 640, height: 480 })
  })
}

test('a cut header is no picture', () => {
  for (const picture of Object.values(pictures)) {
    for (let length = 0; length < 9; length++) {
      assert.equal(readPictureHeader(picture.subarray(0, length)), null)
    }
  }
})

test('no bytes make the reader throw', () => {
  const starts = Object.values(pictures).map((picture) => [...picture])
  fc.assert(
    fc.property(
      fc.constantFrom(...starts, []),
      fc.nat(32),
      fc.uint8Array({ maxLength: 60 }),
      (start, keep, rest) => {
        readPictureHeader(Uint8Array.from([...start.slice(0, keep), ...rest]))
      },
    ),
    { numRuns: 2000 },
  )
})
