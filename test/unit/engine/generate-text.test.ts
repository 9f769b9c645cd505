import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createCatalogue } from '#core/catalogue.ts'
import { systemClock } from '#core/clock.ts'
import { LongDelay } from '#core/delayed-call.ts'
import { Failure } from '#core/errors.ts'
import type { TextCall } from '#core/generation.ts'
import { TimeUp } from '#core/interruptions.ts'
import type { AttemptLedger } from '#engine/calls/attempt-ledger.ts'
import { createCircuitBreaker } from '#engine/calls/circuit-breaker.ts'
import { createTextGenerator } from '#engine/calls/generate-text.ts'
import type { LaneGate } from '#engine/calls/lane-gate.ts'
import { createPictureMemory } from '#engine/calls/picture-memory.ts'
import { createRouteMemory } from '#engine/calls/route-order.ts'
import { type Provider, ProviderError, type TextResult } from '#providers/provider.ts'
import { StoreUnavailable } from '#store/db.ts'
import { noKeys } from '../../support/no-keys.ts'
import { noLanes } from '../../support/no-lanes.ts'

const result: TextResult = {
  text: 'Hi',
  finish: 'stop',
  usage: { inputTokens: 3, outputTokens: 1 },
  requestId: null,
}
const call: TextCall = {
  principal: { accountId: 'a', keyId: null, limits: {}, accountSpendPerMonthMicros: null },
  modelId: 'm',
  messages: [{ role: 'user', content: 'Hello' }],
}
const patient = { signal: new AbortController().signal }

function openGenerator(
  generateText: NonNullable<Provider['generateText']>,
  options: { timeoutMs?: number; gate?: LaneGate } & Partial<AttemptLedger> = {},
) {
  const model = { id: 'm', name: 'm', provider: 'p', kind: 'TEXT' as const, description: '' }
  const entry = {
    model: {
      ...model,
      enabled: true,
      capabilities: { inputModalities: ['text' as const] },
      pricing: { currency: 'USD', inputPerMillionTokens: 1, outputPerMillionTokens: 1 },
    },
    provider: 'p',
    providerModel: 'm',
    fallbacks: [],
  }
  const settled: Parameters<AttemptLedger['settle']>[0][] = []
  const errors: unknown[] = []
  const generate = createTextGenerator({
    catalogue: createCatalogue([entry]),
    providers: new Map([['p', { name: 'p', generateText }]]),
    providerKeys: noKeys,
    ledger: {
      open: options.open ?? (() => undefined),
      settle: async (settlement) => {
        settled.push(settlement)
        await options.settle?.(settlement)
      },
    },
    breaker: createCircuitBreaker(systemClock),
    gate: options.gate ?? noLanes,
    routeMemory: createRouteMemory(systemClock),
    clock: systemClock,
    loadImage: () => Promise.reject(new Error('no pictures here')),
    loadDocument: () => Promise.reject(new Error('no documents here')),
    pictures: createPictureMemory(),
    timeoutMs: options.timeoutMs ?? 60_000,
    totalMs: 60_000,
    onError: (error) => errors.push(error),
  })
  return { generate, settled, errors }
}

const storeIsAway = () => Promise.reject(new StoreUnavailable('it is away'))

describe('a text generation', () => {
  test('that cannot be stored before it is made is not made', async () => {
    const refusing = () => {
      throw new StoreUnavailable('the disk is full')
    }
    for (const open of [refusing, storeIsAway]) {
      let calls = 0
      const count = async () => {
        calls++
        return result
      }
      const { generate, settled } = openGenerator(count, { open })
      await assert.rejects(generate(call, patient), StoreUnavailable)
      assert.deepEqual([calls, settled], [0, []])
    }
  })

  test('whose cost cannot be recorded now is still answered: it was made and paid for', async () => {
    const { generate, errors } = openGenerator(async () => result, { settle: storeIsAway })
    assert.equal((await generate(call, patient)).text, 'Hi')
    assert.ok(errors[0] instanceof StoreUnavailable)
  })

  test('that failed is reported as failed, even if the store is unavailable', async () => {
    const failing = () =>
      Promise.reject(new ProviderError('server', { outcome: 'unknown', message: 'broke' }))
    const { generate } = openGenerator(failing, { settle: storeIsAway })
    await assert.rejects(generate(call, patient), (failure) => {
      assert.ok(failure instanceof Failure)
      // Not a 503, which would promise that nothing was started.
      assert.equal(failure.code, 'PROVIDER_ERROR')
      return true
    })
  })

  test('that waited for room outside its lane holds none if the lane is full for long', async () => {
    const left: unknown[] = []
    const lane = new LongDelay({ kind: 'LANE' }, 60_000)
    const entered = [async () => ({ left: (used: unknown) => void left.push(used) })]
    const { generate, settled } = openGenerator(async () => assert.fail('it was made'), {
      gate: { ...noLanes, enter: () => entered.shift()?.() ?? Promise.reject(lane) },
      open: async (_, { wait }) => wait?.noRoomYet?.(),
    })
    const principal = { ...call.principal, accountSpendPerMonthMicros: 1_000_000 }
    await assert.rejects(generate({ ...call, principal }, patient), lane)
    assert.equal(left[0], 'unsent')
    assert.deepEqual(
      settled.map(({ outcome }) => outcome),
      ['REJECTED'],
    )
  })

  test('of a caller who has already left is passed on as abandoned', async () => {
    const gone = new AbortController()
    gone.abort(new Error('the caller went away'))
    let wasAborted: boolean | undefined
    const { generate } = openGenerator(async (_, { signal }) => {
      wasAborted = signal.aborted
      throw new ProviderError('canceled', { outcome: 'not_sent', message: 'not sent' })
    })
    await assert.rejects(generate(call, { signal: gone.signal }))
    assert.equal(wasAborted, true)
  })

  test('whose time ran out before it was sent costs nothing', async () => {
    const { generate, settled } = openGenerator(
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            assert.equal(signal.reason instanceof TimeUp, true)
            reject(new ProviderError('timeout', { outcome: 'not_sent', message: 'no connection' }))
          })
        }),
      { timeoutMs: 1 },
    )
    await assert.rejects(generate(call, patient), { code: 'PROVIDER_TIMEOUT', status: 504 })
    assert.deepEqual(
      settled.map(({ outcome, costMicros }) => [outcome, costMicros]),
      [['REJECTED', 0]],
    )
  })

  test('that an adapter fails in an unforeseen way may have been billed', async () => {
    const { generate, settled } = openGenerator(() => Promise.reject(new TypeError('a bug')))
    await assert.rejects(generate(call, patient), { code: 'PROVIDER_ERROR' })
    assert.equal(settled[0]?.outcome, 'UNKNOWN')
    assert.equal(settled[0]?.costMicros, 2 + 1024)
  })
})
