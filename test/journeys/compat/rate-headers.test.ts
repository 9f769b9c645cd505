import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newCustomer } from '../generation/setting.ts'
import { openGateway, says } from './openai/setting.ts'

const chat = { model: 'demo-text', max_tokens: 20, messages: says('Hi') }

test('where a limit is set, each API says in its own headers what is left of it', async (t) => {
  const bench = await openGateway(t, { env: { RATE_LIMIT_CHAT: '2', RATE_LIMIT: '100' } })
  for (const [path, body, [limit, remaining, reset], resetForm] of [
    [
      '/v1/chat/completions',
      chat,
      ['limit', 'remaining', 'reset'].map((name) => `x-ratelimit-${name}-requests`),
      /^[0-9]+s$/,
    ],
    [
      '/v1/messages',
      { ...chat, stream: true },
      ['limit', 'remaining', 'reset'].map((name) => `anthropic-ratelimit-requests-${name}`),
      /^20[0-9-]+T[0-9:.]+Z$/,
    ],
  ] as const) {
    const { key } = await newCustomer(bench)
    const seen = []
    for (let request = 0; request < 3; request++) {
      const answer = await bench.call({ method: 'POST', path, json: body, key })
      const { headers, status } = answer
      assert.match(String(headers[reset ?? '']), resetForm)
      seen.push([status, headers[limit ?? ''], headers[remaining ?? '']])
    }
    assert.deepEqual(seen, [
      [200, '2', '1'],
      [200, '2', '0'],
      [429, '2', '0'],
    ])
  }
})

test('where no limit is set, no answer speaks of one', async (t) => {
  const bench = await openGateway(t, { env: { RATE_LIMIT_RUN: '2' } })
  const { key } = await newCustomer(bench)
  for (const path of ['/v1/chat/completions', '/v1/messages']) {
    const { status, headers } = await bench.call({ method: 'POST', path, json: chat, key })
    assert.equal(status, 200)
    assert.deepEqual(
      Object.keys(headers).filter((name) => name.includes('ratelimit')),
      [],
    )
  }
})
