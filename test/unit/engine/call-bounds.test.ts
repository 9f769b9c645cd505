import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { encode } from 'gpt-tokenizer'
import type { Model } from '#core/catalogue.ts'
import { boundsOf, clampUsage, countUsage } from '#engine/calls/call-bounds.ts'

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

  test('count each of several answers', () => {
    const call = { maxTokens: 9, choices: 3 }
    const { most, maxTokens } = boundsOf(call, says('x'), { model: model(), isLimited: true })
    assert.deepEqual([maxTokens, most.outputTokens], [9, 27])
  })

  test('hold whatever a provider reports, up to the context window, and say where it reported more', () => {
    const small = model({ maxInputTokens: 8_000, maxOutputTokens: 100 })
    const bounds = boundsOf({ maxTokens: 50 }, says('Hello'), { model: small, isLimited: true })
    fc.assert(
      fc.property(fc.double({ noNaN: true }), fc.double({ noNaN: true }), (input, output) => {
        const reported = { inputTokens: input, outputTokens: output }
        const { usage, remark } = clampUsage(reported, bounds, { answerBytes: 0, model: small })
        assert.ok(usage.inputTokens >= 0 && usage.inputTokens <= 8_000)
        assert.ok(usage.outputTokens >= 0 && usage.outputTokens <= 100)
        assert.equal(
          remark === undefined,
          usage.inputTokens === input && usage.outputTokens === output,
        )
      }),
    )
  })

  test('are close to the prompt: no more than a message and its framing', () => {
    const { most } = boundsOf({}, says('Hello'), { model: model(), isLimited: true })
    assert.ok(most.inputTokens < 100, `${most.inputTokens} tokens`)
  })

  test('believe a server that adds context, and reserve as much for its later calls', () => {
    const adding = model()
    const ask = () => boundsOf({}, says('Hello'), { model: adding, isLimited: true })
    const usage = { inputTokens: 12_000, outputTokens: 5 }
    const count = (bounds = ask(), reported = usage) =>
      countUsage(bounds, reported, { answerBytes: 0, model: adding })
    assert.deepEqual(count(), { usage, remark: undefined })
    assert.equal(ask().most.inputTokens, 12_000)
    assert.equal(count().remark, undefined)
    assert.equal(ask().most.inputTokens, 12_000)
    count(ask(), { inputTokens: 5, outputTokens: 5 })
    assert.ok(ask().most.inputTokens < 100)
    const atOnce = [ask(), ask(), ask()]
    for (const bounds of atOnce) count(bounds)
    assert.equal(ask().most.inputTokens, 12_000, 'those of concurrent answers do not add up')
  })

  test('count what is sent back with the calls of functions', () => {
    const given = { model: model(), isLimited: true }
    const most = (toolCall: object) => {
      const call = { id: 'c', name: 'now', arguments: '{}', ...toolCall }
      const said = { role: 'assistant' as const, content: '', toolCalls: [call] }
      return boundsOf({}, [...says('Hello'), said], given).most.inputTokens
    }
    // The vendor that wants its signature back counts it as input.
    assert.ok(most({ signature: 'x'.repeat(4_000) }) >= most({}) + 4_000)
    // Functions of earlier calls are declared to the vendor even if the request declares none.
    const plain = boundsOf({}, [...says('Hello'), ...says('')], given).most.inputTokens
    assert.ok(most({}) >= plain + 800, 'the framing of functions')
  })

  test('are raised for an answer that is longer than it was allowed to be', () => {
    const bounds = boundsOf({ maxTokens: 5 }, says('Hello'), { model: model(), isLimited: false })
    const usage = { inputTokens: 8, outputTokens: 40 }
    assert.deepEqual(clampUsage(usage, bounds, { answerBytes: 100 }), { usage, remark: undefined })
  })
})
