import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createCatalogue } from '#core/catalogue.ts'
import { delay, systemClock, type TimedClock } from '#core/clock.ts'
import type { StreamEvent, TextCall } from '#core/generation.ts'
import { TimeUp } from '#core/interruptions.ts'
import type { AttemptLedger } from '#engine/calls/attempt-ledger.ts'
import { createCircuitBreaker } from '#engine/calls/circuit-breaker.ts'
import { createPictureMemory } from '#engine/calls/picture-memory.ts'
import { createRouteMemory } from '#engine/calls/route-order.ts'
import { createTextStreamer } from '#engine/calls/stream-text.ts'
import { type Provider, ProviderError, type TextDelta } from '#providers/provider.ts'
import { StoreUnavailable } from '#store/db.ts'
import { createHandClock } from '../../../support/hand-clock.ts'
import { noLanes } from '../../../support/no-lanes.ts'

const call: TextCall = {
  principal: { accountId: 'a', keyId: null, limits: {}, accountSpendPerMonthMicros: null },
  modelId: 'm',
  messages: [{ role: 'user', content: 'Hello' }],
}
const reserved = 2 + 1024
const begun: TextDelta = { type: 'open', requestId: null }
const piece: TextDelta = { type: 'text', text: 'Hi there' }
const counted: TextDelta = { type: 'usage', usage: { inputTokens: 3, outputTokens: 1 } }
const end: TextDelta = { type: 'end', finish: 'stop' }

type Options = { settle?: AttemptLedger['settle']; clock?: TimedClock }

function openStreamer(provider: Partial<Provider>, { settle, clock = systemClock }: Options = {}) {
  const entry = {
    model: {
      id: 'm',
      name: 'm',
      provider: 'p',
      kind: 'TEXT' as const,
      description: '',
      enabled: true,
      capabilities: { inputModalities: ['text' as const] },
      pricing: { currency: 'USD', inputPerMillionTokens: 1, outputPerMillionTokens: 1 },
    },
    provider: 'p',
    providerModel: 'm',
    fallbacks: [],
  }
  const settled: Parameters<AttemptLedger['settle']>[0][] = []
  const streamText = createTextStreamer({
    catalogue: createCatalogue([entry]),
    providers: new Map([['p', { name: 'p', ...provider }]]),
    ledger: {
      open: async () => {},
      settle: async (settlement) => {
        settled.push(settlement)
        await settle?.(settlement)
      },
    },
    breaker: createCircuitBreaker(systemClock),
    gate: noLanes,
    routeMemory: createRouteMemory(systemClock),
    clock,
    loadImage: () => Promise.reject(new Error('no pictures here')),
    loadDocument: () => Promise.reject(new Error('no documents here')),
    pictures: createPictureMemory(),
    timeoutMs: 120_000,
    totalMs: 1_800_000,
  })
  const open = (caller = new AbortController()) => streamText(call, { signal: caller.signal })
  const outcomes = () => settled.map(({ outcome, costMicros }) => [outcome, costMicros])
  return { open, settled, outcomes }
}

const saying = (...deltas: TextDelta[]): Pick<Provider, 'streamText'> => ({
  async *streamText() {
    yield* deltas
  },
})

/** Sends these pieces, then nothing until the call is aborted. */
const silentAfter = (...deltas: TextDelta[]): Pick<Provider, 'streamText'> => ({
  async *streamText(_, { signal }) {
    yield* deltas
    await new Promise((_resolve, reject) => {
      const give = () => {
        const isLate = signal.reason instanceof TimeUp
        const kind = isLate ? 'timeout' : 'canceled'
        reject(new ProviderError(kind, { outcome: 'unknown', message: kind }))
      }
      if (signal.aborted) give()
      signal.addEventListener('abort', give)
    })
  },
})

/** Sends a piece from time to time, until the call is aborted. */
const timed = (
  clock: TimedClock,
  { everyMs, pieces }: { everyMs: number; pieces: number },
): Pick<Provider, 'streamText'> => ({
  async *streamText(_, { signal }) {
    yield begun
    for (let sent = 0; sent < pieces; sent++) {
      await delay(everyMs, signal, clock).catch(() => {
        throw new ProviderError('timeout', { outcome: 'unknown', message: 'late' })
      })
      yield piece
    }
    yield counted
    yield end
  },
})

