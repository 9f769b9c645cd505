import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { parseDataUrl } from '#outbound/data-url.ts'

const text = (url: string) => Buffer.from(parseDataUrl(url).bytes).toString()
const malformed = { name: 'DataUrlError', kind: 'malformed' }
const tooLarge = { name: 'DataUrlError', kind: 'too_large' }

it('any bytes survive the base64 form', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const url = `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`
      assert.deepEqual(parseDataUrl(url), { mimeType: 'image/png', bytes })
    }),
  )
})

it('any bytes survive the percent form', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const payload = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
      assert.deepEqual(parseDataUrl(`data:image/png,${payload}`).bytes, bytes)
    }),
  )
})

it('any text survives encodeURIComponent', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (value) => {
      assert.equal(text(`data:text/plain,${encodeURIComponent(value)}`), value)
    }),
  )
})

it('the media type is lower-case, without parameters, and text/plain if absent', () => {
  assert.equal(parseDataUrl('data:IMAGE/PNG;base64,AA==').mimeType, 'image/png')
  assert.equal(parseDataUrl('DATA:text/html;charset=utf-8,x').mimeType, 'text/html')
  assert.equal(parseDataUrl('data:image/svg+xml;x=1;base64,AA==').mimeType, 'image/svg+xml')
  assert.equal(parseDataUrl('data:,x').mimeType, 'text/plain')
  assert.equal(parseDataUrl('data:;base64,AA==').mimeType, 'text/plain')
})

it('base64 may be broken over lines, escaped, or without padding', () => {
  for (const payload of ['aGVsbG8=', 'aGVs\r\nbG8=', 'aGVsbG8', 'aGVsbG8%3D', ' aGVs bG8= '])
    assert.equal(text(`data:text/plain;base64,${payload}`), 'hello', JSON.stringify(payload))
  assert.equal(parseDataUrl('data:a/b;base64,%2B%2F%2b%2f').bytes.length, 3)
})

it('characters beyond ASCII count and decode as UTF-8', () => {
  assert.equal(text('data:text/plain,\u00e9%C3%A9'), '\u00e9\u00e9')
  assert.throws(() => parseDataUrl('data:text/plain,\u00e9\u00e9', 3), tooLarge)
})

it('anything that is not a data: URL fails with a clear error', () => {
  for (const url of [
    '',
    'data:',
    'data:image/png;base64',
    'https://example.com/,',
    'data:image,x',
    'data:image/png image/gif,x',
    'data:../x,x',
    `data:${'a'.repeat(300)}/b,x`,
    'data:image/png;base64,a',
    'data:image/png;base64,aGVs*G8=',
    'data:image/png;base64,aGVs-_8=',
    'data:image/png;base64,%zz',
    'data:image/png;base64,aGVs====',
    `data:image/png;base64,${'='.repeat(1_000_000)}*`,
    'data:text/plain,100%',
    'data:text/plain,%4',
    'data:text/plain,%%41',
  ])
    assert.throws(() => parseDataUrl(url), malformed, url.slice(0, 60))
})

it('the cap holds to the byte in both forms', () => {
  for (const size of [0, 1, 2, 3, 4, 5, 1000]) {
    const bytes = Buffer.alloc(size, 0xff)
    const forms = [`data:a/b;base64,${bytes.toString('base64')}`, `data:a/b,${'%ff'.repeat(size)}`]
    for (const url of forms) {
      assert.equal(parseDataUrl(url, size).bytes.length, size)
      if (size > 0) assert.throws(() => parseDataUrl(url, size - 1), tooLarge)
    }
  }
})

it('ten MiB is the default cap', () => {
  const limit = 10 * 1024 * 1024
  const url = (size: number) => `data:video/mp4;base64,${Buffer.alloc(size).toString('base64')}`
  assert.equal(parseDataUrl(url(limit)).bytes.length, limit)
  assert.throws(() => parseDataUrl(url(limit + 1)), tooLarge)
})

it('an oversized payload is refused before it is decoded', () => {
  assert.throws(() => parseDataUrl(`data:a/b;base64,${'*'.repeat(100)}`, 10), tooLarge)
})
