import assert from 'node:assert/strict'
import { test } from 'node:test'
import OpenAI from 'openai'
import { png } from '../../../support/samples.ts'
import { attempts, newCustomer } from '../../generation/setting.ts'
import { clientOf, failureOf, openGateway, says } from './setting.ts'

test('the official client, pointed at this server', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai'] })
  const { key } = await newCustomer(bench)
  const client = clientOf(bench, key)
  const { completions } = client.chat

  await t.test('lists the models it can use, and finds each by its name', async () => {
    const { data } = await client.models.list()
    assert.ok(data.some(({ id }) => id === 'demo-text'))
    assert.ok(data.some(({ id }) => id === 'demo-image'))
    assert.ok(data.every(({ id }) => id !== 'demo-video'))
    assert.equal((await client.models.retrieve('test/local')).owned_by, 'local')
    const slashed = await bench.call({ path: '/v1/models/test/local', key })
    assert.equal(slashed.body.id, 'test/local')
    for (const id of ['nobody', 'demo-video']) {
      const { error, code } = await failureOf(client.models.retrieve(id))
      assert.ok(error instanceof OpenAI.NotFoundError)
      assert.equal(code, 'MODEL_NOT_FOUND')
    }
  })

  await t.test('gets a whole answer with its usage', async () => {
    const answer = await completions.create({
      model: 'test/local',
      messages: [{ role: 'developer', content: 'Be brief.' }, ...says('Hello')],
      temperature: 0.5,
      max_tokens: 50,
      user: 'ada',
      metadata: { run: '7' },
      n: 1,
      seed: 3,
    })
    assert.match(answer.id, /^chatcmpl-/)
    assert.equal(answer.object, 'chat.completion')
    assert.equal(answer.model, 'test/local')
    assert.deepEqual(answer.choices, [
      {
        index: 0,
        message: { role: 'assistant', content: 'You said: Hello', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ])
    assert.equal(answer.usage?.total_tokens, 29)
    const sent = bench.doubles.openai.requests.at(-1)?.body as Record<string, unknown>
    assert.deepEqual(sent.messages, [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
    ])
    assert.deepEqual([sent.temperature, sent.max_tokens], [0.5, 50])
    assert.equal(`chatcmpl-${(await attempts(bench)).at(-1)?.attempt}`, answer.id)
  })

  await t.test(
    'says where to stop and what to choose from, and the provider hears it',
    async () => {
      await completions.create({
        model: 'test/local',
        messages: says('Hello'),
        stop: 'END',
        top_p: 0.5,
      })
      const sent = bench.doubles.openai.requests.at(-1)?.body as Record<string, unknown>
      assert.deepEqual([sent.stop, sent.top_p], [['END'], 0.5])
    },
  )

  await t.test('sends pictures and asks for JSON', async () => {
    const url = `data:image/png;base64,${png({ width: 4, height: 4 }).toString('base64')}`
    await completions.create({
      model: 'test/local',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url, detail: 'low' } },
          ],
        },
      ],
      response_format: { type: 'json_object' },
    })
    const sent = bench.doubles.openai.requests.at(-1)?.body as Record<string, unknown>
    assert.deepEqual(sent.response_format, { type: 'json_object' })
    assert.match(JSON.stringify(sent.messages), /data:image\/png;base64/)
  })

  await t.test('sends pictures that have more than 10 MiB together', async () => {
    const picture = Buffer.concat([png({ width: 4, height: 4 }), Buffer.alloc(6 * 1024 * 1024)])
    const image_url = { url: `data:image/png;base64,${picture.toString('base64')}` }
    const part = { type: 'image_url' as const, image_url }
    bench.doubles.openai.script('chat', { do: 'refuse', status: 400, message: 'seen' })
    const messages = [{ role: 'user' as const, content: [part, part] }]
    await assert.rejects(completions.create({ model: 'test/local', messages }), /seen/)
    const sent = bench.doubles.openai.requests.pop()?.body as { messages: typeof messages }
    assert.deepEqual(
      sent.messages[0]?.content.map(({ image_url: { url } }) => url.length),
      [image_url.url.length, image_url.url.length],
    )
  })

  await t.test('is told by its own kinds of error what was wrong', async () => {
    const create = (extra: object) =>
      completions.create({ model: 'test/local', messages: says('Hi'), ...extra } as never)
    const count = bench.doubles.openai.counts.chat
    const bad: [object, number, string, string][] = [
      [{ model: 'nobody' }, 404, 'MODEL_NOT_FOUND', 'model'],
      [{ model: 'demo-image' }, 400, 'MODEL_KIND_MISMATCH', 'model'],
      [{ model: 'demo-text', n: 2, stream: true }, 400, 'INVALID_REQUEST', 'n'],
      [{ n: 0 }, 400, 'INVALID_REQUEST', 'n'],
      [{ top_logprobs: 2 }, 400, 'INVALID_REQUEST', 'top_logprobs'],
      [{ logprobs: true, top_logprobs: 21 }, 400, 'INVALID_REQUEST', 'top_logprobs'],
      [{ frequency_penalty: 3 }, 400, 'INVALID_REQUEST', 'frequency_penalty'],
      [{ logit_bias: { a: 1 } }, 400, 'INVALID_REQUEST', 'logit_bias'],
      [{ verbosity: 'loud' }, 400, 'INVALID_REQUEST', 'verbosity'],
      [{ functions: [] }, 400, 'UNSUPPORTED_PARAMETER', 'functions'],
      [{ temperature: 3 }, 400, 'UNSUPPORTED_PARAMETER', 'temperature'],
      [{ temperature: 'hot' }, 400, 'INVALID_REQUEST', 'temperature'],
      [{ top_p: 2 }, 400, 'INVALID_REQUEST', 'top_p'],
      [{ stop: ['1', '2', '3', '4', '5'] }, 400, 'INVALID_REQUEST', 'stop'],
      [{ messages: [] }, 400, 'INVALID_REQUEST', 'messages'],
      [{ messages: [{ role: 'king', content: '' }] }, 400, 'INVALID_REQUEST', 'messages[0].role'],
      [{ tool_choice: 'required' }, 400, 'INVALID_REQUEST', 'tool_choice'],
      [{ stream_options: {} }, 400, 'INVALID_REQUEST', 'stream_options'],
    ]
    for (const [extra, status, code, param] of bad) {
      const failed = await failureOf(create(extra))
      assert.deepEqual(
        [failed.status, failed.code, failed.type, failed.param],
        [status, code, 'invalid_request_error', param],
      )
      assert.ok(failed.error.requestID)
    }
    assert.equal(bench.doubles.openai.counts.chat, count)
  })

  await t.test('meets its own error form at every address under /v1', async () => {
    const wrong = await bench.call({ method: 'DELETE', path: '/v1/models', key })
    assert.deepEqual([wrong.status, wrong.body.error.code], [405, 'METHOD_NOT_ALLOWED'])
    assert.equal(wrong.headers.allow, 'GET, HEAD')
    const nothing = await bench.call({ method: 'POST', path: '/v1/batches', json: {}, key })
    assert.deepEqual([nothing.status, nothing.body.error.code], [404, 'ROUTE_NOT_FOUND'])
    const junk = await bench.call({
      method: 'POST',
      path: '/v1/chat/completions',
      body: '{"model":',
      headers: { 'content-type': 'application/json' },
      key,
    })
    assert.deepEqual([junk.status, junk.body.error.code], [400, 'INVALID_JSON'])
  })
})

