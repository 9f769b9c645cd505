import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type OpenAI from 'openai'
import { databases } from '../../../support/databases.ts'
import { attempts, type Bench, eventually, newCustomer } from '../../generation/setting.ts'
import { clientOf, failureOf, openGateway } from './setting.ts'

/** One paid by the token, which says so in events; one by the character. */
const models = {
  models: [
    {
      id: 'test/events',
      provider: 'openai',
      providerModel: 'voice-of-events',
      kind: 'SPEECH',
      capabilities: { speechEvents: true },
      pricing: { inputPerMillionTokens: 2, outputPerMillionTokens: 8 },
    },
    {
      id: 'test/plain',
      provider: 'local',
      kind: 'SPEECH',
      capabilities: { speechInstructions: false, speechFormats: ['mp3', 'wav'] },
      pricing: { inputPerMillionCharacters: 15 },
    },
  ],
}

const hello = { model: 'test/plain', voice: 'coral', input: 'Hello 🙂' }
const helloSound = 'sound of Hello 🙂'

const ledgerOf = async (bench: Bench, accountId: string) =>
  (await attempts(bench))
    .filter((row) => row.account_id === accountId)
    .map(({ outcome, cost_micros, operation, units }) => [
      operation,
      outcome,
      cost_micros === null ? null : Number(cost_micros),
      JSON.parse(units ?? 'null'),
    ])

const textOf = async (spoken: Response) => Buffer.from(await spoken.arrayBuffer()).toString()

for (const { name: database } of databases) {
  test(`speech on ${database} reaches the official client, and is paid by what it is`, async (t) => {
    const bench = await openGateway(t, { doubles: ['openai'], models, database })
    const { key, accountId, ask } = await newCustomer(bench)
    const { speech } = clientOf(bench, key).audio
    const plain = await speech.create(hello)
    assert.equal(plain.headers.get('content-type'), 'audio/mpeg')
    assert.equal(await textOf(plain), helloSound)
    const wav = await speech.create({ ...hello, response_format: 'wav' })
    assert.equal(wav.headers.get('content-type'), 'audio/wav')
    await textOf(wav)
    const told = { model: 'test/events', instructions: 'Whisper.', speed: 1.5 }
    assert.equal(await textOf(await speech.create({ ...hello, ...told })), helloSound)
    assert.deepEqual(bench.doubles.openai.requests.at(-1)?.body, {
      ...{ ...hello, ...told, model: 'voice-of-events' },
      ...{ response_format: 'mp3', stream_format: 'sse' },
    })
    const byCharacter = ['speech', 'SUCCEEDED', 7 * 15, { inputCharacters: 7 }]
    const byToken = { inputTokens: 14, outputTokens: 101 }
    assert.deepEqual(await ledgerOf(bench, accountId), [
      byCharacter,
      byCharacter,
      ['speech', 'SUCCEEDED', 14 * 2 + 101 * 8, byToken],
    ])
    const calls = await ask('GET', '/calls?from=2026-01-01T00:00:00Z')
    assert.deepEqual(calls.body.data.items.at(-1).units, { inputCharacters: 7 })
  })
}

test('speech that a provider sends in events', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'], models })
  const { openai } = bench.doubles
  const order: OpenAI.Audio.SpeechCreateParams = { ...hello, model: 'test/events' }

  await t.test('is passed on as it comes', async () => {
    const { audio } = clientOf(bench, (await newCustomer(bench)).key)
    openai.script('call', { do: 'break', after: 1, by: 'hold' })
    const { body } = await audio.speech.create(order)
    const reader = body?.getReader()
    const first = Buffer.from((await reader?.read())?.value ?? []).toString()
    assert.ok(first !== '' && helloSound.startsWith(first), first)
    openai.release()
    const rest: Uint8Array[] = []
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true }
      if (done) break
      if (value) rest.push(value)
    }
    assert.equal(first + Buffer.concat(rest).toString(), helloSound)
  })

  await t.test('comes as events to those who ask for them, with the cost', async () => {
    const { audio } = clientOf(bench, (await newCustomer(bench)).key)
    const spoken = await audio.speech.create({ ...order, stream_format: 'sse' })
    const events = (await spoken.text())
      .split('\n\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line.slice('data: '.length)))
    const sound = events.map(({ audio: part = '' }) => Buffer.from(part, 'base64'))
    assert.equal(Buffer.concat(sound).toString(), helloSound)
    const { type, usage } = events.at(-1)
    assert.equal(type, 'speech.audio.done')
    assert.deepEqual(
      [usage.input_tokens, usage.output_tokens, usage.total_tokens, usage.cost],
      [14, 101, 115, (14 * 2 + 101 * 8) / 1e6],
    )
  })

  await t.test('and breaks off is no speech, and may have been billed', async () => {
    const { key, accountId } = await newCustomer(bench)
    const { audio } = clientOf(bench, key).withOptions({ maxRetries: 0 })
    openai.script(
      'call',
      { do: 'break', after: 1, by: 'cut' },
      { do: 'break', after: 1, by: 'end' },
      { do: 'break', after: 1, by: 'error' },
    )
    for (let i = 0; i < 3; i++) {
      const spoken = await audio.speech.create(order)
      await assert.rejects(spoken.arrayBuffer())
    }
    openai.script('call', { do: 'break', after: 1, by: 'cut' })
    const spoken = await audio.speech.create({ ...order, stream_format: 'sse' })
    assert.match((await spoken.text()).split('\n\n').at(-2) ?? '', /"code":"PROVIDER_ERROR"/)
    const rows = await ledgerOf(bench, accountId)
    const expected = 2 * 2 + Math.ceil(7 * 1.5) * 8
    assert.deepEqual(rows, Array(4).fill(['speech', 'UNKNOWN', expected, {}]))
  })

  await t.test('to somebody who leaves may have been billed', async () => {
    const { key, accountId } = await newCustomer(bench)
    openai.script('call', { do: 'break', after: 1, by: 'hold' })
    const { body } = await clientOf(bench, key).audio.speech.create(order)
    const reader = body?.getReader()
    await reader?.read()
    await reader?.cancel()
    const [row] = await eventually(
      () => ledgerOf(bench, accountId),
      (rows) => rows.length > 0 && rows[0]?.[1] !== 'PENDING',
    )
    assert.deepEqual(row?.slice(0, 2), ['speech', 'UNKNOWN'])
    openai.release()
  })
})

