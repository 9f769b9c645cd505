import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TimedClock } from '#core/clock.ts'
import { keepLease } from '#engine/work/lease-keeper.ts'
import type { Leases } from '#store/engine-store.ts'

const leaseMs = 30_000

/** A clock that stands still, and whose timers fire when told to. */
function handClock() {
  const beats = new Set<() => void>()
  const clock: TimedClock & { monotonic: number; wall: number } = {
    ...{ monotonic: 0, wall: 1_000_000 },
    nowMs: () => clock.wall,
    monotonicMs: () => clock.monotonic,
    after: () => () => {},
    every(_, beat) {
      beats.add(beat)
      return () => beats.delete(beat)
    },
    nextTick: (callBack) => callBack(),
  }
  const beat = async () => {
    for (const each of beats) each()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { clock, beat }
}

const leasesThat = (renews: () => boolean): Leases => ({
  ...{ releaseEarlier: async () => {}, begin: async () => {}, reap: async () => {} },
  ...{ end: async () => {}, renew: async () => renews() },
})

test('a worker that was held up is not certain of its lease until it has renewed it', async () => {
  const { clock, beat } = handClock()
  const keeper = await keepLease(
    leasesThat(() => true),
    { clock, leaseMs, onError: assert.ifError },
  )
  const lease = keeper.current()
  assert.equal(lease.isCertain(), true)
  clock.monotonic += leaseMs
  assert.equal(lease.isCertain(), false)
  await beat()
  assert.equal(lease.isCertain(), true)
})

test('nor is one whose machine slept, where only the clock on the wall went on', async () => {
  const { clock, beat } = handClock()
  const keeper = await keepLease(
    leasesThat(() => true),
    { clock, leaseMs, onError: assert.ifError },
  )
  const lease = keeper.current()
  clock.wall += leaseMs
  assert.equal(lease.isCertain(), false)
  await beat()
  assert.equal(lease.isCertain(), true)
})

test('a lease that was lost is never certain again, and the next one is', async () => {
  const { clock, beat } = handClock()
  const keeper = await keepLease(
    leasesThat(() => false),
    {
      ...{ clock, leaseMs, onError: assert.ifError },
    },
  )
  const lost = keeper.current()
  clock.monotonic += leaseMs
  await beat()
  assert.equal(lost.isCertain(), false)
  assert.notEqual(keeper.current(), lost)
  assert.equal(keeper.current().isCertain(), true)
})

test('a release waits for the heartbeat under way, or a lease would be begun that nobody ends', async () => {
  const { clock, beat } = handClock()
  const held = new Set<string>()
  const answered = Promise.withResolvers<void>()
  const leases: Leases = {
    ...leasesThat(() => true),
    begin: async (workerId) => void held.add(workerId),
    async renew(workerId) {
      await answered.promise
      return held.has(workerId)
    },
    end: async (workerId) => void held.delete(workerId),
  }
  const keeper = await keepLease(leases, { clock, leaseMs, onError: assert.ifError })
  await beat()
  const released = keeper.release()
  await beat()
  answered.resolve()
  await released
  await beat()
  assert.deepEqual([...held], [])
})
