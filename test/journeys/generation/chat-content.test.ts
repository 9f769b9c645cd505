import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Double } from '../../support/provider-doubles/double-state.ts'
import { png } from '../../support/provider-doubles/media.ts'
import { startHost } from './host.ts'
import { assertFailure, attempts, chat, openBench, says, testModels } from './setting.ts'

const openai = { doubles: ['openai'], models: testModels } as const
const model = 'test/text'

/** The body of the last call at the provider. */
const asked = (double: Double) => double.requests.at(-1)?.body as Record<string, unknown>

const dataUrl = `data:image/png;base64,${png.toString('base64')}`
const imagePart = (url: string) => ({ type: 'image_url', image_url: { url } })

describe('what a chat says to the provider', () => {
  test('is the system prompt first, then the messages in order, with the parameters', async (t) => {
    const bench = await openBench(t, openai)
    const answer = await chat(bench, {
      model,
      systemPrompt: 'Be brief.',
      messages: [says('Be kind.', 'system'), says('Hello'), says('Hi', 'assistant'), says('Bye')],
      temperature: 0.5,
      maxTokens: 100,
    })
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(asked(bench.doubles.openai), {
      model: 'test/text',
      messages: [
        says('Be brief.', 'system'),
        says('Be kind.', 'system'),
        says('Hello'),
        says('Hi', 'assistant'),
        says('Bye'),
      ],
      temperature: 0.5,
      max_tokens: 100,
    })
  })

  test('keeps text parts and sends pictures given as data URLs', async (t) => {
    const bench = await openBench(t, openai)
    const parts = [{ type: 'text', text: 'What is this?' }, imagePart(dataUrl)]
    const answer = await chat(bench, { model, messages: [says(parts)] })
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(asked(bench.doubles.openai).messages, [says(parts)])
  })

  test('fetches a picture through the outbound gateway and sends its bytes', async (t) => {
    const host = await startHost(t, (_, response) => response.end(png))
    const bench = await openBench(t, { ...openai, env: { OUTBOUND_ALLOW: '127.0.0.1/32' } })
    const answer = await chat(bench, { model, messages: [says([imagePart(`${host.url}/a.png`)])] })
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(asked(bench.doubles.openai).messages, [says([imagePart(dataUrl)])])
    assert.equal(host.requests.length, 1)
  })

  test('is at most a hundred pictures; more are refused before any is fetched', async (t) => {
    const host = await startHost(t, (_, response) => response.end(png))
    const bench = await openBench(t, { ...openai, env: { OUTBOUND_ALLOW: '127.0.0.1/32' } })
    const pictures = Array.from({ length: 101 }, (_, i) => imagePart(`${host.url}/${i}.png`))
    const messages = [says(pictures.slice(0, 50)), says(pictures.slice(50))]
    const refused = await chat(bench, { model, messages })
    assertFailure(refused, 400, 'INVALID_REQUEST')
    assert.match(refused.body.error.message, /more than 100/)
    assert.deepEqual([host.requests.length, bench.doubles.openai.requests.length], [0, 0])
    const taken = await chat(bench, { model, messages: [says(pictures.slice(1))] })
    assert.equal(taken.status, 200, taken.text)
    assert.equal(host.requests.length, 100)
  })

  test('never fetches a private address, and does not call the provider', async (t) => {
    const host = await startHost(t, (_, response) => response.end(png))
    const bench = await openBench(t, openai)
    for (const url of [
      `${host.url}/a.png`,
      'http://169.254.169.254/latest',
      'file:///etc/passwd',
    ]) {
      const answer = await chat(bench, { model, messages: [says([imagePart(url)])] })
      assert.equal(
        assertFailure(answer, 400, 'INVALID_REQUEST').details.issues[0].rule,
        'image_url',
      )
    }
    assert.equal(host.requests.length, 0)
    assert.equal(bench.doubles.openai.requests.length, 0)
    assert.deepEqual(await attempts(bench), [])
  })

  test('is refused if a picture is not one', async (t) => {
    const host = await startHost(t, (request, response) => {
      response.statusCode = request.url === '/missing' ? 404 : 200
      response.end('<html></html>')
    })
    const bench = await openBench(t, { ...openai, env: { OUTBOUND_ALLOW: '127.0.0.1/32' } })
    const urls = [
      `${host.url}/missing`,
      `${host.url}/page`,
      'data:image/png;base64,AAAA',
      'data:image/png;base64,%%%',
    ]
    for (const url of urls) {
      const answer = await chat(bench, { model, messages: [says([imagePart(url)])] })
      assertFailure(answer, 400, 'INVALID_REQUEST')
    }
    assert.equal(bench.doubles.openai.requests.length, 0)
  })

  test('turns any other JSON into its JSON text', async (t) => {
    const bench = await openBench(t, openai)
    const contents: unknown[] = [
      42,
      null,
      true,
      [],
      {},
      { question: 'why?', nested: [1, { a: null }] },
      ['a', 'b'],
      [{ type: 'text', text: 'known' }, { type: 'audio' }],
      [{ type: 'image_url', image_url: 'not an object' }],
    ]
    for (const content of contents) {
      const answer = await chat(bench, { model, messages: [says(content)] })
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(asked(bench.doubles.openai).messages, [says(JSON.stringify(content))])
    }
  })

  test('passes on an empty text like any other: whether it is enough is for the model to say', async (t) => {
    const bench = await openBench(t, openai)
    for (const messages of [
      [says('')],
      [says('Hi'), { role: 'assistant', content: ' \n' }],
      [{ role: 'system', content: 'Be brief.' }, says('')],
    ]) {
      const answer = await chat(bench, { model, messages })
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(asked(bench.doubles.openai).messages, messages)
    }
    const demo = await chat(bench, { model: 'demo-text', messages: [says('')] })
    assert.equal(demo.status, 200, demo.text)
  })

  test('reaches Anthropic and Gemini in their own forms', async (t) => {
    const bench = await openBench(t, { doubles: ['anthropic', 'gemini'] })
    const words = { systemPrompt: 'Be brief.', messages: [says({ a: 1 })] }
    const claude = await chat(bench, { model: 'anthropic/claude-haiku-5-5', ...words })
    assert.equal(claude.status, 200, claude.text)
    assert.equal(claude.body.data.content, 'You said: {"a":1}')
    assert.equal(asked(bench.doubles.anthropic).system, 'Be brief.')
    const gemini = await chat(bench, { model: 'gemini/gemini-3.8-flash', ...words })
    assert.equal(gemini.status, 200, gemini.text)
    assert.equal(gemini.body.data.content, 'You said: {"a":1}')
    assert.deepEqual(asked(bench.doubles.gemini).systemInstruction, {
      parts: [{ text: 'Be brief.' }],
    })
  })
})