test('credentials and limits hold here as they do there', async (t) => {
  const env = { RATE_LIMIT_CHAT: '3' }
  const bench = await openGateway(t, { doubles: ['openai'], env })
  const chat = (key: string, stream = false) =>
    clientOf(bench, key)
      .withOptions({ maxRetries: 0 })
      .chat.completions.create({ model: 'test/local', messages: says('Hi'), stream })

  await t.test('a credential that is none is refused', async () => {
    const { error, code } = await failureOf(chat('sk_nobody'))
    assert.ok(error instanceof OpenAI.AuthenticationError)
    assert.equal(code, 'INVALID_CREDENTIAL')
  })

  await t.test('a key needs the scope of what it does', async () => {
    const { key } = await newCustomer(bench, { scopes: ['models:read'] })
    await clientOf(bench, key).models.list()
    const { error, code } = await failureOf(chat(key))
    assert.ok(error instanceof OpenAI.PermissionDeniedError)
    assert.equal(code, 'INSUFFICIENT_SCOPE')
    const writer = await newCustomer(bench, { scopes: ['chat:write'] })
    assert.equal((await failureOf(clientOf(bench, writer.key).models.list())).status, 403)
  })

  await t.test('what passes the spend limit is not begun, streamed or not', async () => {
    const { key, accountId } = await newCustomer(bench, { spendLimit: 0.000001 })
    for (const stream of [false, true]) {
      const { status, code, type } = await failureOf(chat(key, stream))
      assert.deepEqual([status, code, type], [403, 'SPEND_LIMIT_REACHED', 'insufficient_quota'])
    }
    const own = (await attempts(bench)).filter((row) => row.account_id === accountId)
    assert.equal(own.length, 0)
  })

  await t.test('chats are counted together with those of the native API', async () => {
    const { key } = await newCustomer(bench)
    const native = { model: 'test/local', messages: says('Hi') }
    for (let i = 0; i < 2; i++) {
      const path = '/api/ai-tools/v1/chat/completions'
      assert.equal((await bench.call({ method: 'POST', path, json: native, key })).status, 200)
    }
    await chat(key)
    const { error, code } = await failureOf(chat(key))
    assert.ok(error instanceof OpenAI.RateLimitError)
    assert.equal(code, 'RATE_LIMITED')
    assert.ok(Number(error.headers?.get('retry-after')) >= 1)
  })
})
