import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { planRotation, type ScheduledKey, signingKeyAt } from '#auth/key-schedule.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const startMs = Date.UTC(2030, 0, 1)

type Known = ScheduledKey & { createdAtMs: number; lastSignedAtMs: number | null }

/** Applies the plan at each of these times, and signs once at each. */
function live(timesMs: number[]) {
  let keys: Known[] = []
  const deleted: Known[] = []
  for (const nowMs of timesMs) {
    const { create, deleteBefore } = planRotation(keys, nowMs)
    if (create) keys.push({ ...create, createdAtMs: nowMs, lastSignedAtMs: null })
    const isDone = (key: Known) => deleteBefore !== null && key.sequence < deleteBefore
    for (const key of keys.filter(isDone)) {
      const tokensExpireAtMs = (key.lastSignedAtMs ?? 0) + 15 * minuteMs + 30_000
      assert.ok(nowMs >= tokensExpireAtMs, 'a key is kept until its last token expired')
      deleted.push(key)
    }
    keys = keys.filter((key) => !isDone(key))
    const signer = signingKeyAt(keys, nowMs)
    assert.ok(signer, 'there is always a key to sign with')
    assert.ok(
      signer.sequence === 1 || nowMs - signer.createdAtMs >= hourMs,
      'a key is published for an hour before it signs',
    )
    signer.lastSignedAtMs = nowMs
  }
  return { keys, deleted }
}

test('keys are published before use and kept until their last token expired, at any rhythm', () => {
  const steps = fc.array(fc.integer({ min: 1, max: 9 * dayMs }), { minLength: 1, maxLength: 60 })
  fc.assert(
    fc.property(steps, (gapsMs) => {
      let nowMs = startMs
      live(gapsMs.map((gapMs) => (nowMs += gapMs)))
    }),
  )
})

test('a server that is always on uses each key for thirty days', () => {
  const timesMs = Array.from({ length: 100 * 24 * 12 }, (_, i) => startMs + i * 5 * minuteMs)
  const { keys, deleted } = live(timesMs)
  assert.deepEqual(
    [...deleted, ...keys].map((key) => (key.activeFromMs - startMs) / dayMs),
    [0, 30, 60, 90],
  )
  assert.deepEqual(
    [...deleted, ...keys].slice(1).map((key) => (key.activeFromMs - key.createdAtMs) / hourMs),
    [24, 24, 24],
  )
  assert.equal(keys.length, 1)
})

test('after a long pause the old key signs for one more hour while the next is published', () => {
  const wakesAtMs = startMs + 400 * dayMs
  const first = { sequence: 1, activeFromMs: startMs }
  assert.deepEqual(planRotation([first], wakesAtMs), {
    create: { sequence: 2, activeFromMs: wakesAtMs + hourMs },
    deleteBefore: null,
  })
})

test('a first key made by a faster clock signs at once', () => {
  const early = { sequence: 1, activeFromMs: startMs + 500 }
  assert.equal(signingKeyAt([early], startMs), early)
})
