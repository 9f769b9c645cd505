import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type CredentialSecret,
  headersOf,
  hostPattern,
  lastChars,
  mayBeSentTo,
} from '#core/credential.ts'

const allowed = (hosts: string[], url: string) => mayBeSentTo(hosts, new URL(url))

test('a credential goes to its hosts and to no other', () => {
  const hosts = ['api.crm.example', '*.shop.example', 'eu.crm.example:8443', 'http://10.0.0.5:8080']
  const yes = [
    'https://api.crm.example/v1?x=1',
    'https://API.crm.example:443/',
    'https://a.shop.example/',
    'https://a.b.shop.example/',
    'https://eu.crm.example:8443/',
    'http://10.0.0.5:8080/x',
  ]
  const no = [
    'http://api.crm.example/',
    'https://api.crm.example:8443/',
    'https://api.crm.example.evil.example/',
    'https://evil.example/api.crm.example',
    'https://xapi.crm.example/',
    'https://shop.example/',
    'https://notshop.example/',
    'https://eu.crm.example/',
    'https://10.0.0.5:8080/',
    'http://10.0.0.5/',
  ]
  for (const url of yes) assert.equal(allowed(hosts, url), true, url)
  for (const url of no) assert.equal(allowed(hosts, url), false, url)
})

test('without hosts it goes nowhere', () => {
  assert.equal(allowed([], 'https://anywhere.example/'), false)
  assert.equal(allowed([], 'http://anywhere.example/'), false)
})

test('a default port in a pattern is the same as none', () => {
  assert.equal(allowed(['a.example:443'], 'https://a.example/'), true)
  assert.equal(allowed(['http://a.example:80'], 'http://a.example/'), true)
})

test('what is not a host is not a pattern', () => {
  const pattern = new RegExp(hostPattern)
  for (const text of ['a.example', '*.a.example', '127.0.0.1:8080', 'http://localhost']) {
    assert.match(text, pattern)
  }
  const bad = ['', '*', '*.', 'a..b', 'https://a.example', 'a.example/x', 'A.example', 'a@b', 'a b']
  for (const text of bad) assert.doesNotMatch(text, pattern)
})

const basic: CredentialSecret = { kind: 'basic', username: 'Aladdin', password: 'open sesame' }

test('each kind becomes the header its receivers expect', () => {
  assert.deepEqual(headersOf({ kind: 'header', header: 'X-Api-Key', value: 'v' }), {
    'x-api-key': 'v',
  })
  assert.deepEqual(headersOf({ kind: 'bearer', token: 't' }), { authorization: 'Bearer t' })
  // The example of RFC 7617.
  assert.deepEqual(headersOf(basic), { authorization: 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==' })
})

test('little of a long secret is shown, and nothing of a short one', () => {
  assert.equal(lastChars({ kind: 'bearer', token: 'abcdefgh1234' }), '1234')
  assert.equal(lastChars({ kind: 'bearer', token: 'abcdefgh123' }), null)
})
