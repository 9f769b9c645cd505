// Anthropic's models on Bedrock: the signature is checked as AWS documents it, by code that shares
// nothing with the library that makes it; paths and headers are those that
// @aws-sdk/client-bedrock-runtime 3.1162 sends. Frames are written byte by byte as AWS documents them
// (application/vnd.amazon.eventstream), not by the codec that reads them.
import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { crc32 } from 'node:zlib'
import type Anthropic from '@anthropic-ai/sdk'
import { createBedrockProvider } from '#providers/anthropic/bedrock.ts'
import { readFrames } from '#providers/anthropic/bedrock-frames.ts'
import { createSigner } from '#providers/anthropic/bedrock-sign.ts'
import { intents, weather } from './anthropic-intents.ts'
import { adapterAt } from './recorder.ts'

const model = 'us.anthropic.claude-haiku-5-5-v1:0'
const hello = { role: 'user' as const, content: 'Hello' }
const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: secret, sessionToken: 'token' }

type Sent = { method: string; path: string; headers: IncomingHttpHeaders; text: string }
type Reply = { status?: number; headers?: Record<string, string>; body: Uint8Array | object }

async function stand(t: TestContext, apiKey = '') {
  const sent: Sent[] = []
  let reply: Reply = { body: {} }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url: path = '', headers } = request
    sent.push({ method, path, headers, text: Buffer.concat(chunks).toString() })
    const isBytes = reply.body instanceof Uint8Array
    const type = isBytes ? 'application/vnd.amazon.eventstream' : 'application/json'
    response.writeHead(reply.status ?? 200, { 'content-type': type, ...reply.headers })
    if (!(reply.body instanceof Uint8Array)) return response.end(JSON.stringify(reply.body))
    response.end(reply.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const region = 'eu-west-1'
  const sign = createSigner({ region, credentials })
  const provider = createBedrockProvider({ name: 'aws', apiKey, baseUrl, region, sign })
  const answer = (next: Reply) => {
    reply = next
  }
  return { sent, answer, adapter: adapterAt(t, provider) }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const escaped = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) =>
    `%${c.charCodeAt(0).toString(16)}`.toUpperCase(),
  )

/** Signature Version 4, step by step as in the guide of AWS. */
function signatureOf({ method, path, headers, text }: Sent): { given: string; right: string } {
  const found = /Credential=([^,]+), SignedHeaders=([^,]+), Signature=(\w+)/.exec(
    `${headers.authorization}`,
  )
  const [, scope = '', names = '', given = ''] = found ?? []
  const [, day = '', region = '', service = ''] = scope.split('/')
  const lines = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`)
  const canonicalPath = path.split('/').map(escaped).join('/')
  const request = [method, canonicalPath, '', lines.join(''), names, sha256(text)].join('\n')
  const within = `${day}/${region}/${service}/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], within, sha256(request)].join('\n')
  const steps = [day, region, service, 'aws4_request']
  const key = steps.reduce<string | Buffer>(
    (secretKey, step) => hmac(secretKey, step),
    `AWS4${secret}`,
  )
  return { given, right: hmac(key, toSign).toString('hex') }
}

const uint32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
/** The length of the name, the name, 7 for a string, the length of the value, the value. */
const headerBytes = ([name, value]: [string, string]) =>
  Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([7, value.length >> 8, value.length & 0xff]),
    Buffer.from(value),
  ])
/** Both lengths and their checksum, the headers, the payload, and the checksum of all of it. */
const framed = (headers: Record<string, string>, body: object): Buffer => {
  const head = Buffer.concat(Object.entries(headers).map(headerBytes))
  const payload = Buffer.from(JSON.stringify(body))
  const lengths = Buffer.concat([uint32(16 + head.length + payload.length), uint32(head.length)])
  const covered = Buffer.concat([lengths, uint32(crc32(lengths)), head, payload])
  return Buffer.concat([covered, uint32(crc32(covered))])
}
const chunk = (event: object) =>
  framed(
    { ':message-type': 'event', ':event-type': 'chunk', ':content-type': 'application/json' },
    { bytes: Buffer.from(JSON.stringify(event)).toString('base64'), p: 'abc' },
  )

