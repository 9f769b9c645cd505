import assert from 'node:assert/strict'
import { test } from 'node:test'
import OpenAI from 'openai'
import { newCustomer } from '../../generation/setting.ts'
import { openGateway, says } from './setting.ts'

const origin = 'https://app.example'

/** Headers that need no preflight: safelisted, or set by the browser itself. */
const unasked = new Set(['accept', 'user-agent'])

const listed = (header: unknown) => String(header).toLowerCase().split(', ')

test('a page of a configured origin', async (t) => {
  const bench = await openGateway(t, { env: { ALLOWED_ORIGINS: origin } })
  const { key } = await newCustomer(bench)
  const path = '/v1/chat/completions'

  await t.test('may send every header of the official client', async () => {
    const sent = new Set<string>()
    const client = new OpenAI({
      baseURL: `${bench.url}/v1`,
      apiKey: key,
      organization: 'org',
      project: 'project',
      timeout: 30_000,
      fetch: (address, init) => {
        for (const name of new Headers(init?.headers).keys()) sent.add(name)
        return fetch(address, init)
      },
    })
    const order = { model: 'demo-text', messages: says('Hi') }
    await client.chat.completions.create(order, { timeout: 20_000 })
    await client.chat.completions.stream(order).finalChatCompletion()
    await client.models.list()
    const headers = { origin, 'access-control-request-method': 'POST' }
    const preflight = await bench.call({ method: 'OPTIONS', path, key: null, headers })
    assert.equal(preflight.headers['access-control-allow-origin'], origin)
    const allowed = new Set(listed(preflight.headers['access-control-allow-headers']))
    assert.ok(sent.has('x-stainless-helper-method') && sent.has('x-stainless-timeout'))
    const missing = [...sent].filter((name) => !unasked.has(name) && !allowed.has(name))
    assert.deepEqual(missing, [])
  })

  await t.test('reads whether a failed request may be repeated', async () => {
    const failed = await bench.call({ method: 'POST', path, key, json: {}, headers: { origin } })
    assert.equal(failed.headers['x-should-retry'], 'false')
    assert.ok(listed(failed.headers['access-control-expose-headers']).includes('x-should-retry'))
  })

  await t.test('that is not configured may send nothing', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
    const preflight = await bench.call({ method: 'OPTIONS', path, key: null, headers })
    assert.equal(preflight.headers['access-control-allow-headers'], undefined)
  })
})
