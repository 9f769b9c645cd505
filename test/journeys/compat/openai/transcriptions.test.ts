import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import OpenAI, { toFile } from 'openai'
import { databases } from '../../../support/databases.ts'
import { attempts, type Bench, newCustomer } from '../../generation/setting.ts'
import { clientOf, failureOf, openGateway } from './setting.ts'

/** One paid by the hour, which knows every format; one by the token, which streams. */
const models = {
  models: [
    {
      id: 'test/hours',
      provider: 'local',
      providerModel: 'ears',
      kind: 'TRANSCRIPTION',
      pricing: { inputAudioPerHour: 0.36 },
    },
    {
      id: 'test/tokens',
      provider: 'openai',
      providerModel: 'ears-by-tokens',
      kind: 'TRANSCRIPTION',
      capabilities: { transcriptFormats: ['json', 'text'] },
      pricing: {
        inputPerMillionTokens: 2,
        inputAudioPerMillionTokens: 6,
        outputPerMillionTokens: 8,
      },
    },
  ],
}

const recording = () =>
  toFile(Buffer.alloc(20_000, 7), 'Talk of "the year".M4A', { type: 'audio/mp4' })
const words = 'Heard 20000 bytes. Goodbye.'
const tokenCost = 10 * 2 + 130 * 6 + 20 * 8

const ledgerOf = async (bench: Bench, accountId: string) =>
  (await attempts(bench))
    .filter((row) => row.account_id === accountId)
    .map(({ outcome, cost_micros, operation, units }) => [
      operation,
      outcome,
      cost_micros === null ? null : Number(cost_micros),
      JSON.parse(units ?? 'null'),
    ])

for (const { name: database } of databases) {
  test(`a transcript on ${database} reaches the official client in every format`, async (t) => {
    const bench = await openGateway(t, { doubles: ['openai'], models, database })
    const { key, accountId } = await newCustomer(bench)
    const { transcriptions } = clientOf(bench, key).audio
    const order = { file: await recording(), model: 'test/hours' }
    const usage = { type: 'duration', seconds: 13, cost: 1300 / 1e6 }
    assert.deepEqual(await transcriptions.create(order), { text: words, usage })
    const text = await transcriptions.create({ ...order, response_format: 'text' })
    assert.equal(text, `${words}\n`)
    const srt = await transcriptions.create({ ...order, response_format: 'srt' })
    const firstCue = '1\n00:00:00,000 --> 00:00:07,520\nHeard 20000 bytes.\n\n'
    assert.equal(srt, `${firstCue}2\n00:00:07,520 --> 01:01:01,050\nGoodbye.\n\n`)
    const vtt = await transcriptions.create({ ...order, response_format: 'vtt' })
    assert.match(vtt, /^WEBVTT\n\n00:00:00\.000 --> 00:00:07\.520\nHeard 20000 bytes\.\n\n/)
    const verbose = await transcriptions.create({
      ...order,
      response_format: 'verbose_json',
      timestamp_granularities: ['segment', 'word'],
    })
    assert.deepEqual(
      [verbose.duration, verbose.language, verbose.segments?.length, verbose.usage?.seconds],
      [12.5, 'english', 2, 13],
    )
    const speakers = await transcriptions.create({ ...order, response_format: 'diarized_json' })
    assert.match(JSON.stringify(speakers), /"speaker":"A"/)
    const asTokens = await transcriptions.create({ ...order, model: 'test/tokens' })
    assert.deepEqual(asTokens.usage, {
      type: 'tokens',
      input_tokens: 140,
      output_tokens: 20,
      total_tokens: 160,
      input_token_details: { audio_tokens: 130, text_tokens: 10 },
      cost: tokenCost / 1e6,
    })
    const byTime = ['transcription', 'SUCCEEDED', 1300, { inputAudioSeconds: 13 }]
    const byToken = { inputTokens: 140, outputTokens: 20, inputAudioTokens: 130 }
    assert.deepEqual(await ledgerOf(bench, accountId), [
      ...Array(6).fill(byTime),
      ['transcription', 'SUCCEEDED', tokenCost, byToken],
    ])
  })
}

test('a transcription asks the provider for all that its caller says of it', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'], models })
  const { transcriptions } = clientOf(bench, (await newCustomer(bench)).key).audio
  await transcriptions.create({
    file: await recording(),
    model: 'test/tokens',
    language: 'en',
    languages: ['en', 'de'],
    prompt: 'About geese.',
    keywords: ['goose', 'gander'],
    temperature: 0.5,
    include: ['logprobs'],
    chunking_strategy: 'auto',
  })
  assert.deepEqual(bench.doubles.openai.requests.at(-1)?.body, {
    // What the file is called is not passed on, only its kind.
    file: {
      filename: 'audio.m4a',
      mimeType: 'audio/mp4',
      base64: Buffer.alloc(20_000, 7).toString('base64'),
    },
    model: 'ears-by-tokens',
    response_format: 'json',
    language: 'en',
    'languages[]': ['en', 'de'],
    prompt: 'About geese.',
    'keywords[]': ['goose', 'gander'],
    temperature: '0.5',
    'include[]': ['logprobs'],
    chunking_strategy: 'auto',
  })
})

