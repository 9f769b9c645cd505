import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPages } from '#console/api/read-pages.ts'

const pages: Record<string, { items: number[]; next: string | null }> = {
  first: { items: [], next: 'second' },
  second: { items: [1, 2], next: 'third' },
  third: { items: [3], next: null },
}

const reading = () => {
  const asked: (string | undefined)[] = []
  const read = async (cursor: string | undefined) => {
    asked.push(cursor)
    return pages[cursor ?? 'first'] ?? { items: [], next: null }
  }
  return { asked, read }
}

test('an empty page with a cursor is not the end', async () => {
  const { asked, read } = reading()
  assert.deepEqual(await readPages(read, { enough: 1, mostPages: 9 }), [1, 2])
  assert.deepEqual(asked, [undefined, 'second'])
})

test('it stops at the last page, and at the most it may ask', async () => {
  assert.deepEqual(await readPages(reading().read, { enough: 99, mostPages: 9 }), [1, 2, 3])
  assert.deepEqual(await readPages(reading().read, { enough: 99, mostPages: 1 }), [])
})
