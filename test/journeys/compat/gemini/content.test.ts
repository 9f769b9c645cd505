import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Content, FunctionCallingConfigMode, type Part, Type } from '@google/genai'
import { databases } from '../../../support/databases.ts'
import { png } from '../../../support/samples.ts'
import { attempts, eventually, newCustomer } from '../../generation/setting.ts'
import { openGateway } from '../openai/setting.ts'
import { clientOf } from './setting.ts'

const providers = ['openai', 'local', 'anthropic', 'gemini'] as const
const doubleOf = (provider: (typeof providers)[number]) =>
  provider === 'local' ? 'openai' : provider

const functionDeclarations = [
  {
    name: 'get_weather',
    description: 'Weather',
    parameters: { type: Type.OBJECT, properties: { words: { type: Type.STRING, nullable: true } } },
  },
]
const tools = [{ functionDeclarations }]

for (const { name: database } of databases) {
  describe(`content on ${database}`, () => {
    for (const provider of providers) {
      const model = `test/${provider}`
      test(`from ${provider}, whole and streamed, is paid`, async (t) => {
        const bench = await openGateway(t, { doubles: [doubleOf(provider)], database })
        const { key, accountId } = await newCustomer(bench)
        const { models } = clientOf(bench, key)
        const config = { systemInstruction: 'Be brief.', maxOutputTokens: 100 }
        const order = { model, contents: 'Hello', config }
        const whole = await models.generateContent(order)
        assert.equal(whole.text, 'You said: Hello')
        assert.equal(whole.candidates?.[0]?.finishReason, 'STOP')
        assert.equal(whole.modelVersion, model)
        const { usageMetadata: usage } = whole
        const written = (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0)
        assert.deepEqual([usage?.promptTokenCount, usage?.cachedContentTokenCount], [21, 5])
        assert.deepEqual([written, usage?.totalTokenCount], [8, 29])
        const pieces = await Array.fromAsync(await models.generateContentStream(order))
        assert.equal(pieces.map(({ text }) => text ?? '').join(''), 'You said: Hello')
        assert.ok(pieces.length > 2)
        const last = pieces.at(-1)
        assert.equal(last?.candidates?.[0]?.finishReason, 'STOP')
        assert.equal(last?.usageMetadata?.totalTokenCount, 29)
        const own = await eventually(
          async () => (await attempts(bench)).filter((row) => row.account_id === accountId),
          (rows) => rows.length === 2 && rows.every(({ outcome }) => outcome === 'SUCCEEDED'),
        )
        const ids = own.map(({ attempt }) => attempt)
        assert.deepEqual(ids.sort(), [whole.responseId, last?.responseId].sort())
      })
    }
  })
}

for (const provider of providers) {
  const model = `test/${provider}`
  test(`a function is asked for by ${provider} and answered, whole and streamed`, async (t) => {
    const bench = await openGateway(t, { doubles: [doubleOf(provider)] })
    const { chats } = clientOf(bench, (await newCustomer(bench)).key)
    for (const isStreamed of [false, true]) {
      const chat = chats.create({ model, config: { tools } })
      const asked = isStreamed
        ? (await Array.fromAsync(await chat.sendMessageStream({ message: 'Paris' }))).at(-1)
        : await chat.sendMessage({ message: 'Paris' })
      const [call] = asked?.functionCalls ?? []
      assert.deepEqual([call?.name, call?.args], ['get_weather', { words: 'Paris' }])
      assert.ok(call?.id)
      const functionResponse = { id: call.id, name: 'get_weather', response: { result: 'rain' } }
      const last = await chat.sendMessage({ message: [{ functionResponse }] })
      assert.match(last.text ?? '', /rain/)
    }
    if (provider === 'gemini') {
      const sent = JSON.stringify(bench.doubles.gemini.requests.at(-1)?.body)
      assert.match(sent, /"thoughtSignature":"signed-by-double"/)
    }
  })
}

test('thoughts are shown to those who ask for them', async (t) => {
  const bench = await openGateway(t, { doubles: ['gemini'] })
  const { models } = clientOf(bench, (await newCustomer(bench)).key)
  const ask = async (includeThoughts: boolean) => {
    const config = { thinkingConfig: { includeThoughts } }
    const order = { model: 'test/gemini', contents: 'Hello', config }
    const { candidates } = await models.generateContent(order)
    const pieces = await Array.fromAsync(await models.generateContentStream(order))
    const streamed = pieces.flatMap((piece) => piece.candidates?.[0]?.content?.parts ?? [])
    const isThought = ({ thought }: Part) => thought === true
    return [candidates?.[0]?.content?.parts ?? [], streamed].map(
      (parts) => parts.find(isThought)?.text,
    )
  }
  assert.deepEqual(await ask(true), ['Let me think.', 'Let me think.'])
  assert.deepEqual(await ask(false), [undefined, undefined])
})

