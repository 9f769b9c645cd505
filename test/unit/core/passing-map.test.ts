import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { PassingMap } from '#core/passing-map.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void

test('a map of what passes: what was set is there until it is deleted', () => {
  const map = new PassingMap<string, number>()
  map.set('a', 1)
  map.set('b', 2)
  map.set('a', 3)
  assert.deepEqual([...map.values()], [2, 3])
  assert.equal(map.size, 2)
  assert.equal(map.get('a'), 3)
  map.delete('a')
  map.delete('a')
  assert.equal(map.get('a'), undefined)
  assert.deepEqual([...map.values()], [2])
})

test('small collections free what was deleted, though the map itself is old', () => {
  const map = new PassingMap<number, number[]>()
  const [live, passing] = [8, 20_000]
  const valueFor = (n: number) => new Array<number>(1_000).fill(n)
  for (let n = 0; n < live; n++) map.set(n, valueFor(n))
  collect()
  const before = process.memoryUsage().heapUsed
  for (let n = live; n < passing; n++) {
    map.set(n, valueFor(n))
    map.delete(n - live)
    if (n % 500 === 0) collect({ type: 'minor' })
  }
  for (let i = 0; i < 2; i++) collect({ type: 'minor' })
  const keptBytes = process.memoryUsage().heapUsed - before
  assert.ok(keptBytes < 8 * 2 ** 20, `${keptBytes} bytes are left of ${passing * 8_000}`)
})
