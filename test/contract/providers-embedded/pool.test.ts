import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { createPool } from '#providers/embedded/pool.ts'
import { isProviderError, never } from './studio.ts'

/** Does as told: answers with who answered, throws, exits, or keeps silent. */
const obedient = `
  const { parentPort, threadId } = require('node:worker_threads')
  parentPort.on('message', (order) => {
    if (order === 'throw') throw new Error('as told')
    if (order === 'exit') process.exit(3)
    if (order === 'reject') Promise.reject(new Error('as told'))
    if (order === 'answer') parentPort.postMessage(threadId)
  })`

function open(size = 1, maxWaiting = 10) {
  const started: Worker[] = []
  const pool = createPool<string, number>({
    size,
    maxWaiting,
    start: () => {
      const worker = new Worker(obedient, { eval: true })
      started.push(worker)
      return worker
    },
  })
  return { ...pool, started, [Symbol.asyncDispose]: pool.close }
}

test('no thread starts before the first job, and one thread serves many', async () => {
  await using pool = open()
  assert.equal(pool.started.length, 0)
  const first = await pool.run('answer', never)
  assert.equal(await pool.run('answer', never), first)
  assert.equal(pool.started.length, 1)
})

for (const death of ['throw', 'exit', 'reject']) {
  test(`a thread that dies (${death}) fails its own job, and those behind it are served`, async () => {
    await using pool = open()
    const failing = assert.rejects(pool.run(death, never), isProviderError('server', 'rejected'))
    const behind = [pool.run('answer', never), pool.run('answer', never)]
    await failing
    await Promise.all(behind)
    assert.equal(pool.started.length, 2)
  })
}

test('no more threads than its size', async () => {
  await using pool = open(2)
  await Promise.all(Array.from({ length: 8 }, () => pool.run('answer', never)))
  assert.ok(pool.started.length <= 2)
})

test('a full queue refuses as busy', async () => {
  await using pool = open(1, 1)
  const stop = new AbortController()
  const held = [pool.run('wait', stop.signal), pool.run('wait', stop.signal)]
  await assert.rejects(pool.run('answer', never), isProviderError('busy', 'rejected'))
  stop.abort()
  const ends = await Promise.allSettled(held)
  assert.deepEqual(
    ends.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.ok(await pool.run('answer', never))
})

test('an abandoned job gives its thread up, and leaves no listener behind', async () => {
  await using pool = open()
  const stop = new AbortController()
  const abandoned = pool.run('wait', stop.signal)
  const behind = pool.run('answer', never)
  stop.abort(new Error('enough'))
  await assert.rejects(abandoned, /enough/)
  assert.ok(await behind)
  assert.equal(pool.started.length, 2)
  assert.deepEqual(getEventListeners(never, 'abort'), [])
})
