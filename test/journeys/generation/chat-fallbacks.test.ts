import assert from 'node:assert/strict'
import { request } from 'node:http'
import { describe, test } from 'node:test'
import type { Behaviour } from '../../support/provider-doubles/behaviour.ts'
import { P } from '../../support/server.ts'
import { closedAddress, startHost } from './host.ts'
import {
  assertFailure,
  attempts,
  type Bench,
  chat,
  eventually,
  newCustomer,
  openBench,
  says,
  testModels,
} from './setting.ts'

const hello = { model: 'test/text', messages: [says('Hello')] }
const claude = 'anthropic/claude-haiku-5-5'

const withFallback = (fallbacks: string[]) => ({
  models: testModels.models.map((model) => ({ ...model, fallbacks })),
})
const both = { doubles: ['openai', 'anthropic'], models: withFallback([claude]) } as const

const outcomes = async (bench: Bench) =>
  (await attempts(bench)).map(({ model, outcome }) => [model, outcome])

describe('a model with fallbacks', () => {
  const surelyNotAccepted: [string, Behaviour][] = [
    ['busy', { do: 'refuse', status: 429 }],
    ['overloaded', { do: 'refuse', status: 503 }],
    ['closed to our key', { do: 'refuse', status: 401 }],
    ['without the model', { do: 'refuse', status: 404 }],
  ]
  for (const [what, behaviour] of surelyNotAccepted) {
    test(`is served by the next one when its provider is ${what}`, async (t) => {
      const bench = await openBench(t, both)
      bench.doubles.openai.script('chat', behaviour)
      const answer = await chat(bench, hello)
      assert.equal(answer.status, 200, answer.text)
      assert.equal(answer.body.data.model, claude)
      assert.deepEqual(await outcomes(bench), [
        ['test/text', 'REJECTED'],
        [claude, 'SUCCEEDED'],
      ])
    })
  }

  const maybeAccepted: [string, Behaviour, number][] = [
    ['breaks', { do: 'refuse', status: 500 }, 502],
    ['takes the request and is cut off', { do: 'cut', when: 'after-accepting' }, 502],
    ['answers with junk', { do: 'babble', as: 'empty' }, 502],
    ['calls the request wrong', { do: 'refuse', status: 400 }, 400],
  ]
  for (const [what, behaviour, status] of maybeAccepted) {
    test(`is not passed on when its provider ${what}`, async (t) => {
      const bench = await openBench(t, both)
      bench.doubles.openai.script('chat', behaviour)
      const answer = await chat(bench, hello)
      assert.equal(answer.status, status, answer.text)
      assert.equal(bench.doubles.openai.counts.chat, 1)
      assert.equal(bench.doubles.anthropic.counts.chat, 0)
    })
  }

  test('goes down the list, and returns the last error when none accepts it', async (t) => {
    const env = { OPENAI_API_KEY: 'nobody', OPENAI_BASE_URL: await closedAddress() }
    const models = withFallback([claude, 'demo-text'])
    const bench = await openBench(t, { doubles: ['anthropic'], models, env })
    bench.doubles.anthropic.always('chat', { do: 'refuse', status: 529 })
    const answer = await chat(bench, hello)
    assert.equal(answer.body.data.model, 'demo-text')
    const alone = await chat(bench, { ...hello, model: claude })
    assertFailure(alone, 503, 'PROVIDER_UNAVAILABLE')
  })
})