describe('a completion', () => {
  test('carries the text, the usage the provider counted, and its price', async (t) => {
    const bench = await openBench(t, openai)
    const answer = await chat(bench, { model, messages: [says('Hello')] })
    const { id, createdAt, ...completion } = answer.body.data
    assert.deepEqual(answer.body.success, true)
    assert.deepEqual(completion, {
      model,
      content: 'You said: Hello',
      finishReason: 'stop',
      usage: { inputTokens: 21, outputTokens: 8, totalTokens: 29 },
      usageDetails: { cachedInputTokens: 5 },
      cost: { amount: (21 * 2 + 8 * 8) / 1_000_000, currency: 'USD' },
    })
    assert.match(id, /^[0-9a-f-]{36}$/)
    assert.equal(new Date(createdAt).toISOString(), createdAt)
  })

  test('of a model without a known price has no cost, rather than none to pay', async (t) => {
    const models = { models: [{ id: 'mystery', provider: 'local', kind: 'CODE' }] }
    const bench = await openBench(t, { doubles: ['openai'], models })
    const answer = await chat(bench, { model: 'mystery', messages: [says('Hello')] })
    assert.equal(answer.body.data.cost, null)
    const listed = await bench.call('/api/ai-tools/v1/models')
    const { pricing } = listed.body.data.items.find((one: { id: string }) => one.id === 'mystery')
    assert.equal(pricing, null)
    const [attempt] = await attempts(bench)
    assert.deepEqual([attempt?.outcome, attempt?.cost_micros], ['SUCCEEDED', null])
  })

  test('that was cut off or withheld says so', async (t) => {
    const bench = await openBench(t, openai)
    const { openai: double } = bench.doubles
    const finished = (message: object, finish_reason: string) => ({
      id: 'x',
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
      usage: { prompt_tokens: 1, completion_tokens: 1 },
    })
    const body = { model, messages: [says('Hello')] }
    double.script(
      'chat',
      { do: 'say', status: 200, body: finished({ content: 'Once upon' }, 'length') },
      { do: 'say', status: 200, body: finished({ content: null, refusal: 'No.' }, 'stop') },
    )
    const cut = (await chat(bench, body)).body.data
    assert.deepEqual([cut.content, cut.finishReason], ['Once upon', 'length'])
    const { message } = assertFailure(await chat(bench, body), 400, 'CONTENT_REJECTED')
    assert.match(message, /No\./)
  })
})
