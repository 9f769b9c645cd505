import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { within } from '#core/deadline.ts'

const timerMs = 2 ** 31 - 1

test('a result in time is passed on, whatever it is', async () => {
  assert.equal(await within(1_000, Promise.resolve(1), () => 2), 1)
  await assert.rejects(
    within(1_000, Promise.reject(new Error('broken')), () => 2),
    { message: 'broken' },
  )
})

test('a late result is replaced, also by an error, and its own failure is ignored', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const slow = Promise.withResolvers<number>()
  const answers = Promise.allSettled([
    within(50, slow.promise, () => 'late'),
    within(50, slow.promise, () => {
      throw new Error('too late')
    }),
  ])
  t.mock.timers.tick(50)
  const [replaced, refused] = await answers
  assert.equal(replaced.status === 'fulfilled' && replaced.value, 'late')
  assert.equal(refused.status === 'rejected' && refused.reason.message, 'too late')
  slow.reject(new Error('broken'))
  await setImmediate()
})

test('a deadline beyond the range of a timer is kept to the millisecond', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let answer: unknown = 'none yet'
  void within(2 * timerMs + 10, new Promise(() => {}), () => 'late').then((value) => {
    answer = value
  })
  for (const ms of [timerMs, timerMs, 9]) {
    t.mock.timers.tick(ms)
    await setImmediate()
    assert.equal(answer, 'none yet')
  }
  t.mock.timers.tick(1)
  await setImmediate()
  assert.equal(answer, 'late')
})

test('a real timer does not end a far deadline at once', async () => {
  const work = Promise.withResolvers<string>()
  const answer = within(timerMs + 1, work.promise, () => 'late')
  await new Promise((resolve) => setTimeout(resolve, 20))
  work.resolve('in time')
  assert.equal(await answer, 'in time')
})