describe('a caller who goes away', () => {
  /** Sends a chat and disconnects once `arrived` resolves. */
  async function leaveWhen(bench: Bench, key: string, arrived: Promise<unknown>) {
    const body = JSON.stringify(hello)
    const sent = request(`${bench.url}${P}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    })
    sent.on('error', () => {})
    sent.end(body)
    await arrived
    sent.destroy()
  }

  test('ends the call to the provider, which may still have been billed', async (t) => {
    const called = Promise.withResolvers<void>()
    const hungUp = Promise.withResolvers<void>()
    const silent = await startHost(t, (request) => {
      request.resume().once('end', called.resolve)
      request.socket.once('close', () => hungUp.resolve())
    })
    const env = { OPENAI_API_KEY: 'some-key', OPENAI_BASE_URL: silent.url }
    const bench = await openBench(t, { models: testModels, env })
    const { key } = await newCustomer(bench)
    await leaveWhen(bench, key, called.promise)
    await hungUp.promise
    const settled = await eventually(
      () => attempts(bench),
      ([attempt]) => attempt !== undefined,
    )
    assert.deepEqual(
      settled.map((attempt) => attempt.outcome),
      ['UNKNOWN'],
    )
  })

  test('while a picture is fetched starts nothing', async (t) => {
    const asked = Promise.withResolvers<void>()
    const hungUp = Promise.withResolvers<void>()
    const host = await startHost(t, (request) => {
      asked.resolve()
      request.socket.once('close', () => hungUp.resolve())
    })
    const env = { OUTBOUND_ALLOW: '127.0.0.1/32' }
    const bench = await openBench(t, { doubles: ['openai'], models: testModels, env })
    const { key } = await newCustomer(bench)
    const picture = [{ type: 'image_url', image_url: { url: `${host.url}/slow.png` } }]
    const sent = request(`${bench.url}${P}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    })
    const closed = new Promise((resolve) => sent.once('close', resolve))
    sent.on('error', () => {})
    sent.end(JSON.stringify({ ...hello, messages: [says(picture)] }))
    await asked.promise
    sent.destroy()
    await Promise.all([closed, hungUp.promise])
    assert.equal((await chat(bench, hello)).status, 200)
    assert.equal(bench.doubles.openai.counts.chat, 1)
    assert.equal((await attempts(bench)).length, 1)
  })
})

describe('a provider that fails again and again', () => {
  const openai = { doubles: ['openai'], models: testModels } as const
  const failFiveTimes = async (bench: Bench) => {
    bench.doubles.openai.script('chat', ...Array(5).fill({ do: 'refuse', status: 500 }))
    for (let i = 0; i < 5; i++) assertFailure(await chat(bench, hello), 502, 'PROVIDER_ERROR')
  }

  test('is not called for a while, and then tried with one call at a time', async (t) => {
    const bench = await openBench(t, openai)
    const { openai: double } = bench.doubles
    await failFiveTimes(bench)
    const paused = await chat(bench, hello)
    assert.equal(assertFailure(paused, 503, 'PROVIDER_UNAVAILABLE').retryable, true)
    assert.ok(Number(paused.headers['retry-after']) >= 1)
    assert.equal(double.counts.chat, 5)
    assert.equal((await attempts(bench)).length, 5)

    bench.clock.advance(5_000)
    double.script('chat', { do: 'hold' })
    const trial = chat(bench, hello)
    await double.arrived('chat', 6)
    assertFailure(await chat(bench, hello), 503, 'PROVIDER_UNAVAILABLE')
    assert.equal(double.counts.chat, 6)
    double.release()
    assert.equal((await trial).status, 200)
    assert.equal((await chat(bench, hello)).status, 200)
  })

  test('is not called for longer when the trial fails too', async (t) => {
    const bench = await openBench(t, openai)
    const { openai: double } = bench.doubles
    await failFiveTimes(bench)
    bench.clock.advance(5_000)
    double.script('chat', { do: 'cut', when: 'after-accepting' })
    assertFailure(await chat(bench, hello), 502, 'PROVIDER_ERROR')
    bench.clock.advance(5_000)
    assertFailure(await chat(bench, hello), 503, 'PROVIDER_UNAVAILABLE')
    bench.clock.advance(5_000)
    assert.equal((await chat(bench, hello)).status, 200)
  })

  test('comes back although the first call after the pause was refused by us', async (t) => {
    const bench = await openBench(t, openai)
    const poor = await newCustomer(bench, { spendLimit: 0.000001 })
    await failFiveTimes(bench)
    bench.clock.advance(5_000)
    assertFailure(await chat(bench, hello, { key: poor.key }), 403, 'SPEND_LIMIT_REACHED')
    assert.equal((await chat(bench, hello)).status, 200)
  })

  test('is skipped if the model has a fallback', async (t) => {
    const bench = await openBench(t, both)
    await failFiveTimes(bench)
    const answer = await chat(bench, hello)
    assert.equal(answer.body.data.model, claude)
    assert.equal(bench.doubles.openai.counts.chat, 5)
  })
})
