import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adviceFor, dueOf } from '#api/public/runs/show-run.ts'
import { type NodeStatus, newNode, packNodes, unpackNodes } from '#core/run-nodes.ts'
import type { RunRow } from '#store/tables/runs.ts'

const second = 1000

/** A run of three seconds of age, in the hands of a worker. */
const rowOf = (statuses: readonly NodeStatus[], change: Partial<RunRow> = {}) => {
  const nodes = statuses.map((status) => ({ ...newNode(), status, startedAtMs: 0 }))
  const text = packNodes(nodes, 0)
  return {
    ...{ status: 'RUNNING', created_at: 0, owner: 'w', wake_at: null },
    ...{ nodes: { text, value: JSON.parse(text) }, node_count: nodes.length },
    ...change,
  } as RunRow
}
const advised = (row: RunRow, ...dueInSeconds: number[]) => {
  const waits = dueInSeconds.map((seconds) => ({ expires_at: (3 + seconds) * second }))
  return adviceFor(row, 3 * second, dueOf(row, waits))
}

test('a run that only waits is to be looked at in 15 seconds, or when the nearest time comes', () => {
  assert.equal(unpackNodes(rowOf(['WAITING']).nodes?.value ?? [], 0)[0]?.status, 'WAITING')
  assert.equal(advised(rowOf(['COMPLETED', 'WAITING', 'PENDING']), 600), 15)
  assert.equal(advised(rowOf(['WAITING', 'WAITING']), 600, 7.2), 8)
  assert.equal(advised(rowOf(['WAITING']), 0), 1, 'never at once')
  assert.equal(advised(rowOf(['WAITING']), -5), 1)
})

test('asleep it is the same', () => {
  const asleep = { owner: null, wake_at: 10 * second }
  assert.equal(advised(rowOf(['WAITING'], asleep), 600), 7)
  assert.equal(advised(rowOf(['WAITING'], { ...asleep, wake_at: 3_600 * second }), 3_600), 15)
})

test('one that does something besides, was woken or is asked to stop is looked at by its age', () => {
  assert.equal(advised(rowOf(['WAITING', 'RUNNING']), 600), 1)
  assert.equal(advised(rowOf(['WAITING'], { owner: null }), 600), 1)
  assert.equal(advised(rowOf(['WAITING'], { status: 'CANCEL_REQUESTED' }), 600), 1)
  assert.equal(advised(rowOf(['RUNNING'])), 1)
})