describe('a streamed text', () => {
  test('is settled by its usage before its end is sent', async () => {
    const { open, outcomes } = openStreamer(saying(begun, piece, counted, end))
    const events: StreamEvent[] = []
    for await (const event of open()) {
      if (event.type === 'end') assert.deepEqual(outcomes(), [['SUCCEEDED', 4]])
      events.push(event)
    }
    assert.deepEqual(
      events.map(({ type }) => type),
      ['begin', 'text', 'end'],
    )
  })

  test('of a provider that counts nothing has tokens by estimate and a cost unknown', async () => {
    const { open, settled } = openStreamer(saying(begun, piece, end))
    await Array.fromAsync(open())
    assert.equal(settled[0]?.costMicros, null)
    assert.deepEqual(settled[0]?.units, { inputTokens: 2, outputTokens: 2 })
  })

  test('of a provider that cannot stream comes in one piece', async () => {
    const { open } = openStreamer({
      generateText: async () => ({
        text: 'All at once',
        finish: 'stop',
        usage: { inputTokens: 1, outputTokens: 1 },
        requestId: null,
      }),
    })
    const texts = (await Array.fromAsync(open())).filter(({ type }) => type === 'text')
    assert.deepEqual(texts, [{ type: 'text', text: 'All at once' }])
  })

  test('without an end is not taken for a whole one', async () => {
    const { open, outcomes } = openStreamer(saying(begun, piece))
    await assert.rejects(Array.fromAsync(open()), { code: 'PROVIDER_ERROR' })
    assert.deepEqual(outcomes(), [['UNKNOWN', reserved]])
  })

  test('that its reader abandons counts what had arrived', async () => {
    const { open, outcomes } = openStreamer(saying(begun, piece, piece, counted, end))
    for await (const event of open()) if (event.type === 'text') break
    assert.deepEqual(outcomes(), [['UNKNOWN', 2 + 2]])
  })

  test('whose caller disconnects while the provider is silent counts what had arrived', async () => {
    const leaving = new AbortController()
    const { open, outcomes } = openStreamer(silentAfter(begun, piece))
    await assert.rejects(async () => {
      for await (const event of open(leaving)) {
        if (event.type === 'text') setImmediate(() => leaving.abort(new Error('gone')))
      }
    })
    assert.deepEqual(outcomes(), [['UNKNOWN', 2 + 2]])
  })

  test('lives for as long as pieces arrive, each within the time limit', async () => {
    const { clock, pass } = createHandClock()
    const minutes = 10
    const { open, outcomes } = openStreamer(timed(clock, { everyMs: 60_000, pieces: minutes }), {
      clock,
    })
    const events = Array.fromAsync(open())
    await pass(minutes * 60_000 + 1)
    const texts = (await events).filter(({ type }) => type === 'text')
    assert.equal(texts.length, minutes)
    assert.deepEqual(outcomes(), [['SUCCEEDED', 4]])
  })

  test('that falls silent is given up, whether or not something had arrived', async () => {
    for (const first of [[begun], [begun, piece], [begun, counted]]) {
      const { clock, pass } = createHandClock()
      const { open, outcomes } = openStreamer(silentAfter(...first), { clock })
      const failed = assert.rejects(Array.fromAsync(open()), { code: 'PROVIDER_TIMEOUT' })
      await pass(119_999)
      assert.deepEqual(outcomes(), [])
      await pass(1)
      await failed
      assert.equal(outcomes().length, 1)
      assert.equal(outcomes()[0]?.[0], 'UNKNOWN')
    }
  })

  test('that never ends is given up when the total time is up', async () => {
    const { clock, pass } = createHandClock()
    const endless = timed(clock, { everyMs: 100_000, pieces: Infinity })
    const { open, outcomes } = openStreamer(endless, { clock })
    const failed = assert.rejects(Array.fromAsync(open()), { code: 'PROVIDER_TIMEOUT' })
    await pass(1_799_999)
    assert.deepEqual(outcomes(), [])
    await pass(1)
    await failed
    assert.deepEqual(outcomes(), [['UNKNOWN', reserved]])
  })

  test('is sent completely even if its cost cannot be recorded now', async () => {
    const away = () => Promise.reject(new StoreUnavailable('it is away'))
    const { open } = openStreamer(saying(begun, piece, counted, end), { settle: away })
    assert.equal((await Array.fromAsync(open())).at(-1)?.type, 'end')
  })

  test('that is refused costs nothing and begins nothing', async () => {
    const { open, outcomes } = openStreamer({
      streamText: () => ({
        [Symbol.asyncIterator]: () => ({
          next: () =>
            Promise.reject(new ProviderError('busy', { outcome: 'rejected', message: 'later' })),
        }),
      }),
    })
    await assert.rejects(open().next(), { code: 'PROVIDER_UNAVAILABLE' })
    assert.deepEqual(outcomes(), [['REJECTED', 0]])
  })
})
