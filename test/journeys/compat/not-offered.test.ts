import assert from 'node:assert/strict'
import { test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { notOfferedOfAnthropic, notOfferedOfOpenAi } from '#compat/not-offered.ts'
import { newCustomer } from '../generation/setting.ts'
import { clientOf, openGateway } from './openai/setting.ts'

test('what is not offered says so to the client that asks for it, and what to use instead', async (t) => {
  const bench = await openGateway(t)
  const { key } = await newCustomer(bench)
  const openai = clientOf(bench, key)
  const anthropic = new Anthropic({ baseURL: bench.url, apiKey: key })
  const refused: [() => Promise<unknown>, RegExp][] = [
    [() => openai.batches.list(), /Batches are not offered: send the requests one by one/],
    [() => openai.files.retrieve('file_1'), /Files API is not offered/],
    [() => openai.moderations.create({ input: 'x' }), /Moderation is not offered/],
    [() => openai.completions.create({ model: 'm', prompt: 'x' }), /chat\/completions/],
    [() => openai.chat.completions.retrieve('chatcmpl-1'), /not kept/],
  ]
  for (const [call, sentence] of refused) {
    const error = await call().catch((thrown) => thrown)
    assert.ok(error instanceof OpenAI.NotFoundError, String(error))
    assert.match(error.message, sentence)
    assert.deepEqual([error.code, error.type], ['ROUTE_NOT_FOUND', 'invalid_request_error'])
  }
  for (const [call, sentence] of [
    [() => anthropic.messages.batches.list(), /Batches are not offered/],
    [() => anthropic.beta.files.list(), /Files API is not offered/],
    [() => anthropic.get('/v1/sessions/s/events'), /Hosted agents are not offered/],
  ] as const) {
    const error = await Promise.resolve(call()).catch((thrown) => thrown)
    assert.ok(error instanceof Anthropic.NotFoundError, String(error))
    assert.match(error.message, sentence)
    assert.equal(error.type, 'not_found_error')
  }
})

test('each of them has its sentence, at its address and below it', async (t) => {
  const bench = await openGateway(t)
  const seen = async (path: string, headers: Record<string, string>) => {
    const { status, body } = await bench.call({ method: 'POST', path: `/v1${path}`, headers })
    return [status, body.error.message]
  }
  for (const [table, headers] of [
    [notOfferedOfOpenAi, {}],
    [notOfferedOfAnthropic, { 'anthropic-version': '2023-06-01' }],
  ] as const)
    for (const [path, sentence] of Object.entries(table)) {
      const own = path.endsWith('/*') ? [] : [path]
      for (const at of [...own, `${path.replace('/*', '')}/x`, `${path.replace('/*', '')}/x/y`])
        assert.deepEqual(await seen(at, headers), [404, sentence], at)
    }
  // Only Anthropic has it, so whoever asks is a client of theirs.
  const { body } = await bench.call('/v1/user_profiles/x')
  assert.deepEqual([body.type, body.error.type], ['error', 'not_found_error'])
})

test('models and unknown addresses are in the form of whoever asks', async (t) => {
  const bench = await openGateway(t)
  const { key } = await newCustomer(bench)
  const anthropic = new Anthropic({ baseURL: bench.url, apiKey: key })
  assert.equal((await anthropic.models.retrieve('demo-text')).type, 'model')
  const unknown = await anthropic.models.retrieve('nobody/nothing').catch((thrown) => thrown)
  assert.ok(unknown instanceof Anthropic.NotFoundError, String(unknown))
  assert.equal(unknown.type, 'not_found_error')
  assert.equal((await clientOf(bench, key).models.retrieve('demo-text')).object, 'model')
  const formAt = async (method: 'GET' | 'POST', path: string, headers = {}) => {
    const { status, body } = await bench.call({ method, path, key, headers })
    return [status, body.type === 'error' ? body.error.type : `openai ${body.error.code}`]
  }
  assert.deepEqual(await formAt('GET', '/v1/nothing'), [404, 'openai ROUTE_NOT_FOUND'])
  assert.deepEqual(await formAt('POST', '/v1/messages/nothing'), [404, 'not_found_error'])
  assert.deepEqual(await formAt('GET', '/v1/messages'), [405, 'not_found_error'])
  const version = { 'anthropic-version': '2023-06-01' }
  assert.deepEqual(await formAt('GET', '/v1/nothing', version), [404, 'not_found_error'])
})
