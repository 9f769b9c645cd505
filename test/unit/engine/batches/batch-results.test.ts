import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Model } from '#core/catalogue.ts'
import { endOf, lost } from '#engine/batches/batch-results.ts'
import type { SentCall } from '#store/engine-store.ts'

const model: Model = {
  ...{ id: 'm', name: 'm', provider: 'p', kind: 'TEXT', description: '', enabled: true },
  ...{ capabilities: { inputModalities: ['text'], maxInputTokens: 20_000 }, pricing: null },
}
const call: SentCall = {
  ...{ id: 'a', account_id: 'x', run_id: 'r', path: 'n#0', wait_id: 'w', model: 'm' },
  price: JSON.stringify({ inputPerMillionTokens: 1, outputPerMillionTokens: 1 }),
  most: { inputTokens: 50, outputTokens: 10 },
  ...{ needed_micros: 60, uncounted_micros: null },
}

/** What a call of a batch is booked at whose vendor reports so many tokens of its prompt. */
function booked(inputTokens: number, known: Model | undefined) {
  const usage = { inputTokens, outputTokens: 5 }
  const answer = { text: 'Hello', finish: 'stop' as const, usage, requestId: null }
  const result = { id: 'a', result: answer }
  const { settlement } = endOf(call, 'p', { result, model: known, nowMs: 1 })
  return [settlement.units.inputTokens, settlement.costMicros, settlement.remark]
}

test('a vendor that adds context is believed up to the context window, in a batch too', () => {
  assert.deepEqual(booked(12_000, model), [12_000, 12_005, undefined])
  assert.deepEqual(booked(30_000, model), [20_000, 20_005, 'CLAMPED'])
})

test('of a model that is no longer known no more is believed than was reserved', () => {
  assert.deepEqual(booked(12_000, undefined), [50, 55, 'CLAMPED'])
})

test('an answer without usage counts as the most it can cost under a limit, in a batch too', () => {
  const answer = { text: 'Hello', finish: 'stop' as const, usage: null, requestId: null }
  const uncounted = (micros: number | null) => {
    const of = { result: { id: 'a', result: answer }, model, nowMs: 1 }
    const { settlement, end } = endOf({ ...call, uncounted_micros: micros }, 'p', of)
    return [settlement.costMicros, 'answer' in end && end.costMicros]
  }
  assert.deepEqual(uncounted(60), [60, 60])
  assert.deepEqual(uncounted(null), [null, null])
})

test('a call whose batch is lost counts as what it needed, not at the price of cached tokens', () => {
  assert.equal(lost(call, 1).settlement.costMicros, 60)
  const prices = { inputPerMillionTokens: 10, cachedInputPerMillionTokens: 1 }
  const before = {
    ...{ ...call, needed_micros: null },
    price: JSON.stringify({ ...prices, outputPerMillionTokens: 10 }),
    most: { inputTokens: 50, cachedInputTokens: 50, outputTokens: 10 },
  }
  assert.equal(lost(before, 1).settlement.costMicros, 600)
})
