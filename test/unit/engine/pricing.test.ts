import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { CatalogueEntry, Pricing } from '#core/catalogue.ts'
import { retryAfterSeconds } from '#core/poll-advice.ts'
import { highestPrice, priceOf } from '#core/pricing.ts'
import { expectedUnits, settlementOf, type TaskWork } from '#engine/tasks/task-work.ts'
import type { Billed } from '#providers/provider.ts'

describe('a price', () => {
  test('is in millionths: so much per million tokens, per picture, per second', () => {
    const prices = {
      inputPerMillionTokens: 2,
      outputPerMillionTokens: 8,
      perImage: 0.04,
      perSecond: 0.1,
    }
    assert.equal(priceOf(prices, { inputTokens: 1000, outputTokens: 10 }), 2080)
    assert.equal(priceOf(prices, { images: 3 }), 120_000)
    assert.equal(priceOf(prices, { videoSeconds: 4.5 }), 450_000)
  })

  test('of less than a millionth is rounded, once, at the end', () => {
    assert.equal(priceOf({ inputPerMillionTokens: 0.1 }, { inputTokens: 4 }), 0)
    assert.equal(priceOf({ inputPerMillionTokens: 0.1 }, { inputTokens: 25 }), 3)
  })

  test('of less than a millionth is reserved as a whole one, so that no limit takes it for free', () => {
    assert.equal(
      highestPrice({ inputPerMillionTokens: 0.1 }, { inputTokens: 4, outputTokens: 0 }),
      1,
    )
  })

  test('is unknown, not 0, if one unit has none', () => {
    assert.equal(priceOf(null, { images: 1 }), null)
    assert.equal(priceOf({ perImage: 1 }, { images: 1, videoSeconds: 1 }), null)
    assert.equal(priceOf({ inputPerMillionTokens: 1 }, { inputTokens: 1, outputTokens: 1 }), null)
    assert.equal(priceOf({ inputPerMillionTokens: 1 }, { inputTokens: 1, outputTokens: 0 }), 1)
    assert.equal(priceOf({}, {}), 0)
  })

  test('is a whole number that never falls with more units', () => {
    const price = fc.double({ min: 0, max: 1000, noNaN: true })
    const count = fc.nat(10_000_000)
    fc.assert(
      fc.property(price, price, count, count, count, (input, output, some, more, out) => {
        const prices = { inputPerMillionTokens: input, outputPerMillionTokens: output }
        const less = priceOf(prices, { inputTokens: some, outputTokens: out })
        const all = priceOf(prices, { inputTokens: some + more, outputTokens: out })
        assert.ok(less !== null && all !== null)
        assert.ok(Number.isInteger(less) && Number.isInteger(all) && less >= 0 && all >= less)
      }),
    )
  })
})

const work = (kind: 'IMAGE' | 'VIDEO', seconds?: number) =>
  ({
    row: { kind },
    request: { prompt: 'x', ...(seconds === undefined ? {} : { seconds }) },
  }) as TaskWork
const entry = (pricing: Pricing | null) =>
  ({ model: { pricing, capabilities: {} } }) as CatalogueEntry
const settle = (kind: 'IMAGE' | 'VIDEO', pricing: Partial<Pricing> | null, billed?: Billed) =>
  settlementOf(work(kind, 6), entry(pricing && { currency: 'USD', ...pricing }), {
    outputCount: 2,
    ...(billed ? { billed } : {}),
  })

describe('what a finished task costs', () => {
  test('is the price of the pictures it made', () => {
    assert.deepEqual(settle('IMAGE', { perImage: 0.04 }), {
      units: { images: 2 },
      costMicros: 80_000,
    })
  })

  test('is the price of the seconds asked for', () => {
    assert.deepEqual(settle('VIDEO', { perSecond: 0.5 }), {
      units: { videoSeconds: 6 },
      costMicros: 3_000_000,
    })
    assert.deepEqual(expectedUnits('VIDEO', {}, undefined), { videoSeconds: 5 })
    const videoSeconds = { min: 4, max: 8, default: 8 }
    const model = { capabilities: { inputModalities: ['text' as const], videoSeconds } }
    assert.deepEqual(expectedUnits('VIDEO', {}, model), { videoSeconds: 8 })
  })

  test('is the price of the tokens the provider counted, where it sells tokens', () => {
    const usage = { inputTokens: 13, outputTokens: 1056 }
    const prices = { inputPerMillionTokens: 5, outputPerMillionTokens: 40 }
    assert.deepEqual(settle('IMAGE', prices, { usage }), {
      units: { images: 2, ...usage },
      costMicros: 13 * 5 + 1056 * 40,
    })
    assert.equal(settle('IMAGE', prices).costMicros, null)
  })

  test('is never more than the tokens a picture can be made of', () => {
    const prices = { inputPerMillionTokens: 5, outputPerMillionTokens: 40 }
    const usage = { inputTokens: 1e308, outputTokens: Number.POSITIVE_INFINITY }
    const { units, costMicros, remark } = settle('IMAGE', prices, { usage })
    assert.ok((units.inputTokens ?? 0) < 5_000)
    assert.equal(units.outputTokens, 2 * 16_384)
    assert.ok((costMicros ?? 0) < 2_000_000)
    assert.equal(remark, 'CLAMPED')
  })

  test('is the flat price where there is one, whatever tokens were counted', () => {
    const usage = { inputTokens: 1, outputTokens: 1 }
    assert.equal(settle('IMAGE', { perImage: 0.1 }, { usage }).costMicros, 200_000)
  })

  test("is the provider's own word before ours, and unknown where nobody has one", () => {
    assert.equal(settle('IMAGE', { perImage: 0.1 }, { costMicros: 7 }).costMicros, 7)
    assert.equal(settle('VIDEO', null).costMicros, null)
    assert.equal(settle('VIDEO', null, { costMicros: 7 }).costMicros, 7)
  })
})

describe('the advice when to poll again', () => {
  test('is short at first, longer later, and 0 at the end', () => {
    const advice = (ageMs: number) => retryAfterSeconds(ageMs, { isTerminal: false })
    const ages = [0, 9_999, 10_000, 59_999, 60_000, 599_999, 600_000, 1e9]
    assert.deepEqual(ages.map(advice), [1, 1, 2, 2, 5, 5, 15, 15])
    assert.equal(retryAfterSeconds(5, { isTerminal: true }), 0)
  })
})
