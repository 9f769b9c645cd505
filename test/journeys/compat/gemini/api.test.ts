import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, GoogleGenAI } from '@google/genai'
import { eventually, newCustomer } from '../../generation/setting.ts'
import { openGateway } from '../openai/setting.ts'
import { clientOf, failureOf } from './setting.ts'

const user = (text: string) => [{ role: 'user', parts: [{ text }] }]

test('a client of Google lists models and counts tokens', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'] })
  const { key } = await newCustomer(bench)
  const { models } = clientOf(bench, key)
  const all = await Array.fromAsync(await models.list())
  const listed = all.find(({ name }) => name === 'models/test/openai')
  assert.ok(listed?.supportedActions?.includes('generateContent'))
  assert.ok(!all.some(({ name }) => name === 'models/demo-image'))
  assert.deepEqual((await models.get({ model: 'test/openai' })).displayName, listed?.displayName)
  const { totalTokens = 0 } = await models.countTokens({
    model: 'demo-text',
    contents: 'one two three four',
  })
  assert.ok(totalTokens >= 4 && totalTokens <= 8, String(totalTokens))
  const whole = {
    model: 'models/demo-text',
    systemInstruction: { parts: { text: 'Be brief.' } },
    contents: user('one two three four'),
  }
  const { body } = await bench.call({
    method: 'POST',
    path: '/v1beta/models/demo-text:countTokens',
    json: { generateContentRequest: whole },
    key,
  })
  assert.ok(body.totalTokens > totalTokens, body.totalTokens)
})

test("Google's newer clients call the same under /v1", async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'] })
  const { key } = await newCustomer(bench)
  const httpOptions = { baseUrl: bench.url, apiVersion: 'v1' }
  const { models } = new GoogleGenAI({ apiKey: key, httpOptions })
  const order = { model: 'test/local', contents: 'Hello' }
  assert.equal((await models.generateContent(order)).text, 'You said: Hello')
  const pieces = await Array.fromAsync(await models.generateContentStream(order))
  assert.equal(pieces.map(({ text }) => text).join(''), 'You said: Hello')
  assert.ok((await Array.fromAsync(await models.list())).length > 1)
  assert.equal((await models.get({ model: 'test/local' })).name, 'models/test/local')
  assert.equal((await failureOf(models.get({ model: 'test/nobody' }))).status, 'NOT_FOUND')
  const unknown = await failureOf(models.generateContent({ ...order, model: 'nobody' }))
  assert.equal(unknown.status, 'NOT_FOUND')
  const { body } = await bench.call({ path: '/v1/models/test/local', key })
  assert.equal(body.object, 'model')
})

test('texts are embedded, one by one or many at once', async (t) => {
  const capabilities = { embeddingDimensions: { min: 1, max: 8, default: 3 } }
  const providerModel = 'embeds'
  const model = {
    id: 'test/embeds',
    provider: 'gemini',
    providerModel,
    kind: 'EMBEDDING',
    capabilities,
  }
  const bench = await openGateway(t, { doubles: ['gemini'], models: { models: [model] } })
  const { key } = await newCustomer(bench)
  const { models } = clientOf(bench, key)
  const contents = ['one', 'three']
  const { embeddings } = await models.embedContent({ model: 'test/embeds', contents })
  assert.deepEqual(
    embeddings?.map(({ values }) => values),
    [
      [3, 0, 0.5],
      [5, 1, 0.5],
    ],
  )
  const path = '/v1beta/models/test/embeds:embedContent'
  const json = { content: { parts: [{ text: 'four' }] } }
  const { body } = await bench.call({ method: 'POST', path, json, key })
  assert.deepEqual(body.embedding.values, [4, 0, 0.5])
  const config = { outputDimensionality: 9 }
  const failed = await failureOf(models.embedContent({ model: 'test/embeds', contents, config }))
  assert.match(failed.message, /^outputDimensionality must be from 1 to 8/)
})

test('addresses may be encoded, and names may be in snake_case', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'] })
  const { key } = await newCustomer(bench)
  const json = {
    system_instruction: { parts: [{ text: 'Be brief.' }] },
    contents: { parts: { text: 'Hello' } },
    generation_config: { max_output_tokens: 9, stop_sequences: ['END'] },
  }
  const names = ['test/local', 'test%2Flocal', 'test%2flocal']
  for (const name of names) {
    const path = `/v1beta/models/${name}:generateContent`
    const { status, body } = await bench.call({ method: 'POST', path, json, key })
    assert.deepEqual([status, body.candidates?.[0].content.parts[0].text], [200, 'You said: Hello'])
    const sent = bench.doubles.openai.requests.at(-1)?.body as Record<string, unknown>
    assert.deepEqual([sent.max_tokens, sent.stop], [9, ['END']])
  }
})

