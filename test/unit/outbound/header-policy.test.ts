import assert from 'node:assert/strict'
import { it } from 'node:test'
import { isSettableHeader } from '#core/header-names.ts'
import { checkHeaders, createGateway } from '#outbound/gateway.ts'

const refused = { name: 'OutboundRefused', reason: 'HEADER' }

it('headers that frame or route the message cannot be set, in any case', () => {
  for (const name of [
    'Host',
    'host',
    'Content-Length',
    'Transfer-Encoding',
    'TRANSFER-ENCODING',
    'Connection',
    'Proxy-Authorization',
    'proxy-connection',
    'Upgrade',
    'Keep-Alive',
    'TE',
    'Trailer',
    'Expect',
  ]) {
    assert.equal(isSettableHeader(name), false, name)
    assert.throws(() => checkHeaders({ [name]: 'x' }), refused, name)
  }
})

it('a name that is not a token cannot be set', () => {
  for (const name of [
    '',
    ':authority',
    'Host ',
    ' host',
    'a b',
    'a\r\nHost',
    'a:',
    'h\u00f6st',
    'a\0',
  ])
    assert.equal(isSettableHeader(name), false, JSON.stringify(name))
})

it('a value that would end the header line is refused', () => {
  for (const value of ['a\r\nHost: b', 'a\nb', 'a\rb', 'a\0b', 'smile \u{1f600}', '\u010d\u010a'])
    assert.throws(() => checkHeaders({ 'x-note': value }), refused, JSON.stringify(value))
})

it('other headers pass, under lower-case names', () => {
  const headers = { Authorization: 'Bearer x', 'X-Api-Key': 'k', Accept: 'a\tb', 'x-empty': '' }
  assert.deepEqual(
    { ...checkHeaders(headers) },
    { authorization: 'Bearer x', 'x-api-key': 'k', accept: 'a\tb', 'x-empty': '' },
  )
})

it('a request with such a header is refused before anything is resolved', async () => {
  const gateway = createGateway({ allow: [], resolve: () => assert.fail('asked') })
  const request = gateway.request('https://example.com/', {
    headers: { 'Transfer-Encoding': 'chunked' },
    timeoutMs: 1_000,
    maxBytes: 1_000,
    signal: new AbortController().signal,
  })
  await assert.rejects(request, refused)
})
