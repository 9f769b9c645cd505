import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createAccountLimits, createAddressLimit, type Rate } from '#auth/rate-limit.ts'
import type { KeyLimits, Principal } from '#core/principal.ts'

const minuteMs = 60_000
const off = { default: 0, chat: 0, generation: 0, run: 0 }

function handClock() {
  const clock = { at: Date.UTC(2030, 0, 1), nowMs: () => clock.at }
  return clock
}

const caller = (accountId: string, limits: KeyLimits = {}, keyId = 'k'): Principal => ({
  accountId,
  userId: null,
  keyId,
  scopes: new Set(),
  limits,
  accountSpendPerMonthMicros: null,
})

test('where no limit is set nothing is counted and no header is sent', () => {
  const limits = createAccountLimits({ clock: handClock(), quotas: { ...off, chat: 5 } })
  assert.equal(limits.count(caller('a')), null)
  assert.equal(limits.count(caller('a'), 'run'), null)
})

test('the headers name the policy, what remains and when it resets', () => {
  const clock = handClock()
  const limits = createAccountLimits({ clock, quotas: { ...off, default: 600, chat: 2 } })
  limits.count(caller('a'))
  clock.at += 17_400
  assert.deepEqual(limits.count(caller('a'), 'chat'), {
    headers: {
      'RateLimit-Policy': '"default";q=600;w=60, "chat";q=2;w=60',
      RateLimit: '"default";r=598;t=43, "chat";r=1;t=60',
    },
    left: { quota: 2, remaining: 1, resetSeconds: 60, resetsAtMs: clock.at + 60_000 },
    failure: null,
  })
})

test('a refused request uses up nothing of any other limit', () => {
  const limits = createAccountLimits({
    clock: handClock(),
    quotas: { ...off, default: 10, run: 1 },
  })
  limits.count(caller('a'), 'run')
  for (let i = 0; i < 20; i++) {
    const refusal = limits.count(caller('a'), 'run')?.failure
    assert.equal(refusal?.code, 'RATE_LIMITED')
    assert.equal(refusal?.retryAfterSeconds, 60)
  }
  assert.match(limits.count(caller('a'))?.headers.RateLimit ?? '', /^"default";r=8;/)
})

test('accounts do not share a limit, the keys of one account do, and a key may have its own', () => {
  const limits = createAccountLimits({ clock: handClock(), quotas: { ...off, default: 3 } })
  const isAdmitted = (principal: Principal) => limits.count(principal)?.failure === null
  const narrow = { requestsPerMinute: 1 }
  assert.equal(isAdmitted(caller('a', narrow, 'k1')), true)
  assert.equal(isAdmitted(caller('a', narrow, 'k1')), false)
  assert.equal(isAdmitted(caller('a', narrow, 'k2')), true)
  assert.equal(isAdmitted(caller('a', {}, 'k3')), true)
  assert.equal(isAdmitted(caller('a', {}, 'k4')), false)
  assert.equal(isAdmitted(caller('b', {}, 'k5')), true)
})

test('a key may be limited for each kind of work although the operator set no limit', () => {
  const limits = createAccountLimits({ clock: handClock(), quotas: off })
  const rates: Rate[] = ['chat', 'generation', 'run']
  const own = { chatPerMinute: 1, generationPerMinute: 1, runPerMinute: 1 }
  for (const rate of rates) {
    const first = limits.count(caller('a', own), rate)
    assert.equal(first?.headers['RateLimit-Policy'], `"key-${rate}";q=1;w=60`)
    assert.equal(first?.failure, null)
    assert.equal(limits.count(caller('a', own), rate)?.failure?.code, 'RATE_LIMITED')
  }
})

test('no window admits more than its quota, and waiting for Retry-After is always enough', () => {
  const requests = fc.array(
    fc.record({ who: fc.constantFrom('a', 'b', 'c'), waitMs: fc.integer({ min: 0, max: 30_000 }) }),
    { maxLength: 200 },
  )
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), requests, (quota, sequence) => {
      const clock = handClock()
      const limits = createAccountLimits({ clock, quotas: { ...off, default: quota } })
      const windows = new Map<string, { startMs: number; admitted: number }>()
      for (const { who, waitMs } of sequence) {
        clock.at += waitMs
        let window = windows.get(who)
        if (!window || clock.at - window.startMs >= minuteMs) {
          window = { startMs: clock.at, admitted: 0 }
          windows.set(who, window)
        }
        const decision = limits.count(caller(who))
        assert.ok(decision)
        assert.equal(decision.failure === null, window.admitted < quota)
        if (decision.failure === null) window.admitted++
        const leftMs = window.startMs + minuteMs - clock.at
        assert.equal(
          decision.headers.RateLimit,
          `"default";r=${quota - window.admitted};t=${Math.ceil(leftMs / 1000)}`,
        )
        if (decision.failure) {
          clock.at += (decision.failure.retryAfterSeconds ?? 0) * 1000
          assert.equal(limits.count(caller(who))?.failure, null)
          windows.set(who, { startMs: clock.at, admitted: 1 })
        }
      }
    }),
  )
})

test('a clock that is set back locks nobody out', () => {
  const clock = handClock()
  const limits = createAccountLimits({ clock, quotas: { ...off, default: 1 } })
  limits.count(caller('a'))
  clock.at -= 3_600_000
  assert.equal(limits.count(caller('a'))?.failure, null)
})

test('addresses are limited one by one, IPv6 by the network of a subscriber', () => {
  const isRefused = (first: string, second: string) => {
    const limit = createAddressLimit({ clock: handClock(), quota: 1 })
    limit.count(first)
    return limit.count(second) !== null
  }
  assert.equal(isRefused('192.0.2.1', '192.0.2.1'), true)
  assert.equal(isRefused('192.0.2.1', '192.0.2.2'), false)
  assert.equal(isRefused('2001:db8:1:2::1', '2001:db8:1:2:ffff::9'), true)
  assert.equal(isRefused('2001:db8:1:2::1', '2001:db8:1:3::1'), false)
  assert.equal(isRefused('::ffff:192.0.2.1', '192.0.2.1'), true)
  assert.equal(isRefused('fe80::1%eth0', 'fe80::2%eth0'), true)
})

test('people behind a proxy that writes their ports are counted one by one', () => {
  const clock = handClock()
  const limit = createAddressLimit({ clock, quota: 1 })
  const isRefused = (address: string) => limit.count(address) !== null
  assert.deepEqual(['192.0.2.7:50123', '192.0.2.8:50123'].map(isRefused), [false, false])
  assert.deepEqual(['192.0.2.7:50124', '192.0.2.7'].map(isRefused), [true, true])
  assert.deepEqual(['[2001:db8::1]:443', '2001:db8::2'].map(isRefused), [false, true])
})

test('a limit of 0 per address is off', () => {
  const limit = createAddressLimit({ clock: handClock(), quota: 0 })
  for (let i = 0; i < 1_000; i++) assert.equal(limit.count('192.0.2.1'), null)
})

test('a flood of addresses pushes out the oldest counts instead of taking memory', () => {
  const limit = createAddressLimit({ clock: handClock(), quota: 1 })
  limit.count('oldest')
  assert.notEqual(limit.count('oldest'), null)
  for (let i = 0; i < 60_000; i++) limit.count(`address-${i}`)
  assert.notEqual(limit.count('address-59999'), null)
  assert.equal(limit.count('oldest'), null)
})
