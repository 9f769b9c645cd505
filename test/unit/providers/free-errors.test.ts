import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readMessage } from '#providers/anthropic/response.ts'
import { readChat } from '#providers/openai/response.ts'
import { readResponse } from '#providers/openai/responses-answer.ts'
import { responseStream } from '#providers/openai/responses-stream.ts'
import { ProviderError } from '#providers/provider.ts'

const upstream = { name: 'vendor', redact: (text: string) => text }
const answer = (status: number, json: object) => ({
  status,
  headers: {},
  body: Buffer.from(JSON.stringify(json)),
})
const error = { message: 'broken', type: 'server_error' }
const usage = { input_tokens: 5, output_tokens: 5, total_tokens: 10 }
const failed = { object: 'response', id: 'r', status: 'failed', output: [], error }

function isFree(read: () => unknown): boolean {
  try {
    read()
  } catch (thrown) {
    if (thrown instanceof ProviderError) return thrown.isFree
    throw thrown
  }
  throw new Error('it did not fail')
}

describe('an error in place of an answer', () => {
  const freeAt = (status: number) => [
    isFree(() => readChat(upstream, answer(status, { error }))),
    isFree(() => readMessage(upstream, answer(status, { type: 'error', error }))),
  ]

  test('is free', () => {
    for (const status of [400, 429, 500, 502, 503, 529])
      assert.deepEqual(freeAt(status), [true, true])
    assert.ok(isFree(() => readChat(upstream, answer(200, { error }))))
    assert.ok(isFree(() => readResponse(upstream, answer(200, failed))))
  })

  test('is not free if somebody only stopped waiting, or sent no error at all', () => {
    for (const status of [307, 408, 499, 504, 524])
      assert.deepEqual(freeAt(status), [false, false], `status ${status}`)
    assert.ok(!isFree(() => readChat(upstream, answer(200, { other: 'shape' }))))
  })

  test('is not free if it reports usage', () => {
    assert.ok(!isFree(() => readChat(upstream, answer(200, { error, usage }))))
    assert.ok(!isFree(() => readResponse(upstream, answer(200, { ...failed, usage }))))
    const streamed = (response: object) =>
      isFree(() =>
        responseStream(upstream, answer(200, {})).read({ type: 'response.failed', response }, ''),
      )
    assert.deepEqual([streamed(failed), streamed({ ...failed, usage })], [true, false])
  })
})