/** Sent by the SDK itself, with the same credentials. */
const bySdk: Sent = {
  method: 'POST',
  path: '/model/us.anthropic.claude-haiku-5-5-v1%3A0/invoke',
  headers: {
    'content-type': 'application/json',
    'content-length': '7',
    'x-amz-user-agent': 'aws-sdk-js/3.1161.0',
    host: '127.0.0.1:36089',
    'amz-sdk-invocation-id': 'a9e1419c-ff6c-42f7-a6af-ca89dbb4067b',
    'amz-sdk-request': 'attempt=1; max=1',
    'x-amz-date': '20261118T041429Z',
    'x-amz-security-token': 'token',
    'x-amz-content-sha256': '015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261118/eu-west-1/bedrock/aws4_request, SignedHeaders=amz-sdk-invocation-id;amz-sdk-request;content-length;content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token;x-amz-user-agent, Signature=e9f5d9bd114ab221bb6bb191d9fd148ca4594761d462f90f1961627a18c464cf',
  },
  text: '{"a":1}',
}

describe('a request to Bedrock', () => {
  test('names model and action in its path, and is signed', async (t) => {
    const { sent, adapter } = await stand(t)
    await adapter.whole({ model, messages: [hello] }).catch(() => {})
    await adapter.pieces({ model, messages: [hello] }).catch(() => {})
    const [whole, stream] = sent
    assert.ok(whole && stream)
    const named = `/model/us.anthropic.claude-haiku-5-5-v1%3A0`
    assert.equal(whole.path, `${named}/invoke`)
    assert.equal(stream.path, `${named}/invoke-with-response-stream`)
    assert.match(
      `${whole.headers.authorization}`,
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/bedrock\/aws4_request/,
    )
    assert.equal(whole.headers['x-amz-security-token'], 'token')
    assert.equal(whole.path, bySdk.path)
    for (const one of [bySdk, ...sent]) {
      const { given, right } = signatureOf(one)
      assert.equal(given, right)
    }
  })

  test('has the body of Anthropic’s own API, without the model and with a version', async (t) => {
    const { sent, adapter } = await stand(t)
    for (const [what, { ours, theirs }] of Object.entries(intents)) {
      sent.length = 0
      await adapter.whole({ ...ours, model: `anthropic.${ours.model}-v1:0` }).catch(() => {})
      const { model: _, ...body } = theirs
      const expected = { anthropic_version: 'bedrock-2023-05-31', ...body }
      assert.deepEqual(JSON.parse(sent[0]?.text ?? '{}'), expected, what)
    }
  })

  test('with a key of Bedrock carries it as a bearer and is not signed', async (t) => {
    const { sent, adapter } = await stand(t, 'bedrock-key')
    await adapter.whole({ model, messages: [hello] }).catch(() => {})
    assert.equal(sent[0]?.headers.authorization, 'Bearer bedrock-key')
    assert.equal(sent[0]?.headers['x-amz-date'], undefined)
  })

  test('that cannot be signed was surely not sent', async (t) => {
    const sign = async () => Promise.reject(new Error('no credentials here'))
    const provider = createBedrockProvider({
      ...{ name: 'aws', apiKey: '', baseUrl: 'http://127.0.0.1:9', region: 'eu-west-1', sign },
    })
    const call = adapterAt(t, provider).whole({ model, messages: [hello] })
    await assert.rejects(call, { kind: 'auth', outcome: 'not_sent' })
  })
})

const usage = { input_tokens: 12, output_tokens: 8, cache_read_input_tokens: 5 }
const message = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-haiku-5-5' },
  content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { town: 'Rome' } }],
  ...{ stop_reason: 'tool_use', stop_sequence: null, usage },
}

const streamed = (events: readonly Partial<Anthropic.MessageStreamEvent>[]) =>
  Buffer.concat(events.map(chunk))
