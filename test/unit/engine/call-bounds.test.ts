import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { encode } from 'gpt-tokenizer'
import { boundsOf, clampUsage } from '#engine/call-bounds.ts'
import type { Model } from '#providers/catalogue.ts'

const model = (capabilities: Partial<Model['capabilities']> = {}): Model => ({
  ...{ id: 'm', name: 'm', provider: 'p', kind: 'TEXT', description: '', enabled: true },
  ...{ capabilities: { inputModalities: ['text'], ...capabilities }, pricing: null },
})
const says = (content: string) => [{ role: 'user' as const, content }]

describe('the bounds of a call', () => {
  test('are never below what a real tokenizer counts', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), (one, other) => {
        const call = { systemPrompt: other }
        const { most } = boundsOf(call, says(one), { model: model(), isLimited: true })
        assert.ok(encode(one).length + encode(other).length <= most.inputTokens)
      }),
    )
  })

  test('under a limit are sent with a call that names none', () => {
    const limited = { model: model(), isLimited: true }
    assert.equal(boundsOf({}, says('x'), limited).maxTokens, 16_384)
    assert.equal(boundsOf({ maxTokens: 9 }, says('x'), limited).maxTokens, 9)
    const small = { model: model({ maxOutputTokens: 1_000 }), isLimited: true }
    assert.equal(boundsOf({}, says('x'), small).maxTokens, 1_000)
    assert.equal(boundsOf({}, says('x'), { ...limited, isLimited: false }).maxTokens, undefined)
  })

  test('hold whatever a provider reports, and say where it reported more', () => {
    const bounds = boundsOf({ maxTokens: 50 }, says('Hello'), { model: model(), isLimited: true })
    fc.assert(
      fc.property(fc.double({ noNaN: true }), fc.double({ noNaN: true }), (input, output) => {
        const reported = { inputTokens: input, outputTokens: output }
        const { usage, remark } = clampUsage(reported, bounds, 0)
        assert.ok(usage.inputTokens >= 0 && usage.inputTokens <= bounds.most.inputTokens)
        assert.ok(usage.outputTokens >= 0 && usage.outputTokens <= 50)
        assert.equal(
          remark === undefined,
          usage.inputTokens === input && usage.outputTokens === output,
        )
      }),
    )
  })

  test('are raised for an answer that is longer than it was allowed to be', () => {
    const bounds = boundsOf({ maxTokens: 5 }, says('Hello'), { model: model(), isLimited: false })
    const usage = { inputTokens: 8, outputTokens: 40 }
    assert.deepEqual(clampUsage(usage, bounds, 100), { usage, remark: undefined })
  })
})
