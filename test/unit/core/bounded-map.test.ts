import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBoundedMap } from '#core/bounded-map.ts'

type Text = { text: string }
const bytesOf = ({ text }: Text, key: string) => text.length + key.length

test('is bounded by entries and evicts the least recently used', () => {
  const map = createBoundedMap<Text>({ maxEntries: 2 })
  map.set('a', { text: '1' })
  map.set('b', { text: '2' })
  map.get('a')
  map.set('c', { text: '3' })
  assert.deepEqual([...map.keys()].sort(), ['a', 'c'])
})

test('is bounded by bytes, also where there is room for more entries', () => {
  const removed: string[] = []
  const map = createBoundedMap<Text>({
    ...{ maxEntries: 100, maxBytes: 20, bytesOf },
    onRemoved: ({ text }) => removed.push(text),
  })
  map.set('a', { text: 'x'.repeat(9) })
  map.set('b', { text: 'y'.repeat(9) })
  assert.equal(map.calculatedSize, 20)
  map.set('c', { text: 'z' })
  assert.deepEqual([...map.keys()].sort(), ['b', 'c'])
  assert.deepEqual(removed, ['x'.repeat(9)])
  // A value that does not fit evicts nothing.
  map.set('d', { text: 'w'.repeat(100) })
  assert.deepEqual([...map.keys()].sort(), ['b', 'c'])
})

test('accepts sizes that are not integers, and values without a size', () => {
  const map = createBoundedMap<{ bytes: number }>({ maxBytes: 10, bytesOf: ({ bytes }) => bytes })
  map.set('a', { bytes: 2.5 })
  map.set('b', { bytes: 0 })
  assert.equal(map.calculatedSize, 4)
})
