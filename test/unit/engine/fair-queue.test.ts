import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairQueue } from '#engine/calls/fair-queue.ts'

type Entry = { accountId: string; sinceMs: number; name: string }

function filled(names: readonly string[]) {
  const queue = createFairQueue<Entry>()
  for (const [sinceMs, name] of names.entries())
    queue.add({ accountId: name.charAt(0), sinceMs, name })
  return queue
}

const drained = (queue: ReturnType<typeof filled>) => {
  const order: string[] = []
  for (let next = queue.takeNext(); next; next = queue.takeNext()) order.push(next.name)
  return order
}

test('accounts take turns, however many entries each has', () => {
  const names = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2']
  const fair = ['a1', 'b1', 'c1', 'a2', 'c2', 'a3', 'a4']
  assert.deepEqual(drained(filled(names)), fair)
  assert.deepEqual(
    filled(names)
      .inOrder(5)
      .map(({ name }) => name),
    fair.slice(0, 5),
  )
})

test('whoever comes again is as old as before, and is told how many go first', () => {
  const queue = filled(['a1', 'a2', 'a3', 'b1', 'b2'])
  const first = queue.takeNext()
  assert.ok(first)
  // Before a second one of b go: both of a that are left, and b's two that are older.
  assert.equal(queue.before({ accountId: 'b', sinceMs: 9 }, new Map()), 4)
  assert.equal(queue.before({ accountId: 'c', sinceMs: 9 }, new Map([['d', 7]])), 3)
  queue.add(first)
  assert.deepEqual(drained(queue), ['b1', 'a1', 'b2', 'a2', 'a3'])
})
