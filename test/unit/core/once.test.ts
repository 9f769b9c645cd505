import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadOnce, once } from '#core/once.ts'

test('a value is made once, also one that is nothing', () => {
  let made = 0
  const value = once(() => {
    made++
    return undefined
  })
  assert.deepEqual([value(), value(), made], [undefined, undefined, 1])
})

test('what could not be loaded is loaded again by whoever asks next', async () => {
  let loads = 0
  const load = loadOnce(async () => {
    if (++loads === 1) throw new Error('too many open files')
    return loads
  })
  const first = [load(), load()]
  for (const one of first) await assert.rejects(one, /open files/)
  assert.deepEqual([await load(), await load(), loads], [2, 2, 2])
})
