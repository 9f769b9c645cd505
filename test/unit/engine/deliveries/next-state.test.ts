import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { nextState } from '#engine/deliveries/next-state.ts'

const dayMs = 86_400_000
const outcome = (statusCode: number | null, retryAfterMs = 0) => ({
  statusCode,
  error: null,
  retryAfterMs,
})
const chance = { min: 0, max: 0.999_999, noNaN: true }

test('only a 2xx is a success, only a 410 ends at once, everything else waits or has failed', () => {
  for (let status = 200; status < 600; status++) {
    const { status: next } = nextState(outcome(status), { attempts: 0, nowMs: 0, random: 0 })
    const expected = status < 300 ? 'DELIVERED' : status === 410 ? 'DISABLED' : 'PENDING'
    assert.equal(next, expected, String(status))
  }
  const { status } = nextState(outcome(null), { attempts: 0, nowMs: 0, random: 0 })
  assert.equal(status, 'PENDING')
})

test('a 2xx or 410 counts also on the last attempt', () => {
  const last = { attempts: 9, nowMs: 0, random: 0.5 }
  assert.equal(nextState(outcome(204), last).status, 'DELIVERED')
  assert.equal(nextState(outcome(410), last).status, 'DISABLED')
  assert.equal(nextState(outcome(500), last).status, 'FAILED')
})

test('the next attempt is never before the receiver wants it, nor later than a day and a tenth', () => {
  fc.assert(
    fc.property(
      fc.nat(8),
      fc.double(chance),
      fc.nat(30 * dayMs),
      (attempts, random, retryAfterMs) => {
        const next = nextState(outcome(503, retryAfterMs), { attempts, nowMs: 1_000, random })
        assert.equal(next.status, 'PENDING')
        const waitMs = (next.retryAtMs ?? 0) - 1_000
        assert.ok(Number.isInteger(waitMs))
        assert.ok(waitMs >= Math.min(retryAfterMs, dayMs) && waitMs >= 4_500)
        assert.ok(waitMs <= dayMs * 1.1)
      },
    ),
  )
})

test('waits differ by chance, a tenth to either side', () => {
  const at = (random: number) =>
    nextState(outcome(500), { attempts: 1, nowMs: 0, random }).retryAtMs
  assert.deepEqual([at(0), at(0.5), at(0.999_999_9)], [270_000, 300_000, 330_000])
})
