import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { createClient } from '../../../src/client/client.ts'
import { failed, key, scriptedClient } from './scripted.ts'

const everything = (value: unknown) =>
  inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true }) + JSON.stringify(value)

test('neither the client nor its errors show the key, even where an answer repeats it', async () => {
  const { client, seen } = scriptedClient([
    failed(400, {
      code: 'INVALID_REQUEST',
      retryable: false,
      message: `you sent Bearer ${key}`,
      details: { header: `Bearer ${key}` },
    }),
    new Response(`proxy: Authorization: Bearer ${key}`, { status: 400 }),
  ])
  assert.ok(!everything(client).includes(key))
  for (const call of [client.models.list(), client.models.list()]) {
    const error = await call.catch((caught: unknown) => caught)
    assert.ok(error instanceof Error)
    assert.ok(!everything(error).includes(key) && !error.stack?.includes(key), everything(error))
  }
  assert.equal(seen[0]?.headers.get('authorization'), `Bearer ${key}`)
})

test('a key that cannot be sent is refused without being shown', () => {
  for (const bad of [`${key}\nx`, `${key} ${key}`, `${key}é`, '']) {
    assert.throws(
      () => createClient({ baseUrl: 'https://a.example', apiKey: bad }),
      (error) => error instanceof TypeError && !everything(error).includes('sk_'),
    )
  }
})

test('the end of line of a key file is not part of the key', async () => {
  let sent: string | null = null
  const client = createClient({
    baseUrl: 'https://a.example',
    apiKey: `${key}\n`,
    fetch: async (_, init) => {
      sent = new Headers(init?.headers).get('authorization')
      return Response.json({ success: true, data: {} })
    },
  })
  await client.models.list()
  assert.equal(sent, `Bearer ${key}`)
})

test('an address that is not a plain http(s) one is refused', () => {
  for (const bad of [
    '',
    'a.example',
    'ftp://a.example',
    'https://u:p@a.example',
    'https://a?b=1',
  ]) {
    assert.throws(() => createClient({ baseUrl: bad, apiKey: key }), TypeError)
  }
})
