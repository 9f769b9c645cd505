import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { coalesce } from '#core/coalesce.ts'

/** Work that ends on demand, and checks that it never runs twice at the same time. */
function heldWork() {
  const executions: PromiseWithResolvers<void>[] = []
  let underWay = 0
  const work = async () => {
    assert.equal(underWay++, 0, 'two executions overlap')
    const end = Promise.withResolvers<void>()
    executions.push(end)
    await end.promise.finally(() => underWay--)
  }
  return { executions, work }
}

test('all calls made during an execution are served by one more execution', async () => {
  const { executions, work } = heldWork()
  const one = coalesce(work)
  const first = one.run()
  const served: string[] = []
  const others = ['a', 'b', 'c'].map((name) => one.run().then(() => served.push(name)))
  executions[0]?.resolve()
  await first
  await setImmediate()
  assert.deepEqual([executions.length, served], [2, []])
  executions[1]?.resolve()
  await Promise.all(others)
  assert.deepEqual([executions.length, served], [2, ['a', 'b', 'c']])
})

test('a call made just as an execution ends is served, and executions never overlap', async () => {
  const { executions, work } = heldWork()
  const one = coalesce(work)
  const first = one.run()
  const second = one.run()
  // Between the end of the first and the start of the second.
  const third = first.then(() => one.run())
  executions[0]?.resolve()
  await first
  await setImmediate()
  assert.equal(executions.length, 2)
  executions[1]?.resolve()
  await Promise.all([second, third])
  assert.equal(executions.length, 2)
})

test('scheduled requests gather for a while, also those made during an execution', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { executions, work } = heldWork()
  const one = coalesce(work, { afterMs: 50 })
  one.schedule()
  t.mock.timers.tick(40)
  one.schedule()
  assert.equal(executions.length, 0)
  t.mock.timers.tick(10)
  assert.equal(executions.length, 1)
  one.schedule()
  t.mock.timers.tick(500)
  executions[0]?.resolve()
  await setImmediate()
  assert.equal(executions.length, 1)
  t.mock.timers.tick(50)
  assert.equal(executions.length, 2)
  executions[1]?.resolve()
  await setImmediate()
  t.mock.timers.tick(500)
  assert.equal(executions.length, 2)
})

test('running it now serves what was scheduled too', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let executions = 0
  const one = coalesce(async () => void executions++, { afterMs: 50 })
  one.schedule()
  await one.run()
  t.mock.timers.tick(500)
  assert.equal(executions, 1)
})

test('a failed execution is repeated until one succeeds, and only its caller sees the error', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const errors: unknown[] = []
  let executions = 0
  const one = coalesce(
    async () => {
      if (++executions < 3) throw new Error(`failure ${executions}`)
    },
    { retryMs: 1_000, onError: (error) => errors.push((error as Error).message) },
  )
  await assert.rejects(one.run(), { message: 'failure 1' })
  for (let i = 0; i < 5; i++) {
    t.mock.timers.tick(1_000)
    await setImmediate()
  }
  assert.deepEqual([executions, errors], [3, ['failure 2']])
})

test('after a failure, calls made meanwhile are still served', async () => {
  const { executions, work } = heldWork()
  const one = coalesce(work)
  const first = one.run()
  const second = one.run()
  executions[0]?.reject(new Error('away'))
  await assert.rejects(first, { message: 'away' })
  await setImmediate()
  executions[1]?.resolve()
  await second
})

test('once stopped it starts nothing by itself, and waits for the current execution', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { executions, work } = heldWork()
  const one = coalesce(work, { afterMs: 50, retryMs: 50 })
  const first = one.run()
  one.schedule()
  let isStopped = false
  const stopped = one.stop().then(() => {
    isStopped = true
  })
  await setImmediate()
  assert.equal(isStopped, false)
  executions[0]?.reject(new Error('away'))
  await assert.rejects(first)
  await stopped
  one.schedule()
  t.mock.timers.tick(500)
  assert.equal(executions.length, 1)
})
