import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createAllowList } from '#outbound/address-policy.ts'
import { OutboundRefused } from '#outbound/outbound-errors.ts'
import { checkHost, checkUrl } from '#outbound/url-policy.ts'

const refusedFor = (reason: string) => (error: unknown) =>
  error instanceof OutboundRefused && error.reason === reason

const loopback = createAllowList(['127.0.0.1/32', '::1/128'])
const nothing = createAllowList([])

it('public addresses are accepted and come back as the parser reads them', () => {
  const accepted: Record<string, string> = {
    'https://example.com/hook?run=1': 'https://example.com/hook?run=1',
    'HTTP://EXAMPLE.COM': 'http://example.com/',
    'https://example.com./': 'https://example.com./',
    'https://b\u00fccher.example/': 'https://xn--bcher-kva.example/',
    'https://xn--bcher-kva.example/': 'https://xn--bcher-kva.example/',
    'https://localhost.example.com/': 'https://localhost.example.com/',
    'https://internal.example.com/': 'https://internal.example.com/',
    'https://notlocal.com/': 'https://notlocal.com/',
    'https://under_score.example.com/': 'https://under_score.example.com/',
    'http://8.8.8.8/': 'http://8.8.8.8/',
    'http://134744072/': 'http://8.8.8.8/',
    'https://[2606:4700:4700::1111]/': 'https://[2606:4700:4700::1111]/',
  }
  for (const [text, href] of Object.entries(accepted)) assert.equal(checkUrl(text).href, href)
})

it('ports 80, 443 and 1024 to 65535 are accepted on both schemes', () => {
  for (const port of [80, 443, 1024, 8080, 8443, 65535]) {
    for (const scheme of ['http', 'https'])
      assert.ok(checkUrl(`${scheme}://example.com:${port}/`), `${scheme} ${port}`)
  }
  assert.equal(checkUrl('https://example.com:/').port, '')
})

it('2048 characters are accepted, one more is not', () => {
  const url = 'https://example.com/'.padEnd(2048, 'a')
  assert.equal(checkUrl(url).href, url)
  assert.throws(() => checkUrl(`${url}a`), refusedFor('SYNTAX'))
})

it('the first broken rule is the reason', () => {
  assert.throws(() => checkUrl('ftp://user@localhost:22/'), refusedFor('SCHEME'))
  assert.throws(() => checkUrl('http://user@localhost:22/'), refusedFor('USERINFO'))
  assert.throws(() => checkUrl('http://localhost:22/'), refusedFor('PORT'))
  assert.throws(() => checkUrl('http://127.0.0.1:22/'), refusedFor('PORT'))
})

it('an allow-list opens its addresses and nothing else', () => {
  assert.equal(checkUrl('http://127.0.0.1:8787/', loopback).hostname, '127.0.0.1')
  assert.equal(checkUrl('http://[::1]:8787/', loopback).hostname, '[::1]')
  assert.throws(() => checkUrl('http://127.0.0.2:8787/', loopback), refusedFor('ADDRESS'))
  assert.throws(() => checkUrl('http://[::ffff:127.0.0.1]/', loopback), refusedFor('ADDRESS'))
  assert.throws(() => checkUrl('http://127.0.0.1:22/', loopback), refusedFor('PORT'))
  assert.throws(() => checkUrl('http://user@127.0.0.1/', loopback), refusedFor('USERINFO'))
  assert.throws(() => checkUrl('ftp://127.0.0.1/', loopback), refusedFor('SCHEME'))
})

it('a local name is opened only if all its addresses are', () => {
  checkHost('localhost', ['127.0.0.1', '::1'], loopback)
  for (const addresses of [[], ['127.0.0.1', '127.0.0.2'], ['8.8.8.8'], ['127.0.0.1', '8.8.8.8']])
    assert.throws(() => checkHost('localhost', addresses, loopback), refusedFor('HOST'))
  assert.throws(() => checkHost('localhost', ['127.0.0.1'], nothing), refusedFor('HOST'))
})

it('a public name may mix public and opened addresses, but no other', () => {
  checkHost('example.com', ['8.8.8.8', '127.0.0.1'], loopback)
  assert.throws(
    () => checkHost('example.com', ['8.8.8.8', '10.0.0.1'], loopback),
    refusedFor('ADDRESS'),
  )
})

it('a refusal never tells which address a name has', () => {
  try {
    checkHost('db.example.com', ['10.20.30.40'], nothing)
    assert.fail('not refused')
  } catch (error) {
    assert.doesNotMatch(String(error), /10\.20\.30\.40/)
  }
})