test('a stream that is not asked for as events is a list', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'] })
  const { key } = await newCustomer(bench)
  const ask = () =>
    bench.call({
      method: 'POST',
      path: '/v1beta/models/test/local:streamGenerateContent',
      json: { contents: user('Hello') },
      key,
    })
  const { headers, body } = await ask()
  assert.match(String(headers['content-type']), /^application\/json/)
  const texts = body.map((piece: typeof body) => piece.candidates[0].content.parts[0].text)
  assert.ok(texts.length > 2)
  assert.equal(texts.join(''), 'You said: Hello')
  bench.doubles.openai.script('chat', { do: 'break', after: 3, by: 'error' })
  const broken = await ask()
  assert.equal(broken.status, 200)
  assert.equal(broken.body.at(-1).error.status, 'INTERNAL')
})

test('credentials', async (t) => {
  const bench = await openGateway(t)
  const { key } = await newCustomer(bench)
  const ask = (headers: Record<string, string>, query = '') =>
    bench.call({
      method: 'POST',
      path: `/v1beta/models/demo-text:generateContent${query}`,
      json: { contents: user('Hi') },
      key: null,
      headers,
    })
  const authorization = `Bearer ${key}`
  const header = { 'x-goog-api-key': key }
  assert.equal((await ask(header)).status, 200)
  assert.equal((await ask({}, `?key=${key}`)).status, 200)
  assert.equal((await ask({ authorization })).status, 200)
  assert.equal((await ask({ ...header, authorization }, `?key=${key}`)).status, 200)
  const refused = [
    await ask({}),
    await ask({ authorization, 'x-goog-api-key': 'sk_other' }),
    await ask(header, '?key=sk_other'),
    await ask({ authorization }, '?key=sk_other'),
    await ask({}, `?key=${key}&key=sk_other`),
  ]
  for (const { status, body } of refused) {
    assert.deepEqual([status, body.error.code, body.error.status], [401, 401, 'UNAUTHENTICATED'])
  }
  const list = await bench.call({ path: '/v1beta/models', key: null, headers: header })
  assert.equal(list.status, 200)
  const json = { model: 'demo-text', messages: [{ role: 'user', content: 'Hi' }] }
  const path = `/v1/chat/completions?key=${key}`
  const elsewhere = await bench.call({ method: 'POST', path, json, key: null, headers: header })
  assert.equal(elsewhere.status, 401)
})

const call = { functionCall: { name: 'f', args: {} } }
const result = { functionResponse: { name: 'f', response: {} } }
const model = (...parts: object[]) => ({ role: 'model', parts })
const said = (...parts: object[]) => ({ role: 'user', parts })
/** Fields, and how the message begins or what it contains. */
const bad: [object, RegExp][] = [
  [{ contents: undefined }, /^contents is required/],
  [{ contents: [] }, /^contents/],
  [{ contents: [{ role: 'king', parts: [] }] }, /^contents\[0\]\.role/],
  [{ contents: [said({})] }, /^contents\[0\]\.parts\[0\] must have/],
  [{ contents: [said({ texts: 'x' })] }, /^contents\[0\]\.parts\[0\]\.texts/],
  [{ contents: [said(call)] }, /^contents\[0\]\.parts\[0\]\.functionCall/],
  [{ contents: [said(result)] }, /^contents\[0\]\.parts\[0\]\.functionResponse/],
  [{ contents: [said({ text: 'x' }), model(call)] }, /^contents must contain a functionResponse/],
  [{ contents: [model(call), said({ text: 'x' })] }, /^contents\[1\] must contain a function/],
  [
    { contents: [said({ inlineData: { mimeType: 'audio/wav', data: 'AAAA' } })] },
    /inlineData\.mimeType \(audio\/wav\)/,
  ],
  [{ contents: [said({ fileData: { fileUri: 'gs://a/b.png' } })] }, /fileUri.*inlineData/],
  [
    { contents: [said({ fileData: { fileUri: 'not an address' } })] },
    /^contents\[0\]\.parts\[0\]\.fileData\.fileUri/,
  ],
  [{ tools: [{ urlContext: {} }] }, /^tools\[0\]\.urlContext is not offered/],
  [{ tools: [{ googleSearch: {} }] }, /^This model cannot search the web.*"gemini"/],
  [
    { tools: [{ googleSearch: { excludeDomains: ['a.example'] } }] },
    /^tools\[0\]\.googleSearch\.excludeDomains/,
  ],
  [
    { tools: [{ googleSearch: {} }, { functionDeclarations: [{ name: 'look' }] }] },
    /^tools may not have googleSearch beside functions/,
  ],
  [{ tools: [{ functionDeclarations: [{}] }] }, /^tools\[0\]\.functionDeclarations\[0\]\.name/],
  [
    { toolConfig: { functionCallingConfig: { mode: 'ANY' } } },
    /^toolConfig\.functionCallingConfig\.mode/,
  ],
  [{ cachedContent: 'cachedContents/x' }, /^cachedContent/],
  [{ continuationToken: 'x' }, /^continuationToken/],
  [{ thread: 'x' }, /^thread is not a field/],
  [{ safetySettings: [{ category: 'X', threshold: 'BLOCK_LOW_AND_ABOVE' }] }, /^safetySettings/],
  [{ generationConfig: { topK: 1 } }, /^generationConfig\.topK/],
  [{ generationConfig: { candidateCount: 2 } }, /^generationConfig\.candidateCount/],
  [{ generationConfig: { responseModalities: ['IMAGE'] } }, /responseModalities/],
  [{ generationConfig: { responseJsonSchema: {} } }, /^generationConfig\.responseMimeType/],
  [{ generationConfig: { thinkingConfig: { thinkingLevel: 'HUGE' } } }, /thinkingLevel/],
  [{ generation_config: { max_output_tokens: 0 } }, /^generationConfig\.maxOutputTokens/],
]

