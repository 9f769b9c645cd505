import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Model } from '#core/catalogue.ts'
import { endOf } from '#engine/batches/batch-results.ts'
import type { SentCall } from '#store/engine-store.ts'

const model: Model = {
  ...{ id: 'm', name: 'm', provider: 'p', kind: 'TEXT', description: '', enabled: true },
  ...{ capabilities: { inputModalities: ['text'], maxInputTokens: 20_000 }, pricing: null },
}
const call: SentCall = {
  ...{ id: 'a', account_id: 'x', run_id: 'r', path: 'n#0', wait_id: 'w', model: 'm' },
  price: JSON.stringify({ inputPerMillionTokens: 1, outputPerMillionTokens: 1 }),
  most: { inputTokens: 50, outputTokens: 10 },
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