describe('speech', () => {
  test('that would pass the spend limit is not begun', async (t) => {
    const bench = await openGateway(t, { doubles: ['openai'], models })
    const { key } = await newCustomer(bench, { spendLimit: 0.001 })
    const { speech } = clientOf(bench, key).audio
    const long = 'x'.repeat(100)
    for (const model of ['test/plain', 'test/events']) {
      const failed = await failureOf(speech.create({ ...hello, model, input: long }))
      assert.deepEqual([failed.status, failed.code], [403, 'SPEND_LIMIT_REACHED'], model)
    }
    assert.equal(bench.doubles.openai.counts.call, 0)
    await textOf(await speech.create(hello))
  })

  test('that cannot be made is refused by name, or as the provider refuses it', async (t) => {
    const bench = await openGateway(t, { doubles: ['openai'], models })
    const { openai } = bench.doubles
    const { key, accountId } = await newCustomer(bench)
    const { audio } = clientOf(bench, key).withOptions({ maxRetries: 0 })
    const create = (extra: object) => audio.speech.create({ ...hello, ...extra })
    const bad: [object, number, string, string | null][] = [
      [{ model: 'nobody' }, 404, 'MODEL_NOT_FOUND', 'model'],
      [{ model: 'demo-text' }, 400, 'MODEL_KIND_MISMATCH', 'model'],
      [{ input: '' }, 400, 'INVALID_REQUEST', 'input'],
      [{ voice: '' }, 400, 'INVALID_REQUEST', 'voice'],
      [{ voice: {} }, 400, 'INVALID_REQUEST', 'voice.id'],
      [{ speed: 5 }, 400, 'INVALID_REQUEST', 'speed'],
      [{ response_format: 'midi' }, 400, 'INVALID_REQUEST', 'response_format'],
      [{ response_format: 'flac' }, 400, 'UNSUPPORTED_PARAMETER', 'response_format'],
      [{ instructions: 'Sing.' }, 400, 'UNSUPPORTED_PARAMETER', 'instructions'],
      [{ stream_format: 'sse' }, 400, 'UNSUPPORTED_PARAMETER', 'stream_format'],
    ]
    for (const [extra, status, code, param] of bad) {
      const failed = await failureOf(create(extra))
      assert.deepEqual([failed.status, failed.code, failed.param], [status, code, param])
    }
    assert.equal(openai.counts.call, 0)
    openai.script('call', { do: 'refuse', status: 400 }, { do: 'refuse', status: 429 })
    openai.script('call', { do: 'babble', as: 'wrong-shape' }, { do: 'babble', as: 'empty' })
    openai.script('call', { do: 'cut', when: 'mid-answer' })
    assert.equal((await failureOf(create({}))).code, 'INVALID_REQUEST')
    assert.equal((await failureOf(create({}))).code, 'PROVIDER_UNAVAILABLE')
    assert.equal((await failureOf(create({}))).code, 'PROVIDER_ERROR')
    await assert.rejects(async () => textOf(await create({})))
    await assert.rejects(async () => textOf(await create({})))
    const outcomes = (await ledgerOf(bench, accountId)).map(([, outcome]) => outcome)
    assert.deepEqual(outcomes, ['REJECTED', 'REJECTED', 'UNKNOWN', 'UNKNOWN', 'UNKNOWN'])
  })
})
