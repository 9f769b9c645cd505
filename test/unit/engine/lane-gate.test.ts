import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LongDelay } from '#core/delayed-call.ts'
import { newLane } from '#core/lane.ts'
import { Stop } from '#core/stop.ts'
import { createLaneGate } from '#engine/calls/lane-gate.ts'
import { createLanes } from '#engine/calls/lanes.ts'
import { ProviderError } from '#providers/provider.ts'
import { createHandClock } from '../../support/hand-clock.ts'
import { noLimits } from '../../support/no-lanes.ts'

const served = { provider: 'p', providerModel: 'm', model: { id: 'model' } }
const call = { principal: { accountId: 'a' } }
const busy = (retryAfterMs?: number) =>
  new ProviderError('busy', {
    outcome: 'rejected',
    status: 429,
    message: 'slow down',
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })

function setting(patienceMs = 10_000) {
  const hand = createHandClock()
  const gate = createLaneGate({ lanes: noLimits, clock: hand.clock, patienceMs, random: () => 0 })
  return { ...hand, gate }
}

test('without a pause or a limit there is nothing to wait for', () => {
  const { gate } = setting()
  assert.equal(gate.enter(served, { call, signal: new Stop() }, 1), undefined)
})

test('people wait ten seconds in all', async () => {
  const { gate, pass } = setting()
  const waiting = { call, signal: new Stop() }
  const since = gate.repeatsSince(served, waiting, busy(9_000))
  assert.equal(since, 0)
  const again = { ...waiting, waitingSinceMs: since }
  const entered = gate.enter(served, again, 1)
  await pass(9_000)
  assert.equal(await entered, undefined)
  assert.equal(gate.repeatsSince(served, again, busy(2_000)), undefined)
  assert.equal(gate.repeatsSince(served, again, busy(500)), since)
})

test('a node of a run waits ten seconds here and is told why; for longer its run sleeps', async () => {
  const { gate, pass } = setting()
  const told: unknown[] = []
  const waiting = {
    ...{ call, signal: new Stop(), waitUntil: () => new Stop() },
    waiting: {
      began(delay: unknown) {
        told.push(delay)
        return () => void told.push('over')
      },
    },
  }
  assert.equal(gate.repeatsSince(served, waiting, busy(10_000)), 0)
  const entered = gate.enter(served, waiting, 1)
  await pass(10_000)
  assert.equal(await entered, undefined)
  assert.deepEqual(told, [{ kind: 'RATE_LIMIT', model: 'model' }, 'over'])
  // However long it has waited before.
  assert.equal(gate.repeatsSince(served, waiting, busy(600_000)), 10_000)
  await assert.rejects(
    async () => gate.enter(served, waiting, 1),
    (error) => error instanceof LongDelay && error.ms === 600_000,
  )
})

test('in a full lane a node waits ten seconds, then sleeps until its turn is near', async () => {
  const hand = createHandClock()
  const limits = { concurrency: 1 }
  const lanes = createLanes({
    store: { change: async (_, change) => change(state, hand.clock.nowMs()) },
    clock: hand.clock,
    limitsOf: () => limits,
    user: 'only',
    onError: (error) => assert.fail(String(error)),
  })
  const state = newLane()
  const gate = createLaneGate({ lanes, clock: hand.clock, patienceMs: 10_000, random: () => 0 })
  const asking = (accountId: string, sinceMs?: number) => ({
    ...{ call: { principal: { accountId } }, signal: new Stop(), waitUntil: () => new Stop() },
    waiting: { sinceMs, began: () => () => undefined },
  })
  const first = await gate.enter(served, asking('a'), 1)
  const delayed = Promise.all(
    ['a', 'a', 'b'].map((accountId) =>
      assert.rejects(
        async () => gate.enter(served, asking(accountId), 1),
        (error) => error instanceof LongDelay && error.delay.kind === 'LANE' && error.ms > 10_000,
      ),
    ),
  )
  await hand.pass(11_000)
  await delayed
  assert.deepEqual(lanes.waiting(), { people: 0, batch: 0 })
  // Whoever comes back goes before those of its account that came later.
  const order: string[] = []
  const enter = async (name: string, sinceMs?: number) => {
    const pass = await gate.enter(served, asking('a', sinceMs), 1)
    order.push(name)
    pass?.left(null)
  }
  const both = [enter('new'), enter('back', 0)]
  first?.left(null)
  await hand.pass(1_000)
  await Promise.all(both)
  assert.deepEqual(order, ['back', 'new'])
  await lanes.close()
})

test('a call that was paid elsewhere does not sleep, and waits for a vendor at most a minute', async () => {
  const { gate, pass } = setting()
  const waiting = {
    ...{ call, signal: new Stop(), waitUntil: () => new Stop(), isPaid: true },
    waiting: { began: () => () => undefined },
  }
  const since = gate.repeatsSince(served, waiting, busy(40_000))
  const entered = gate.enter(served, { ...waiting, waitingSinceMs: since }, 1)
  await pass(40_000)
  assert.equal(await entered, undefined)
  const again = { ...waiting, waitingSinceMs: since }
  assert.equal(gate.repeatsSince(served, again, busy(21_000)), undefined)
  await assert.rejects(async () => gate.enter(served, again, 1), /asked to wait/)
})

test('an account that is used up is no busy vendor, although it has the same status', () => {
  const { gate } = setting()
  const waiting = { call, signal: new Stop() }
  const usedUp = new ProviderError('auth', {
    ...({ outcome: 'rejected', status: 429, message: 'insufficient_quota' } as const),
  })
  assert.equal(gate.repeatsSince(served, waiting, usedUp), undefined)
  assert.equal(gate.enter(served, waiting, 1), undefined)
})

test('a call that can go to another model does not wait, nor does anybody if that is switched off', async () => {
  const { gate } = setting()
  const moving = { call, signal: new Stop(), isNotLast: true }
  assert.equal(gate.repeatsSince(served, moving, busy(50)), undefined)
  await assert.rejects(async () => gate.enter(served, moving, 1), /asked to wait/)
  const off = setting(0).gate
  assert.equal(off.repeatsSince(served, { call, signal: new Stop() }, busy(50)), undefined)
  assert.equal(off.enter(served, { call, signal: new Stop() }, 1), undefined)
})

test('each refusal without a time doubles the pause; other errors and other models cause none', () => {
  const { gate, clock } = setting()
  const waiting = { call, signal: new Stop() }
  const unsure = new ProviderError('server', { outcome: 'unknown', status: 500, message: 'broken' })
  assert.equal(gate.repeatsSince(served, waiting, unsure), undefined)
  assert.equal(gate.enter(served, waiting, 1), undefined)
  for (const expected of [1_000, 2_000, 4_000, 8_000]) {
    assert.equal(gate.repeatsSince(served, waiting, busy()), clock.nowMs())
    assert.equal(gate.loadOf(served).pausedMs, expected)
  }
  assert.equal(gate.enter({ ...served, providerModel: 'other' }, waiting, 1), undefined)
  assert.equal(gate.enter({ ...served, credentialId: 'own' }, waiting, 1), undefined)
  assert.ok(gate.enter(served, waiting, 1) instanceof Promise)
})
