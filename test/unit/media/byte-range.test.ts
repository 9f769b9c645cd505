import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readRange } from '#media/byte-range.ts'

const whole: [string, string | undefined][] = [
  ['no header', undefined],
  ['an empty header', ''],
  ['another unit', 'items=0-1'],
  ['no range at all', 'bytes=-'],
  ['words', 'bytes=first-last'],
  ['an end before the start', 'bytes=5-4'],
  ['several ranges', 'bytes=0-1,4-5'],
  ['a negative start', 'bytes=--5'],
  ['a fraction', 'bytes=0.5-2'],
]
for (const [name, header] of whole) {
  test(`${name} means the whole`, () => {
    assert.equal(readRange(header, 10), 'whole')
  })
}

test('a range beyond the end, of nothing, or of an empty file cannot be satisfied', () => {
  assert.equal(readRange('bytes=10-', 10), 'unsatisfiable')
  assert.equal(readRange('bytes=10-20', 10), 'unsatisfiable')
  assert.equal(readRange('bytes=-0', 10), 'unsatisfiable')
  assert.equal(readRange('bytes=0-', 0), 'unsatisfiable')
  assert.equal(readRange('bytes=-5', 0), 'unsatisfiable')
})

test('the unit may be written in capitals', () => {
  assert.deepEqual(readRange('Bytes=1-2', 10), { start: 1, end: 2 })
})

test('numbers beyond all sizes are cut to the size', () => {
  const huge = '9'.repeat(400)
  assert.deepEqual(readRange(`bytes=3-${huge}`, 10), { start: 3, end: 9 })
  assert.deepEqual(readRange(`bytes=-${huge}`, 10), { start: 0, end: 9 })
  assert.equal(readRange(`bytes=${huge}-`, 10), 'unsatisfiable')
  assert.equal(readRange(`bytes=${huge}-${huge}`, 10), 'unsatisfiable')
})

const content = fc.uint8Array({ minLength: 1, maxLength: 40 })
const number = fc.nat(60)

test('a range is what slicing gives', () => {
  fc.assert(
    fc.property(content, number, number, (bytes, start, end) => {
      const range = readRange(`bytes=${start}-${end}`, bytes.length)
      const expected = bytes.slice(start, end + 1)
      if (range === 'whole') return assert.ok(end < start)
      if (range === 'unsatisfiable') return assert.equal(expected.length, 0)
      assert.deepEqual(bytes.slice(range.start, range.end + 1), expected)
    }),
  )
})

test('an open end and a suffix are what slicing gives', () => {
  fc.assert(
    fc.property(content, number, (bytes, count) => {
      const slice = (header: string) => {
        const range = readRange(header, bytes.length)
        if (range === 'whole') return assert.fail('not read as a range')
        return range === 'unsatisfiable'
          ? new Uint8Array()
          : bytes.slice(range.start, range.end + 1)
      }
      assert.deepEqual(slice(`bytes=${count}-`), bytes.slice(count))
      assert.deepEqual(
        slice(`bytes=-${count}`),
        count === 0 ? new Uint8Array() : bytes.slice(-count),
      )
    }),
  )
})
