import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CatalogueEntry } from '#core/catalogue.ts'
import type { LaneLimits } from '#core/lane.ts'
import { createCircuitBreaker, type Served } from '#engine/calls/circuit-breaker.ts'
import { keyLanes } from '#engine/calls/key-lanes.ts'
import { type Provider, ProviderError } from '#providers/provider.ts'
import { createHandClock } from '../../support/hand-clock.ts'

const entry = (id: string, provider: string): CatalogueEntry => ({
  model: {
    ...{ id, name: id, provider, description: '', enabled: true, pricing: null },
    ...{ kind: 'TEXT', capabilities: { inputModalities: ['text'] } },
  },
  ...{ provider, providerModel: `${id}-there`, fallbacks: [] },
})

const key = (name: string) => ({ name, weight: 1, models: null, provider: { name: 'many' } })

function setting(limits: Record<string, LaneLimits>) {
  const { clock } = createHandClock()
  const breaker = createCircuitBreaker(clock)
  const pauses = new Map<string, number>()
  const learnt = new Map<string, LaneLimits>()
  const providers = new Map<string, Provider>([
    ['one', { name: 'one', learnt: (model) => learnt.get(model) }],
    ['many', { name: 'many', deployments: [key('eu'), key('us')] }],
  ])
  const named = (provider: string, deployment?: string) => [provider, deployment].join(' ').trim()
  const deps = {
    ...{ providers, breaker, clock },
    catalogue: { entries: [entry('a', 'one'), entry('b', 'one'), entry('c', 'many')] },
    limitsOf: (provider: string, deployment?: string) => limits[named(provider, deployment)],
    gate: {
      loadOf: ({ providerModel, deployment }: Served) => ({
        pausedMs: pauses.get(named(providerModel, deployment)) ?? 0,
        waiting: 0,
      }),
    },
  }
  const refuse = (served: Served) =>
    breaker.enter(served).failed(new ProviderError('auth', { outcome: 'rejected', message: '' }))
  return { pauses, learnt, refuse, now: clock.nowMs, lanes: () => keyLanes(deps) }
}

test('keys with limits or a pause are lanes, others are not', () => {
  const { lanes, pauses, now } = setting({ 'many us': { concurrency: 8 } })
  const us = { provider: 'many', key: 'us', model: null, limits: { concurrency: 8 } }
  assert.deepEqual(lanes(), [{ ...us, paused: null }])
  pauses.set('a-there', 4_000).set('b-there', 9_000)
  const paused = { model: 'b', untilMs: now() + 9_000, why: 'RATE_LIMIT' }
  assert.deepEqual(lanes(), [
    { provider: 'one', key: null, model: null, limits: {}, paused },
    { ...us, paused: null },
  ])
})

test('a key that its vendor refuses says so; a key of an account is nobody else’s business', () => {
  const { lanes, refuse } = setting({})
  const eu = { provider: 'many', providerModel: 'c-there', deployment: 'eu' }
  refuse({ ...eu, credentialId: 'theirs' })
  assert.deepEqual(lanes(), [])
  refuse(eu)
  assert.deepEqual(
    lanes().map((lane) => [lane.provider, lane.key, lane.paused?.model, lane.paused?.why]),
    [['many', 'eu', null, 'REFUSED']],
  )
})

test('limits that a vendor reports are those of one model', () => {
  const { lanes, learnt, pauses } = setting({})
  learnt.set('b-there', { requestsPerMinute: 60 })
  const shown = () => lanes().map((lane) => [lane.model, lane.limits, lane.paused?.model])
  assert.deepEqual(shown(), [['b', { requestsPerMinute: 60 }, undefined]])
  pauses.set('b-there', 1_000)
  assert.deepEqual(shown(), [['b', { requestsPerMinute: 60 }, 'b']])
  pauses.set('a-there', 2_000)
  assert.deepEqual(shown(), [
    [null, {}, 'a'],
    ['b', { requestsPerMinute: 60 }, undefined],
  ])
})
