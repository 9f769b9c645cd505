import assert from 'node:assert/strict'
import { test } from 'node:test'
import { highestPrice } from '#core/pricing.ts'

test('what is reserved for a call is rounded up, never down', () => {
  const prices = { inputPerMillionTokens: 0.1, outputPerMillionTokens: 0.3 }
  const reserved = (inputTokens: number, outputTokens: number) =>
    highestPrice(prices, { inputTokens, outputTokens })
  assert.deepEqual(
    [reserved(1, 0), reserved(11, 0), reserved(10, 1), reserved(10, 0)],
    [1, 2, 2, 1],
  )
})
