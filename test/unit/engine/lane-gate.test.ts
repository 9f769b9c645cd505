import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Stop } from '#core/stop.ts'
import { createLaneGate } from '#engine/calls/lane-gate.ts'
import { ProviderError } from '#providers/provider.ts'
import { createHandClock } from '../../support/hand-clock.ts'

const served = { provider: 'p', providerModel: 'm' }
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
  const lanes = { isLimited: () => false, enter: () => undefined }
  const gate = createLaneGate({ lanes, clock: hand.clock, patienceMs, random: () => 0 })
  return { ...hand, gate }
}

test('without a pause or a limit there is nothing to wait for', () => {
  const { gate } = setting()
  assert.equal(gate.enter(served, { call, signal: new Stop() }, 1), undefined)
})

test('people wait ten seconds in all, a node of a run a minute', async () => {
  for (const [longestMs, waitUntil] of [
    [10_000, undefined],
    [60_000, () => new Stop()],
  ] as const) {
    const { gate, pass } = setting()
    const waiting = { call, signal: new Stop(), waitUntil }
    const since = gate.repeatsSince(served, waiting, busy(longestMs - 1_000))
    assert.equal(since, 0)
    const entered = gate.enter(served, { ...waiting, waitingSinceMs: since }, 1)
    await pass(longestMs - 1_000)
    assert.equal(await entered, undefined)
    const again = { ...waiting, waitingSinceMs: since }
    assert.equal(gate.repeatsSince(served, again, busy(2_000)), undefined)
    assert.equal(gate.repeatsSince(served, again, busy(500)), since)
  }
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
  for (const expected of [clock.nowMs(), clock.nowMs()])
    assert.equal(gate.repeatsSince(served, waiting, busy()), expected)
  assert.equal(gate.enter({ ...served, providerModel: 'other' }, waiting, 1), undefined)
  assert.equal(gate.enter({ ...served, credentialId: 'own' }, waiting, 1), undefined)
  assert.ok(gate.enter(served, waiting, 1) instanceof Promise)
})