test('what is wrong is named in the form of Google', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'], env: { RATE_LIMIT_CHAT: '60' } })
  const { key } = await newCustomer(bench)
  const ask = async (json: object, model = 'test/local') => {
    const path = `/v1beta/models/${model}:generateContent`
    const { status, body } = await bench.call({ method: 'POST', path, json, key })
    return { status, ...body.error }
  }
  for (const [extra, message] of bad) {
    const failed = await ask({ contents: user('Hi'), ...extra })
    assert.deepEqual([failed.status, failed.code], ['INVALID_ARGUMENT', 400], String(message))
    assert.match(failed.message, message)
  }
  assert.equal((await ask({ contents: user('Hi') }, 'nobody')).status, 'NOT_FOUND')
  assert.equal((await ask({ contents: user('Hi') }, 'demo-image')).status, 'INVALID_ARGUMENT')
  const { openai } = bench.doubles
  assert.equal(openai.counts.chat, 0)
  const { models } = clientOf(bench, key)
  const order = { model: 'test/local', contents: 'Hi' }
  openai.script('chat', { do: 'refuse', status: 503 }, { do: 'refuse', status: 500 })
  assert.equal((await failureOf(models.generateContent(order))).status, 'UNAVAILABLE')
  assert.equal((await failureOf(models.generateContentStream(order))).status, 'INTERNAL')
  openai.script('chat', { do: 'break', after: 3, by: 'error' })
  const stream = await models.generateContentStream(order)
  await assert.rejects(Array.fromAsync(stream), ApiError)
  const limited = await eventually(
    async () =>
      models.generateContent({ model: 'demo-text', contents: 'Hi' }).then(
        () => null,
        (error: ApiError) => error,
      ),
    (error) => error !== null,
  )
  assert.equal(limited?.status, 429)
  assert.match(limited?.message ?? '', /RESOURCE_EXHAUSTED.*"retryDelay":"\d+s"/)
})

test('content that a vendor refuses is answered as Google does', async (t) => {
  const bench = await openGateway(t, { doubles: ['gemini'] })
  const { models } = clientOf(bench, (await newCustomer(bench)).key)
  const order = { model: 'test/gemini', contents: 'Hi' }
  const body = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }
  bench.doubles.gemini.always('chat', { do: 'say', status: 200, body })
  const { promptFeedback, candidates } = await models.generateContent(order)
  assert.equal(promptFeedback?.blockReason, 'SAFETY')
  assert.ok(promptFeedback?.blockReasonMessage)
  assert.equal(candidates, undefined)
})

test('addresses', async (t) => {
  const bench = await openGateway(t, { env: { ALLOWED_ORIGINS: 'https://app.example' } })
  const { key } = await newCustomer(bench)
  const ask = async (method: 'GET' | 'POST' | 'DELETE', path: string) => {
    const { status, body, headers } = await bench.call({ method, path: `/v1beta${path}`, key })
    return { ...body.error, http: status, allow: headers.allow }
  }
  const none = await ask('GET', '/nothing')
  assert.deepEqual([none.http, none.status], [404, 'NOT_FOUND'])
  assert.match((await ask('POST', '/files')).message, /Files API is not offered.*inlineData/)
  const upload = clientOf(bench, key).files.upload({
    file: new Blob(['x'], { type: 'text/plain' }),
  })
  assert.match((await failureOf(upload)).message, /Files API is not offered.*inlineData/)
  assert.match((await ask('GET', '/cachedContents/x')).message, /not offered/)
  assert.match((await ask('POST', '/models/x:batchGenerateContent')).message, /not offered/)
  assert.match((await ask('POST', '/models/test/x')).message, /generateContent, stream/)
  const deleted = await ask('DELETE', '/models/test/x')
  assert.deepEqual([deleted.http, deleted.allow], [405, 'GET, HEAD, POST'])
  assert.equal((await ask('GET', '/models/test/nobody')).status, 'NOT_FOUND')
  const headers = { origin: 'https://app.example', 'access-control-request-method': 'POST' }
  const path = '/v1beta/models/test/local:generateContent'
  const preflight = await bench.call({ method: 'OPTIONS', path, key: null, headers })
  assert.match(String(preflight.headers['access-control-allow-headers']), /X-Goog-Api-Key/)
})
