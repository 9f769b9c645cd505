import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { createThread } from '#providers/demo/thread.ts'
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

function open({ maxWaiting = 10 } = {}) {
  const started: Worker[] = []
  const thread = createThread<string, number>({
    maxWaiting,
    start: () => {
      const worker = new Worker(obedient, { eval: true })
      started.push(worker)
      return worker
    },
  })
  return { ...thread, started, [Symbol.asyncDispose]: thread.close }
}

test('no thread starts before the first job, and one thread serves many', async () => {
  await using thread = open()
  assert.equal(thread.started.length, 0)
  const first = await thread.run('answer', never)
  assert.equal(await thread.run('answer', never), first)
  assert.equal(thread.started.length, 1)
})

for (const death of ['throw', 'exit', 'reject']) {
  test(`a thread that dies (${death}) fails its own job, and those behind it are served`, async () => {
    await using thread = open()
    const failing = assert.rejects(thread.run(death, never), isProviderError('server', 'rejected'))
    const behind = [thread.run('answer', never), thread.run('answer', never)]
    await failing
    await Promise.all(behind)
    assert.equal(thread.started.length, 2)
  })
}

test('a full queue refuses as busy', async () => {
  await using thread = open({ maxWaiting: 1 })
  const stop = new AbortController()
  const held = [thread.run('wait', stop.signal), thread.run('wait', stop.signal)]
  await assert.rejects(thread.run('answer', never), isProviderError('busy', 'rejected'))
  stop.abort()
  const ends = await Promise.allSettled(held)
  assert.deepEqual(
    ends.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.ok(await thread.run('answer', never))
})

test('an abandoned job gives its thread up, and leaves no listener behind', async () => {
  await using thread = open()
  const stop = new AbortController()
  const abandoned = thread.run('wait', stop.signal)
  const behind = thread.run('answer', never)
  stop.abort(new Error('enough'))
  await assert.rejects(abandoned, /enough/)
  assert.ok(await behind)
  assert.equal(thread.started.length, 2)
  assert.deepEqual(getEventListeners(never, 'abort'), [])
})
