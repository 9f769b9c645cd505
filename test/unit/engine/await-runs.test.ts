import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRunAwaiter } from '#engine/triggers/await-runs.ts'
import { createHandClock } from '../../support/hand-clock.ts'

type State = { id: string; completed_at: number | null; wake_at: number | null }

function setting() {
  const { clock, pass } = createHandClock()
  const states = new Map<string, State>()
  const reads: number[] = []
  const awaiter = createRunAwaiter({
    runs: {
      ends: async (ids: readonly string[]) => {
        reads.push(ids.length)
        return ids.flatMap((id) => states.get(id) ?? [])
      },
    } as unknown as Parameters<typeof createRunAwaiter>[0]['runs'],
    ...{ timers: clock, limitMs: 25_000, maxWaiting: 200 },
    onError: (error) => assert.fail(String(error)),
  })
  const set = (id: string, state: Partial<State>) =>
    states.set(id, { id, completed_at: null, wake_at: null, ...state })
  const awaitRun = (id: string) => awaiter.awaitRun(id, awaiter.answerUntil())
  return { ...awaiter, awaiter, awaitRun, pass, set, reads }
}

test('two hundred wait by one read, and the next is answered at once', async () => {
  const { awaitRun, pass, set, reads } = setting()
  const ids = Array.from({ length: 200 }, (_, i) => `run-${i}`)
  for (const id of ids) set(id, {})
  const waiting = ids.map((id) => awaitRun(id))
  set('one-more', { completed_at: 1 })
  assert.equal(await awaitRun('one-more'), false)
  await pass(100)
  assert.deepEqual(reads, [200])
  for (const id of ids) set(id, { completed_at: 1 })
  await pass(100)
  assert.deepEqual(new Set(await Promise.all(waiting)), new Set([true]))
  const again = awaitRun('one-more')
  await pass(100)
  assert.equal(await again, true, 'there is room again')
})

test('a run that falls asleep, takes too long or is gone is answered without its result', async () => {
  const { awaitRun, pass, set } = setting()
  set('sleeps', { wake_at: 1_000_000 })
  set('works', {})
  const [sleeps, works, gone] = [awaitRun('sleeps'), awaitRun('works'), awaitRun('gone')]
  await pass(100)
  assert.deepEqual([await sleeps, await gone], [false, false])
  await pass(24_900)
  await pass(100)
  assert.equal(await works, false)
})

test('nobody is left waiting when the process stops', async () => {
  const { awaitRun, stopWaiting, set } = setting()
  set('works', {})
  const works = awaitRun('works')
  stopWaiting()
  assert.equal(await works, false)
})

test('a repeat waits in its own time, counted from when it came', async () => {
  const { awaitRun, pass, set } = setting()
  set('works', {})
  const first = awaitRun('works')
  await pass(20_000)
  const repeat = awaitRun('works')
  await pass(5_100)
  assert.equal(await first, false)
  set('works', { completed_at: 1 })
  await pass(10_000)
  assert.equal(await repeat, true)
})

test('what a request took before its run began is part of its time', async () => {
  const { awaiter, pass, set } = setting()
  set('works', {})
  const untilMs = awaiter.answerUntil()
  await pass(20_000)
  const begun = awaiter.awaitRun('works', untilMs)
  await pass(5_100)
  set('works', { completed_at: 1 })
  await pass(100)
  assert.equal(await begun, false)
})