test('a streamed transcript comes in pieces, or in one where its model does not stream', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'], models })
  const { openai } = bench.doubles
  const { key, accountId } = await newCustomer(bench)
  const { transcriptions } = clientOf(bench, key).withOptions({ maxRetries: 0 }).audio
  const streamed = async (model: string) =>
    transcriptions.create({ file: await recording(), model, stream: true })
  for (const [model, pieces, cost] of [
    ['test/tokens', 3, tokenCost],
    ['test/hours', 1, 1300],
  ] as const) {
    const events = await Array.fromAsync(await streamed(model))
    const deltas = events.flatMap((event) =>
      event.type === 'transcript.text.delta' ? [event.delta] : [],
    )
    assert.deepEqual([deltas.length, deltas.join('')], [pieces, words])
    const last = events.at(-1)
    assert.ok(last?.type === 'transcript.text.done')
    assert.equal(last.text, words)
    assert.equal((last.usage as { cost?: number } | undefined)?.cost, cost / 1e6)
  }
  openai.script('call', { do: 'break', after: 2, by: 'end' })
  const broken = await streamed('test/tokens')
  await assert.rejects(Array.fromAsync(broken), OpenAI.APIError)
  const outcomes = (await ledgerOf(bench, accountId)).map(([, outcome]) => outcome)
  assert.deepEqual(outcomes, ['SUCCEEDED', 'SUCCEEDED', 'UNKNOWN'])
})

test('what is wrong with a transcription is named, and nothing is asked for', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'], models })
  const { openai } = bench.doubles
  const { key, accountId } = await newCustomer(bench)
  const { audio } = clientOf(bench, key).withOptions({ maxRetries: 0 })
  const file = await recording()
  const create = (extra: object) =>
    audio.transcriptions.create({ file, model: 'test/tokens', ...extra })
  const empty = await toFile(Buffer.alloc(0), 'a.wav')
  const large = await toFile(Buffer.alloc(25 * 1024 * 1024 + 1), 'a.wav')
  const vad = { type: 'server_vad', threshold: 0.5 }
  const bad: [object, number, string, string | null][] = [
    [{ model: 'nobody' }, 404, 'MODEL_NOT_FOUND', 'model'],
    [{ model: 'demo-text' }, 400, 'MODEL_KIND_MISMATCH', 'model'],
    [{ file: empty }, 400, 'INVALID_REQUEST', 'file'],
    [{ file: 'no file' }, 400, 'INVALID_REQUEST', 'file'],
    [{ file: large }, 413, 'PAYLOAD_TOO_LARGE', 'file'],
    [{ response_format: 'pdf' }, 400, 'INVALID_REQUEST', 'response_format'],
    [{ response_format: 'srt' }, 400, 'UNSUPPORTED_PARAMETER', 'response_format'],
    [{ temperature: 2 }, 400, 'INVALID_REQUEST', 'temperature'],
    [{ stream: 'maybe' }, 400, 'INVALID_REQUEST', 'stream'],
    [{ timestamp_granularities: ['word'] }, 400, 'INVALID_REQUEST', 'timestamp_granularities'],
    [{ include: ['secrets'] }, 400, 'INVALID_REQUEST', 'include[0]'],
    [{ keywords: Array(63).fill('x') }, 400, 'INVALID_REQUEST', null],
    [{ prompt: 'x'.repeat(200_000) }, 400, 'INVALID_REQUEST', null],
    [{ chunking_strategy: vad }, 400, 'UNSUPPORTED_PARAMETER', 'chunking_strategy[type]'],
    [{ known_speaker_names: ['A'] }, 400, 'UNSUPPORTED_PARAMETER', 'known_speaker_names'],
  ]
  for (const [extra, status, code, param] of bad) {
    const failed = await failureOf(create(extra))
    assert.deepEqual([failed.status, failed.code, failed.param], [status, code, param])
  }
  assert.equal(await statusOfAnnounced(bench, key, 27 * 1024 * 1024), 413)
  assert.equal(openai.counts.call, 0)
  openai.script('call', { do: 'refuse', status: 400 }, { do: 'babble', as: 'html' })
  assert.equal((await failureOf(create({}))).code, 'INVALID_REQUEST')
  assert.equal((await failureOf(create({}))).code, 'PROVIDER_ERROR')
  const outcomes = (await ledgerOf(bench, accountId)).map(([, outcome]) => outcome)
  assert.deepEqual(outcomes, ['REJECTED', 'UNKNOWN'])
})

/** Nothing of the body is sent: its announced length is refused by itself. */
const statusOfAnnounced = (bench: Bench, key: string, bytes: number): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': bytes,
    }
    const url = `${bench.url}/v1/audio/transcriptions`
    const sent = request(url, { method: 'POST', headers }, ({ statusCode }) => {
      sent.destroy()
      resolve(statusCode)
    })
    sent.on('error', reject)
    sent.flushHeaders()
  })

test('under a spend limit the longest recording of that size is reserved for', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'], models })
  const { key } = await newCustomer(bench, { spendLimit: 0.01 })
  const { transcriptions } = clientOf(bench, key).audio
  const order = (bytes: number, model: string) =>
    toFile(Buffer.alloc(bytes), 'a.mp3').then((file) => transcriptions.create({ file, model }))
  for (const model of ['test/hours', 'test/tokens']) {
    const failed = await failureOf(order(100_000, model))
    assert.deepEqual([failed.status, failed.code], [403, 'SPEND_LIMIT_REACHED'], model)
  }
  assert.equal(bench.doubles.openai.counts.call, 0)
  await order(1_000, 'test/hours')
})

test('a recording that is sent twice with one key is heard once', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'], models })
  const { transcriptions } = clientOf(bench, (await newCustomer(bench)).key).audio
  const order = { file: await recording(), model: 'test/hours' }
  const headers = { 'Idempotency-Key': 'recording' }
  const first = await transcriptions.create(order, { headers })
  // The client draws a new boundary for each form.
  assert.deepEqual(await transcriptions.create(order, { headers }), first)
  assert.equal(bench.doubles.openai.counts.accepted, 1)
})
