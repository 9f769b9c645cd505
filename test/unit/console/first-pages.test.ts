import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstPages } from '#console/shared/first-pages.ts'

test('as many pages as asked for are one list, with what leads to the rest', async () => {
  const asked: (string | null)[] = []
  const read = async (cursor: string | null) => {
    asked.push(cursor)
    const page = Number(cursor ?? 0)
    return { items: [page * 2, page * 2 + 1], next: page < 2 ? String(page + 1) : null }
  }
  assert.deepEqual(await firstPages(read, 1), { items: [0, 1], next: '1' })
  assert.deepEqual(await firstPages(read, 2), { items: [0, 1, 2, 3], next: '2' })
  assert.deepEqual(await firstPages(read, 9), { items: [0, 1, 2, 3, 4, 5], next: null })
  assert.deepEqual(asked, [null, null, '1', null, '1', '2'])
})
