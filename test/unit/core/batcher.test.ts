import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createBatcher, type Entry, type Take } from '#core/batcher.ts'

const answerAll = (entries: readonly Entry<string, string>[]) => {
  for (const { item, resolve } of entries) resolve(item.toUpperCase())
}

/** Runs that end on demand, and the items that each of them took. */
function heldRuns() {
  const runs: { items: string[]; end: PromiseWithResolvers<void> }[] = []
  const run = async (take: Take<string, string>) => {
    const entries = take()
    const end = Promise.withResolvers<void>()
    runs.push({ items: entries.map(({ item }) => item), end })
    await end.promise
    answerAll(entries)
  }
  return { runs, run, taken: () => runs.map(({ items }) => items) }
}

test('items added in one tick are one batch, and each gets its own answer', async () => {
  const batches: string[][] = []
  const batcher = createBatcher<string, string>(async (take) => {
    const entries = take()
    batches.push(entries.map(({ item }) => item))
    answerAll(entries)
  })
  const first = Promise.all([batcher.add('a'), batcher.add('b')])
  // A later microtask of the same tick.
  const later = Promise.resolve().then(() => batcher.add('c'))
  assert.deepEqual([...(await first), await later], ['A', 'B', 'C'])
  assert.deepEqual(batches, [['a', 'b', 'c']])
})

test('batches never overlap more than allowed, and waiting items join the next one', async () => {
  for (const atOnce of [1, 2]) {
    const { runs, run, taken } = heldRuns()
    const batcher = createBatcher(run, { atOnce })
    const answers: Promise<string>[] = []
    for (const item of ['a', 'b', 'c', 'd']) {
      answers.push(batcher.add(item))
      await setImmediate()
      await setImmediate()
    }
    assert.deepEqual(
      taken(),
      ['a', 'b'].slice(0, atOnce).map((item) => [item]),
    )
    assert.equal(batcher.waiting, 4 - atOnce)
    runs[0]?.end.resolve()
    await setImmediate()
    await setImmediate()
    assert.deepEqual(taken().at(-1), ['b', 'c', 'd'].slice(atOnce - 1))
    for (const { end } of runs) end.resolve()
    assert.deepEqual(await Promise.all(answers), ['A', 'B', 'C', 'D'])
  }
})

test('a batch is no larger than allowed, however often its run takes', async () => {
  const sizes: number[] = []
  const batcher = createBatcher<string, string>(
    async (take) => {
      const entries = [...take(1), ...take(), ...take()]
      sizes.push(entries.length)
      answerAll(entries)
    },
    { maxItems: 3 },
  )
  await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(batcher.add))
  assert.deepEqual(sizes, [3, 3, 1])
})

test('a run that takes late also gets what was added since it began', async () => {
  const ready = Promise.withResolvers<void>()
  const batches: string[][] = []
  const batcher = createBatcher<string, string>(
    async (take) => {
      await ready.promise
      const entries = take()
      batches.push(entries.map(({ item }) => item))
      answerAll(entries)
    },
    { start: 'at-once' },
  )
  const first = batcher.add('a')
  await setImmediate()
  const second = batcher.add('b')
  ready.resolve()
  assert.deepEqual(await Promise.all([first, second]), ['A', 'B'])
  assert.deepEqual(batches, [['a', 'b']])
})

test('a run that throws rejects what it took and did not answer, and nothing else', async () => {
  let runs = 0
  const batcher = createBatcher<string, string>(
    async (take) => {
      const entries = take()
      answerAll(entries.slice(0, 1))
      if (++runs === 1) throw new Error('no room')
      answerAll(entries)
    },
    { maxItems: 2 },
  )
  const settled = await Promise.allSettled(['a', 'b', 'c', 'd'].map(batcher.add))
  assert.deepEqual(
    settled.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.message)),
    ['A', 'no room', 'C', 'D'],
  )
})

test('it is idle once everything is answered, and can be used again after that', async () => {
  const { runs, run } = heldRuns()
  const batcher = createBatcher(run)
  await batcher.idle()
  for (const item of ['a', 'b']) {
    const answer = batcher.add(item)
    let isIdle = false
    const idle = Promise.all([batcher.idle(), batcher.idle()]).then(() => {
      isIdle = true
    })
    await setImmediate()
    await setImmediate()
    assert.equal(isIdle, false)
    runs.at(-1)?.end.resolve()
    await idle
    assert.equal(await answer, item.toUpperCase())
  }
})
