import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSignInLimits, type SignInQuotas, type Trier } from '#auth/sign-in-limits.ts'
import { Failure } from '#core/errors.ts'

const minuteMs = 60_000
const office = '198.51.100.1'
const limited = { code: 'RATE_LIMITED', status: 429 }

function setting(quotas: Partial<SignInQuotas & { maxTracked: number }> = {}) {
  const clock = { at: Date.UTC(2030, 0, 1), nowMs: () => clock.at }
  const limits = createSignInLimits({
    ...{ clock, perEmail: 10, perAddress: 10, maxWaitMs: 15 * minuteMs },
    ...quotas,
  })
  const right = (who: Trier) => limits.attempt(who, async () => 'in')
  const wrong = (who: Trier) =>
    assert.rejects(
      limits.attempt(who, async () => {
        throw new Failure('INVALID_CREDENTIAL')
      }),
      { code: 'INVALID_CREDENTIAL' },
    )
  return { clock, limits, right, wrong }
}

const newAddress = (n: number) => `203.0.113.${n}`

test('two hundred people sign in through one address at once', async () => {
  const { limits } = setting()
  let [under, most] = [0, 0]
  const people = Array.from({ length: 60 }, (_, n) =>
    limits.attempt({ address: office, email: `p${n}@example.com` }, async () => {
      most = Math.max(most, ++under)
      await new Promise(setImmediate)
      under--
    }),
  )
  await Promise.all(people)
  assert.equal(most, 10, 'never more at once than could turn out wrong')
  for (let n = 60; n < 200; n++) {
    await limits.attempt({ address: office, email: `p${n}@example.com` }, async () => {})
  }
})

test('ten failures a minute per address, whatever the e-mails', async () => {
  const { right, wrong, clock } = setting()
  for (let n = 0; n < 10; n++) await wrong({ address: office, email: `p${n}@example.com` })
  await assert.rejects(right({ address: office, email: 'any@example.com' }), limited)
  await assert.rejects(right({ address: office }), { ...limited, retryAfterSeconds: 60 })
  await right({ address: newAddress(1), email: 'p1@example.com' })
  clock.at += minuteMs
  await right({ address: office, email: 'any@example.com' })
})

test('ten failures a minute per e-mail, whatever the addresses, known or not', async () => {
  const { right, wrong, clock } = setting()
  const email = 'victim@example.com'
  for (let n = 0; n < 10; n++) await wrong({ address: newAddress(n), email })
  await assert.rejects(right({ address: newAddress(100), email }), limited)
  clock.at += minuteMs - 1
  await assert.rejects(right({ address: newAddress(101), email }), {
    ...limited,
    retryAfterSeconds: 1,
  })
  clock.at += 1
  await right({ address: newAddress(102), email })
})

test('a thousand guesses at once get no further than ten', async () => {
  const { limits } = setting({ perAddress: 0 })
  let made = 0
  const guess = async () => {
    made++
    await new Promise(setImmediate)
    throw new Failure('INVALID_CREDENTIAL')
  }
  const outcomes = await Promise.allSettled(
    Array.from({ length: 1_000 }, (_, n) =>
      limits.attempt({ address: newAddress(n), email: 'victim@example.com' }, guess),
    ),
  )
  assert.equal(made, 10)
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 0)
})

test('waits double up to the most, and begin anew after an hour of quiet', async () => {
  const { wrong, right, clock } = setting({ perAddress: 0, maxWaitMs: 5 * minuteMs })
  const email = 'victim@example.com'
  const waits: number[] = []
  const use = async () => {
    for (let n = 0; n < 10; n++) {
      const onLimited = (waitMs: number) => void waits.push(waitMs)
      await wrong({ address: newAddress(n), email, onLimited })
    }
    await assert.rejects(right({ address: newAddress(77), email }), limited)
    clock.at += waits.at(-1) ?? 0
  }
  for (let n = 0; n < 4; n++) await use()
  assert.deepEqual(
    waits,
    [1, 2, 4, 5].map((minutes) => minutes * minuteMs),
  )
  clock.at += 60 * minuteMs
  await use()
  assert.equal(waits.at(-1), minuteMs)
})

test('whoever gets in at last takes their own mistakes back, and nobody else’s', async () => {
  const { right, wrong } = setting()
  for (let n = 0; n < 200; n++) {
    const who = { address: office, email: `p${n}@example.com` }
    await wrong(who)
    await right(who)
  }
  for (let n = 0; n < 9; n++) await wrong({ address: office, email: `other${n}@example.com` })
  await right({ address: office, email: 'attacker@example.com' })
  await wrong({ address: office, email: 'other@example.com' })
  await assert.rejects(right({ address: office, email: 'attacker@example.com' }), limited)
})

test('guesses from elsewhere do not lock out a person where they usually sign in', async () => {
  const { right, wrong } = setting({ maxTracked: 100 })
  const email = 'victim@example.com'
  await right({ address: office, email })
  for (let n = 0; n < 10; n++) await wrong({ address: newAddress(n), email })
  await assert.rejects(right({ address: newAddress(99), email }), limited)
  await right({ address: office, email })
  for (let n = 0; n < 10; n++) await wrong({ address: office, email })
  await assert.rejects(right({ address: office, email }), limited)
})

test('wrong links from many networks do not push out what counts for an e-mail', async () => {
  const { right, wrong } = setting({ maxTracked: 20 })
  const email = 'victim@example.com'
  for (let n = 0; n < 10; n++) await wrong({ address: newAddress(n), email })
  // A wrong link costs the server no hash of a password, so somebody can try very many.
  for (let n = 100; n < 150; n++) await wrong({ address: newAddress(n) })
  await assert.rejects(right({ address: newAddress(99), email }), limited)
})

test('what fails for another reason is never counted', async () => {
  const { limits, right } = setting()
  const who = { address: office, email: 'p@example.com' }
  for (const error of [new Error('away'), new Failure('SERVICE_UNAVAILABLE')]) {
    for (let n = 0; n < 120; n++) {
      const away = limits.attempt(who, () => Promise.reject(error))
      await assert.rejects(away, { message: error.message })
    }
  }
  // The password was right; only the code is missing.
  for (let n = 0; n < 20; n++) {
    const asked = limits.attempt(who, () => Promise.reject(new Failure('CODE_REQUIRED')))
    await assert.rejects(asked, { code: 'CODE_REQUIRED' })
  }
  await right(who)
})

test('tries that are refused make nobody else’s failures forgotten', async () => {
  const { right, wrong } = setting()
  const email = 'victim@example.com'
  for (let n = 0; n < 10; n++) await wrong({ address: newAddress(n), email })
  for (let n = 0; n < 10; n++) await wrong({ address: office, email: `p${n}@example.com` })
  // More than are tracked.
  for (let n = 0; n < 200; n++) {
    await right({ address: office, email: `q${n}@example.com` }).catch(() => {})
  }
  await assert.rejects(right({ address: newAddress(100), email }), limited)
})

test('limits that are off limit nothing', async () => {
  const { right, wrong } = setting({ perEmail: 0, perAddress: 0 })
  const who = { address: office, email: 'p@example.com' }
  for (let n = 0; n < 50; n++) await wrong(who)
  await right(who)
})

test('a clock that is set back locks nobody out for longer', async () => {
  const { right, wrong, clock } = setting()
  const who = { address: office, email: 'p@example.com' }
  for (let n = 0; n < 10; n++) await wrong(who)
  clock.at -= 24 * 60 * minuteMs
  await right(who)
})