const begun = [
  { type: 'message_start', message: { ...message, content: [], usage } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello, ' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'you' } },
] as unknown as Partial<Anthropic.MessageStreamEvent>[]
const over = [
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
  { type: 'message_stop', 'amazon-bedrock-invocationMetrics': { inputTokenCount: 17 } },
] as unknown as Partial<Anthropic.MessageStreamEvent>[]

describe('an answer of Bedrock', () => {
  test('is read whole, with its function calls and usage', async (t) => {
    const { answer, adapter } = await stand(t)
    answer({ body: message, headers: { 'x-amzn-requestid': 'r1' } })
    const result = await adapter.whole({ model, messages: [hello], tools: [weather] })
    assert.deepEqual(result.toolCalls, [
      { id: 'toolu_1', name: 'weather', arguments: '{"town":"Rome"}' },
    ])
    assert.equal(result.requestId, 'r1')
    assert.equal(result.usage?.inputTokens, 17)
  })

  test('is the same events, wherever the network cuts its frames', async () => {
    const whole = streamed([...begun, ...over])
    const upstream = { name: 'aws', redact: (text: string) => text }
    const answered = { status: 200, headers: {}, body: Buffer.alloc(0) }
    for (const size of [1, 3, 37, whole.length]) {
      async function* chunks() {
        for (let i = 0; i < whole.length; i += size) yield whole.subarray(i, i + size)
      }
      const events = await Array.fromAsync(readFrames(upstream, answered, chunks()))
      assert.deepEqual(
        events.map(({ name }) => name),
        [...begun, ...over].map(({ type }) => type),
      )
    }
  })

  test('is read from its frames piece by piece', async (t) => {
    const { answer, adapter } = await stand(t)
    answer({ body: streamed([...begun, ...over]) })
    const deltas = await adapter.pieces({ model, messages: [hello] })
    const text = deltas.map((delta) => (delta.type === 'text' ? delta.text : '')).join('')
    assert.equal(text, 'Hello, you')
    assert.equal(deltas[0]?.type, 'open')
    assert.equal(deltas.at(-1)?.type, 'end')
    const counted = deltas.findLast((delta) => delta.type === 'usage')
    assert.deepEqual(counted?.type === 'usage' && counted.usage.outputTokens, 9)
  })

  test('that breaks off, is damaged or reports an error has no end', async (t) => {
    const { answer, adapter } = await stand(t)
    const whole = streamed([...begun, ...over])
    const damaged = Buffer.from(whole)
    damaged[60] = (damaged[60] ?? 0) ^ 1
    const large = Buffer.from(whole)
    large.writeUInt32BE(0x7fffffff, 0)
    const error = framed(
      { ':message-type': 'exception', ':exception-type': 'throttlingException' },
      { message: 'Too many tokens' },
    )
    const cases = { broken: whole.subarray(0, 400), damaged, large }
    for (const [what, body] of Object.entries(cases)) {
      answer({ body })
      const call = adapter.pieces({ model, messages: [hello] })
      await assert.rejects(call, { kind: 'protocol', outcome: 'unknown' }, what)
    }
    answer({ body: Buffer.concat([streamed(begun), error]) })
    const call = adapter.pieces({ model, messages: [hello] })
    await assert.rejects(call, {
      kind: 'busy',
      outcome: 'unknown',
      message: 'aws: Too many tokens',
    })
  })

  test('that is a refusal says what it is', async (t) => {
    const { answer, adapter } = await stand(t)
    const refusals: [
      status: number,
      type: string,
      message: string,
      kind: string,
      outcome: string,
    ][] = [
      [429, 'ThrottlingException', 'Too many requests', 'busy', 'rejected'],
      [400, 'ValidationException', 'Input is too long for requested model.', 'invalid', 'rejected'],
      [403, 'AccessDeniedException', 'no access to the model', 'auth', 'rejected'],
      [404, 'ResourceNotFoundException', 'no such model', 'not_found', 'rejected'],
      [408, 'ModelTimeoutException', 'too slow', 'timeout', 'unknown'],
      [424, 'ModelErrorException', 'failed', 'server', 'unknown'],
      [500, 'InternalServerException', 'failed', 'server', 'unknown'],
      [503, 'ServiceUnavailableException', 'away', 'busy', 'unknown'],
    ]
    for (const [status, type, words, kind, outcome] of refusals) {
      const headers = { 'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/` }
      answer({ status, headers, body: { message: words } })
      for (const call of [adapter.whole, adapter.pieces]) {
        const error = await call({ model, messages: [hello] }).catch((thrown) => thrown)
        assert.deepEqual([error.kind, error.outcome], [kind, outcome], type)
        assert.equal(error.isContextOverflow, type === 'ValidationException', type)
      }
    }
  })
})
