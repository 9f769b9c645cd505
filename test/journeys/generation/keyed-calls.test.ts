import assert from 'node:assert/strict'
import { test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { type Call, callServer } from '../../support/server.ts'
import { says as ask, clientOf, openGateway } from '../compat/openai/setting.ts'
import { assertFailure, attempts, chat, generate, newCustomer, says } from './setting.ts'

const model = 'test/openai'
const asking = (content: string) => ({ model, messages: [says(content)] })
const keyed = (key: string): Partial<Call> => ({ headers: { 'Idempotency-Key': key } })

test('a call with an Idempotency-Key', async (t) => {
  const bench = await openGateway(t, { doubles: ['openai', 'anthropic', 'gemini'] })
  const customer = await newCustomer(bench)
  const accepted = () => bench.doubles.openai.counts.accepted
  const mine = (call: Partial<Call>) => ({ ...call, key: customer.key })

  await t.test('is made and paid once, however many ask at the same time', async () => {
    const { openai } = bench.doubles
    const [count, arrived] = [accepted(), openai.counts.chat]
    openai.script('chat', { do: 'hold' })
    const call = mine(keyed('a hundred'))
    const answers = Array.from({ length: 100 }, () => chat(bench, asking('Once'), call))
    await openai.arrived('chat', arrived + 1)
    openai.release()
    const texts = new Set((await Promise.all(answers)).map(({ status, text }) => status + text))
    assert.equal(texts.size, 1, [...texts].join('\n'))
    const again = await chat(bench, asking('Once'), call)
    assert.deepEqual([again.status, again.headers['idempotent-replayed']], [200, 'true'])
    assert.ok(texts.has(again.status + again.text))
    assert.equal(accepted(), count + 1)
    const rows = (await attempts(bench)).filter((row) => row.account_id === customer.accountId)
    assert.equal(rows.length, 1)
  })

  await t.test('refuses the key for anything else, but not for another account', async () => {
    const call = mine(keyed('one'))
    await chat(bench, asking('One'), call)
    assertFailure(await chat(bench, asking('Two'), call), 409, 'IDEMPOTENCY_KEY_REUSED')
    const stranger = await chat(bench, asking('Two'), {
      ...call,
      key: (await newCustomer(bench)).key,
    })
    assert.deepEqual([stranger.status, stranger.headers['idempotent-replayed']], [200, undefined])
    for (const key of ['', 'ä', 'x'.repeat(129)])
      assert.equal((await chat(bench, asking('One'), mine(keyed(key)))).status, 400)
  })

  await t.test('binds no key if it was refused, and gives a paid failure again', async () => {
    const { openai } = bench.doubles
    openai.script('chat', { do: 'refuse', status: 429 }, { do: 'cut', when: 'after-accepting' })
    const busy = await chat(bench, asking('Busy'), mine(keyed('busy')))
    assert.equal(busy.status, 503, busy.text)
    const cut = await chat(bench, asking('Busy'), mine(keyed('busy')))
    assert.equal(cut.status, 502, cut.text)
    const count = accepted()
    const again = await chat(bench, asking('Busy'), mine(keyed('busy')))
    assert.deepEqual([again.status, again.text], [cut.status, cut.text])
    assert.equal(accepted(), count)
  })

  await t.test('makes one task of an image, whose answer is given again', async () => {
    const order = { model: 'openai/gpt-image-2', messages: [says('A blue door')] }
    const first = await generate(bench, 'image', order, mine(keyed('door')))
    const again = await generate(bench, 'image', order, mine(keyed('door')))
    assert.equal(first.status, 200, first.text)
    assert.deepEqual([again.status, again.text], [first.status, first.text])
  })

  await t.test("is replayed as a stream by OpenAI's and Anthropic's own clients", async () => {
    const headers = { 'Idempotency-Key': 'streamed' }
    const { completions } = clientOf(bench, customer.key).chat
    const body = { model, messages: ask('Hello'), stream: true as const }
    const read = async () => Array.fromAsync(await completions.create(body, { headers }))
    const [first, count] = [await read(), accepted()]
    assert.deepEqual(await read(), first)
    assert.equal(accepted(), count)
    const anthropic = new Anthropic({ baseURL: bench.url, apiKey: customer.key })
    const told = { 'Idempotency-Key': 'message' }
    const message = { model: 'test/anthropic', max_tokens: 99, messages: ask('Hello') }
    const heard = () => anthropic.messages.stream(message, { headers: told }).finalMessage()
    assert.deepEqual(await heard(), await heard())
    assert.equal(bench.doubles.anthropic.counts.accepted, 1)
    const path = '/v1beta/models/test/gemini:streamGenerateContent?alt=sse'
    const json = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }
    const said = () =>
      callServer(bench.url, customer.key, { method: 'POST', path, json, ...keyed('gemini') })
    const [one, two] = [await said(), await said()]
    assert.equal(one.status, 200, one.text)
    assert.equal(two.text, one.text)
    assert.equal(bench.doubles.gemini.counts.accepted, 1)
  })

  await t.test('goes on if its caller leaves, who then gets the whole of it', async () => {
    const { openai } = bench.doubles
    const { completions } = clientOf(bench, customer.key).chat
    const headers = { 'Idempotency-Key': 'left' }
    const body = { model, messages: ask('Stay'), stream: true as const }
    openai.script('chat', { do: 'break', after: 2, by: 'hold' })
    const stream = await completions.create(body, { headers })
    for await (const _ of stream) break
    stream.controller.abort()
    openai.release()
    const count = accepted()
    const chunks = await Array.fromAsync(await completions.create(body, { headers }))
    assert.equal(
      chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''),
      'You said: Stay',
    )
    assert.equal(accepted(), count)
  })

  await t.test('stores nothing if it names no key', async () => {
    const count = async () => {
      const [row] = await bench.db.query<{ n: number }>('select count(*) as n from kept_answers')
      return Number(row?.n)
    }
    const before = await count()
    await chat(bench, asking('Plain'), mine({}))
    assert.equal(await count(), before)
  })
})
