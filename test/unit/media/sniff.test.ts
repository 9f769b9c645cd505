import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sniff } from '#media/sniff.ts'
import { ftyp, gif, jpeg, png, webp } from '../../support/samples.ts'

const size = { width: 3, height: 2 }
const riff = (form: string) => Buffer.from(`RIFF\0\0\0\0${form}fmt `, 'latin1')
const ebml = (word: string) =>
  Buffer.concat([
    Buffer.from('1a45dfa39f4286810142f7810142f2810442f381084282', 'hex'),
    Buffer.from([0x80 | word.length]),
    Buffer.from(word),
  ])

const known: [string, Buffer, string][] = [
  ['PNG', png(size), 'image/png'],
  ['JPEG', jpeg(size), 'image/jpeg'],
  ['GIF', gif(size), 'image/gif'],
  ['WebP', webp('lossy', size), 'image/webp'],
  ['AVIF', ftyp('avif', 'mif1', 'miaf'), 'image/avif'],
  ['AVIF that names itself second', ftyp('mif1', 'avif'), 'image/avif'],
  ['HEIC', ftyp('heic', 'mif1'), 'image/heic'],
  ['HEIC that names itself second', ftyp('mif1', 'heic'), 'image/heic'],
  ['MP4', ftyp('isom', 'iso2', 'avc1', 'mp41'), 'video/mp4'],
  ['MP4 with an unusual first brand', ftyp('XAVC', 'mp42'), 'video/mp4'],
  ['QuickTime', ftyp('qt  ', 'qt  '), 'video/quicktime'],
  ['M4A', ftyp('M4A ', 'isom'), 'audio/mp4'],
  ['WebM', ebml('webm'), 'video/webm'],
  ['Matroska', ebml('matroska'), 'video/x-matroska'],
  ['WAV', riff('WAVE'), 'audio/wav'],
  ['MP3 with tags', Buffer.from('ID3\x04\0\0', 'latin1'), 'audio/mpeg'],
  ['MP3 without tags', Buffer.from([0xff, 0xfb, 0x90, 0x64]), 'audio/mpeg'],
  ['Ogg', Buffer.from('OggS\0\x02', 'latin1'), 'audio/ogg'],
]
for (const [name, bytes, type] of known) {
  test(`${name} is known by its first bytes`, () => {
    assert.equal(sniff(bytes), type)
  })
}

const refused: [string, string | Buffer][] = [
  ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
  ['SVG after an XML declaration', '<?xml version="1.0"?><svg/>'],
  ['HTML', '<!doctype html><script>alert(1)</script>'],
  ['HTML behind a UTF-16 mark', Buffer.from('\ufeff<html>', 'utf16le')],
  ['HTML that mentions a media type', '    ftyped <html>'],
  ['PDF', '%PDF-1.7'],
  ['JSON', '{"error":"busy"}'],
  ['a ZIP archive', Buffer.from('PK\x03\x04', 'latin1')],
  ['an unknown RIFF form', riff('AVI ')],
  ['an unknown brand', ftyp('evil', 'html')],
  ['an EBML file of another kind', ebml('other')],
  ['a cut PNG signature', png(size).subarray(0, 7)],
  ['nothing', ''],
]
for (const [name, content] of refused) {
  test(`${name} is not media`, () => {
    assert.equal(sniff(Buffer.from(content)), null)
  })
}

test('any bytes have a known type or none, and cut samples never make it fail', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      sniff(bytes)
    }),
  )
  for (const [, bytes] of known) {
    for (let end = 0; end < bytes.length; end++) sniff(bytes.subarray(0, end))
  }
})
