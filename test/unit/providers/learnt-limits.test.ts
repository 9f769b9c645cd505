import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLearntLimits } from '#providers/learnt-limits.ts'

const openAi = (limit: number, remaining: number, reset: string) => ({
  'x-ratelimit-limit-requests': String(limit),
  'x-ratelimit-remaining-requests': String(remaining),
  'x-ratelimit-reset-requests': reset,
})

test('a limit counts once less than half of it is left, and until more is', () => {
  const limits = createLearntLimits()
  limits.read('m', openAi(500, 499, '120ms'))
  assert.equal(limits.of('m'), undefined)
  limits.read('m', openAi(500, 200, '36s'))
  assert.deepEqual(limits.of('m'), { requestsPerMinute: 500, tokensPerMinute: undefined })
  assert.equal(limits.of('another'), undefined)
  // An answer without such headers says nothing new.
  limits.read('m', { 'content-type': 'application/json' })
  assert.equal(limits.of('m')?.requestsPerMinute, 500)
  limits.read('m', openAi(500, 400, '12s'))
  assert.equal(limits.of('m'), undefined)
})

test('a limit of a day is not taken for one of a minute', () => {
  const limits = createLearntLimits()
  limits.read('m', openAi(14_400, 7_000, '12h20m0s'))
  assert.equal(limits.of('m'), undefined)
  limits.read('m', openAi(10_000, 0, '1m0s'))
  assert.equal(limits.of('m')?.requestsPerMinute, 10_000)
})

test('tokens count, too, and Anthropic has names of its own', () => {
  const limits = createLearntLimits()
  const tokens = { 'x-ratelimit-limit-tokens': '30000', 'x-ratelimit-remaining-tokens': '900' }
  limits.read('azure', tokens)
  assert.equal(limits.of('azure')?.tokensPerMinute, 30_000)
  limits.read('claude', {
    'anthropic-ratelimit-requests-limit': '50',
    'anthropic-ratelimit-requests-remaining': '3',
    'anthropic-ratelimit-tokens-limit': '80000',
    'anthropic-ratelimit-tokens-remaining': '70000',
  })
  assert.deepEqual(limits.of('claude'), { requestsPerMinute: 50, tokensPerMinute: undefined })
})