test('thoughts of another vendor go back to it, whole and streamed', async (t) => {
  const bench = await openGateway(t, { doubles: ['anthropic'] })
  const { chats } = clientOf(bench, (await newCustomer(bench)).key)
  for (const isStreamed of [false, true]) {
    const config = { tools, thinkingConfig: { includeThoughts: true }, topP: 0.95, topK: 64 }
    const chat = chats.create({ model: 'test/anthropic', config })
    if (isStreamed) await Array.fromAsync(await chat.sendMessageStream({ message: 'Paris' }))
    else await chat.sendMessage({ message: 'Paris' })
    const said = chat.getHistory().flatMap(({ parts = [] }) => parts)
    const { thoughtSignature } = said.find(({ functionCall }) => functionCall) ?? {}
    // Google's field is bytes, and clients in other languages decode it.
    assert.match(thoughtSignature ?? '', /^[A-Za-z0-9+/]+=*$/)
    const functionResponse = { name: 'get_weather', response: { output: 'rain' } }
    await chat.sendMessage({ message: [{ functionResponse }] })
    const sent = JSON.stringify(bench.doubles.anthropic.requests.at(-1)?.body)
    assert.match(
      sent,
      /"type":"thinking","thinking":"Let me think.","signature":"c2lnbmVkIGJ5IHRoZSBkb3VibGU="/,
    )
  }
})

test('what a request holds and how it is to be answered reaches the provider', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'] })
  const { models } = clientOf(bench, (await newCustomer(bench)).key)
  const data = png({ width: 4, height: 4 }).toString('base64')
  await models.generateContent({
    model: 'test/local',
    contents: [{ text: 'What is it?' }, { inlineData: { mimeType: 'image/png', data } }],
    config: {
      maxOutputTokens: 50,
      stopSequences: ['END'],
      temperature: 0.5,
      topP: 0.5,
      topK: 64,
      frequencyPenalty: 1,
      tools,
      toolConfig: {
        functionCallingConfig: {
          mode: FunctionCallingConfigMode.ANY,
          allowedFunctionNames: ['get_weather'],
        },
      },
    },
  })
  const sent = bench.doubles.openai.requests.at(-1)?.body as Record<string, unknown>
  assert.match(JSON.stringify(sent.messages), /data:image\/png;base64/)
  assert.deepEqual([sent.max_tokens, sent.stop], [50, ['END']])
  assert.deepEqual([sent.temperature, sent.top_p, sent.frequency_penalty], [0.5, 0.5, 1])
  assert.deepEqual(sent.tool_choice, { type: 'function', function: { name: 'get_weather' } })
  const parameters = { type: 'object', properties: { words: { type: ['string', 'null'] } } }
  const declared = { name: 'get_weather', description: 'Weather', parameters }
  assert.deepEqual(sent.tools, [{ type: 'function', function: declared }])
})

test('a PDF and the pictures of a result go to models that read them', async (t) => {
  const capabilities = { inputModalities: ['text', 'image'], documents: true }
  const providerModel = 'reads'
  const model = { id: 'test/reads', provider: 'gemini', providerModel, kind: 'TEXT', capabilities }
  const blind = { id: 'test/blind', provider: 'local', kind: 'TEXT' }
  const bench = await openGateway(t, {
    doubles: ['gemini', 'openai'],
    models: { models: [model, blind] },
  })
  const { models } = clientOf(bench, (await newCustomer(bench)).key)
  const pdf = Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n%%EOF\n').toString('base64')
  const picture = png({ width: 4, height: 4 }).toString('base64')
  const inlineData = { mimeType: 'image/png', data: picture }
  const contents: Content[] = [
    {
      role: 'user',
      parts: [{ text: 'Read.' }, { inlineData: { mimeType: 'application/pdf', data: pdf } }],
    },
    { role: 'model', parts: [{ functionCall: { name: 'look', args: {} } }] },
    {
      role: 'user',
      parts: [{ functionResponse: { name: 'look', response: { output: 'see' } } }, { inlineData }],
    },
  ]
  await models.generateContent({ model: 'test/reads', contents })
  const sent = JSON.stringify(bench.doubles.gemini.requests.at(-1)?.body)
  assert.match(sent, /"mimeType":"application\/pdf"/)
  assert.match(sent, /"functionResponse":.*"parts":\[\{"inlineData":\{"mimeType":"image\/png"/)
  await models.generateContent({ model: 'test/blind', contents: contents.slice(1) })
  const seen = JSON.stringify(bench.doubles.openai.requests.at(-1)?.body)
  assert.match(seen, /see.*A picture is here, which this model cannot see/)
})

test('an answer matches the schema that was asked for', async (t) => {
  const capabilities = { inputModalities: ['text'], structuredOutput: true }
  const model = { id: 'test/strict', provider: 'local', kind: 'TEXT', capabilities }
  const bench = await openGateway(t, { doubles: ['openai'], models: { models: [model] } })
  const { models } = clientOf(bench, (await newCustomer(bench)).key)
  await models.generateContent({
    model: 'test/strict',
    contents: 'A city',
    config: {
      responseMimeType: 'application/json',
      responseSchema: {
        type: Type.OBJECT,
        properties: { city: { type: Type.STRING }, size: { type: Type.INTEGER, format: 'int32' } },
        required: ['city', 'size'],
        propertyOrdering: ['city', 'size'],
      },
    },
  })
  const sent = bench.doubles.openai.requests.at(-1)?.body as { response_format: object }
  const schema = {
    type: 'object',
    properties: { city: { type: 'string' }, size: { type: 'integer' } },
    required: ['city', 'size'],
    additionalProperties: false,
  }
  assert.deepEqual(sent.response_format, {
    type: 'json_schema',
    json_schema: { name: 'answer', schema, strict: true },
  })
})
