import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CatalogueEntry } from '#core/catalogue.ts'
import { createCircuitBreaker, type Served } from '#engine/calls/circuit-breaker.ts'
import { firstOfKeys } from '#engine/calls/deployments.ts'
import { createRouteMemory } from '#engine/calls/route-order.ts'
import { ProviderError, type ProviderErrorKind } from '#providers/provider.ts'
import { createHandClock } from '../../support/hand-clock.ts'

const entry: CatalogueEntry = {
  model: {
    id: 'm',
    name: 'm',
    provider: 'p',
    kind: 'TEXT',
    description: '',
    enabled: true,
    capabilities: { inputModalities: ['text'] },
    pricing: null,
  },
  provider: 'p',
  providerModel: 'big',
  fallbacks: [],
}

const failure = (
  kind: ProviderErrorKind,
  outcome: ProviderError['outcome'] = 'rejected',
  status?: number,
) => new ProviderError(kind, { outcome, message: kind, ...(status ? { status } : {}) })

type Key = { weight?: number; models?: Record<string, string> }

function setting(keys: Record<string, Key>) {
  const hand = createHandClock()
  const breaker = createCircuitBreaker(hand.clock)
  const routeMemory = createRouteMemory(hand.clock)
  const load = new Map<string, { pausedMs: number; waiting: number }>()
  const gate = {
    loadOf: ({ deployment = '' }: Served) => load.get(deployment) ?? { pausedMs: 0, waiting: 0 },
  }
  const deployments = Object.entries(keys).map(([name, { weight = 1, models }]) => ({
    ...{ name, weight, provider: { name: 'p' } },
    models: models ? new Map(Object.entries(models)) : null,
  }))
  const asked: string[] = []
  /** Makes a call; `answers` says what each key does, and those it leaves out answer. */
  const call = (conversation: string | undefined, answers: Record<string, unknown> = {}) => {
    asked.length = 0
    const order = { entry, deployments, conversation, medium: 'text' as const }
    return firstOfKeys({ breaker, gate, routeMemory }, order, (at, { hasOther }) => {
      const name = at.deployment ?? ''
      asked.push(hasOther ? name : `${name}!`)
      return breaker.guard(at, async () => {
        if (answers[name]) throw answers[name]
        return `${name} ${at.providerModel}`
      })
    })
  }
  return { ...hand, call, asked, load, breaker }
}

describe('of several keys of a provider', () => {
  test('one makes the call, by weight, and a conversation stays with it', async () => {
    const { call } = setting({ a: { weight: 3 }, b: { weight: 1 } })
    const chosen = new Map<string, number>()
    for (let i = 0; i < 400; i++) {
      const first = await call(`conversation ${i}`)
      assert.equal(await call(`conversation ${i}`), first)
      chosen.set(first, (chosen.get(first) ?? 0) + 1)
    }
    const share = (chosen.get('a big') ?? 0) / 400
    assert.ok(share > 0.67 && share < 0.83, `a had ${share}`)
  })

  test('the next is asked only if the one before surely did not accept', async () => {
    const { call, asked } = setting({ a: {}, b: {}, c: {} })
    const refusals = [failure('busy', 'rejected', 429), failure('unreachable', 'not_sent')]
    for (const error of [...refusals, failure('not_found')]) {
      assert.equal(await call(undefined, { a: error, b: error }), 'c big', error.kind)
    }
    for (const error of [
      failure('server', 'unknown', 500),
      failure('timeout', 'unknown'),
      failure('invalid', 'rejected', 400),
      failure('content', 'rejected', 400),
    ]) {
      await assert.rejects(call('z', { a: error, b: error, c: error }), error)
      assert.equal(asked.length, 1, `${error.kind}: ${asked}`)
    }
  })

  test('a conversation that moved stays where it was answered', async () => {
    const { call } = setting({ a: {}, b: {} })
    const first = String(await call('talk')).split(' ')[0] ?? ''
    const second = await call('talk', { [first]: failure('busy', 'rejected', 429) })
    assert.notEqual(second, `${first} big`)
    assert.equal(await call('talk'), second)
  })

  test('those with room go before those with a queue, a pause or failures', async () => {
    const { call, asked, load, breaker } = setting({ a: {}, b: {}, c: {}, d: {} })
    load.set('a', { pausedMs: 900, waiting: 0 })
    load.set('b', { pausedMs: 0, waiting: 3 })
    const down = { provider: 'p', providerModel: 'big', deployment: 'c' }
    for (let i = 0; i < 5; i++) breaker.enter(down).failed(failure('server', 'unknown', 500))
    const refused = failure('busy', 'rejected', 429)
    await assert.rejects(call('new', { a: refused, b: refused, d: refused }), refused)
    // The last that could take it waits; what is down is not asked after others.
    assert.deepEqual(asked, ['d', 'b!', 'a!'])
  })

  test('of those with a queue the shortest is waited for', async () => {
    const { call, asked, load } = setting({ a: {}, b: {}, c: {} })
    for (const [name, waiting] of Object.entries({ a: 4, b: 1, c: 9 }))
      load.set(name, { pausedMs: 0, waiting })
    await call('new')
    assert.deepEqual(asked, ['b!'])
  })

  test('only those that have the model are asked, under the name it has there', async () => {
    const { call } = setting({ a: { models: { big: 'big-eu' } }, b: { models: { small: 's' } } })
    assert.equal(await call('one'), 'a big-eu')
    const { call: none } = setting({ b: { models: { small: 's' } } })
    await assert.rejects(none('one'), { kind: 'not_found', outcome: 'not_sent' })
  })

  test('one that the vendor refuses is named and left out; if all are, nothing is sent', async () => {
    const { call, asked } = setting({ a: {}, b: {} })
    const wrong = failure('auth', 'rejected', 401)
    await assert.rejects(call('one', { a: wrong, b: wrong }), /auth \(deployment "[ab]"\)/)
    assert.equal(asked.length, 2)
    await assert.rejects(call('one'), { kind: 'unreachable', outcome: 'not_sent' })
    assert.equal(asked.length, 1)
  })
})
