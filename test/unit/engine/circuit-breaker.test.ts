import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { createCircuitBreaker } from '#engine/calls/circuit-breaker.ts'
import { ProviderError, type ProviderErrorKind } from '#providers/provider.ts'

const error = (
  kind: ProviderErrorKind,
  outcome: ProviderError['outcome'] = 'unknown',
  status?: number,
) =>
  new ProviderError(kind, { outcome, message: kind, ...(status === undefined ? {} : { status }) })
const down = () => Promise.reject(error('server'))
const up = async () => 'ok'

function openBreaker() {
  let nowMs = 1_000_000
  const breaker = createCircuitBreaker({ nowMs: () => nowMs })
  return {
    /** 'ok', the error's kind, or 'paused' if the call was not made. */
    async call(
      work: () => Promise<unknown> = up,
      provider = 'p',
      providerModel = 'm',
      credentialId?: string,
    ) {
      let made = false
      const outcome = await breaker
        .guard({ provider, providerModel, credentialId }, () => {
          made = true
          return work()
        })
        .catch((thrown: ProviderError) => thrown.kind ?? thrown.name)
      return made ? outcome : 'paused'
    },
    breaker,
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

describe('the circuit breaker', () => {
  test('stops calls after five outages in a row, and says for how long', async () => {
    const { call, breaker, pass } = openBreaker()
    for (let i = 0; i < 5; i++) assert.equal(await call(down), 'server')
    assert.equal(await call(), 'paused')
    pass(2_000)
    const refusal = await breaker
      .guard({ provider: 'p', providerModel: 'm' }, up)
      .catch((thrown) => thrown)
    assert.ok(refusal instanceof ProviderError)
    assert.deepEqual(
      [refusal.kind, refusal.outcome, refusal.retryAfterMs],
      ['unreachable', 'not_sent', 3_000],
    )
  })

  test('keeps calls with different keys apart', async () => {
    const { call } = openBreaker()
    for (let i = 0; i < 5; i++) await call(down, 'p', 'm', 'mine')
    assert.equal(await call(up, 'p', 'm', 'mine'), 'paused')
    assert.equal(await call(up, 'p', 'm', 'theirs'), 'ok')
    assert.equal(await call(), 'ok')
    assert.equal(await call(up, 'p', 'm', 'mine'), 'paused')
  })

  test('leaves one of several keys alone that the vendor refuses: all of it, or for one model', async () => {
    const { breaker, pass } = openBreaker()
    const at = (deployment: string | undefined, providerModel: string) => ({
      ...{ provider: 'p', providerModel, deployment },
    })
    const refused = (status: number, served: ReturnType<typeof at>) =>
      breaker.enter(served).failed(error('auth', 'rejected', status))
    refused(401, at('a', 'm'))
    refused(403, at('b', 'm'))
    assert.deepEqual(
      [at('a', 'm'), at('a', 'n'), at('b', 'm'), at('b', 'n'), at('c', 'm')].map(breaker.isUp),
      [false, false, false, true, true],
    )
    assert.throws(() => breaker.enter(at('a', 'n')), /p \(deployment "a"\) refused the key/)
    // A single key is asked every time: nothing else could answer.
    refused(401, at(undefined, 'm'))
    assert.ok(breaker.isUp(at(undefined, 'm')))
    // One call at a time tries it again, after pauses that grow.
    for (const minutes of [1, 2, 4]) {
      pass(minutes * 60_000 - 1)
      assert.ok(!breaker.isUp(at('a', 'n')))
      pass(1)
      const trial = breaker.enter(at('a', 'n'))
      assert.throws(() => breaker.enter(at('a', 'm')))
      trial.failed(error('auth', 'rejected', 401))
    }
    pass(8 * 60_000)
    breaker.enter(at('a', 'm')).succeeded()
    assert.ok(breaker.isUp(at('a', 'n')))
  })

  test('says what it opens, and what is open', async () => {
    const told: unknown[] = []
    const breaker = createCircuitBreaker(
      { nowMs: () => 1_000 },
      { onOpened: ({ served: { deployment }, isRefused }) => told.push([deployment, isRefused]) },
    )
    const served = { provider: 'p', providerModel: 'm', deployment: 'a' }
    for (let i = 0; i < 7; i++) await breaker.guard(served, down).catch(() => {})
    breaker.enter({ ...served, deployment: 'b' }).failed(error('auth', 'rejected', 401))
    assert.deepEqual(told, [
      ['a', false],
      ['b', true],
    ])
    assert.deepEqual(
      breaker.open().map(({ openUntilMs, isRefused }) => [openUntilMs, isRefused]),
      [
        [61_000, true],
        [6_000, false],
      ],
    )
  })

  test('counts only outages that follow each other', async () => {
    const { call } = openBreaker()
    for (let round = 0; round < 5; round++) {
      for (let i = 0; i < 4; i++) await call(down)
      assert.equal(await call(), 'ok')
    }
  })

  test('treats a refusal as proof that the provider works', async () => {
    const { call } = openBreaker()
    for (let i = 0; i < 4; i++) await call(down)
    await call(() => Promise.reject(error('busy', 'rejected')))
    for (let i = 0; i < 4; i++) await call(down)
    assert.equal(await call(), 'ok')
  })

  test('ignores our own errors', async () => {
    const troubles = [error('canceled'), error('invalid', 'not_sent'), new Error('our own')]
    for (const trouble of troubles) {
      const { call } = openBreaker()
      for (let i = 0; i < 4; i++) await call(down)
      await call(() => Promise.reject(trouble))
      assert.equal(await call(down), 'server')
      assert.equal(await call(), 'paused')
    }
  })

  test('tries with one call after the pause; whatever ends it, another can be tried', async () => {
    const { call, pass } = openBreaker()
    for (let i = 0; i < 5; i++) await call(down)
    pass(5_000)
    const trial = Promise.withResolvers<void>()
    const trying = call(() => trial.promise)
    assert.equal(await call(), 'paused')
    trial.reject(new Error('nothing to do with the provider'))
    await trying
    assert.equal(await call(), 'ok')
    assert.equal(await call(), 'ok')
  })

  test('doubles the pause with each failed trial, up to a minute', async () => {
    const { call, pass } = openBreaker()
    for (let i = 0; i < 5; i++) await call(down)
    for (const pauseMs of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
      pass(pauseMs - 1)
      assert.equal(await call(), 'paused')
      pass(1)
      assert.equal(await call(down), 'server')
    }
  })

  test('counts failed trials, not the failures of calls that were under way when it opened', async () => {
    const { call, pass } = openBreaker()
    const outage = Promise.withResolvers<never>()
    const underWay = Array.from({ length: 100 }, () => call(() => outage.promise))
    outage.reject(error('server'))
    await Promise.all(underWay)
    assert.equal(await call(), 'paused')
    pass(5_000)
    assert.equal(await call(down), 'server')
    pass(9_999)
    assert.equal(await call(), 'paused')
    pass(1)
    assert.equal(await call(), 'ok')
  })

  test('ignores our own time limits, and counts a time-out reported by the provider as an outage', async () => {
    const { call } = openBreaker()
    for (let i = 0; i < 20; i++) await call(() => Promise.reject(error('timeout')))
    assert.equal(await call(), 'ok')
    for (let i = 0; i < 5; i++) await call(() => Promise.reject(error('timeout', 'unknown', 504)))
    assert.equal(await call(), 'paused')
  })

  test('keeps the models of a provider apart', async () => {
    const { call } = openBreaker()
    for (let i = 0; i < 5; i++) await call(down, 'p', 'slow')
    assert.deepEqual([await call(up, 'p', 'slow'), await call(up, 'p', 'other')], ['paused', 'ok'])
  })

  test('keeps providers apart', async () => {
    const { call } = openBreaker()
    for (let i = 0; i < 5; i++) await call(down, 'one')
    assert.deepEqual([await call(up, 'one'), await call(up, 'other')], ['paused', 'ok'])
  })

  test('never blocks a provider forever, whatever happened', async () => {
    const kinds = ['ok', 'server', 'busy', 'canceled', 'timeout', 'other'] as const
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ what: fc.constantFrom(...kinds), waitMs: fc.nat(20_000) })),
        async (history) => {
          const { call, pass } = openBreaker()
          for (const { what, waitMs } of history) {
            if (what === 'ok') await call()
            else if (what === 'other') await call(() => Promise.reject(new Error('other')))
            else await call(() => Promise.reject(error(what)))
            pass(waitMs)
          }
          pass(60_000)
          assert.equal(await call(), 'ok')
          assert.equal(await call(), 'ok')
        },
      ),
    )
  })
})
