import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type CredentialSecret, headersOf } from '#core/credential.ts'
import { hideIn } from '#core/hidden-secrets.ts'

const basic: CredentialSecret = { kind: 'basic', username: 'Aladdin', password: 'open sesame' }
const bearer = (token: string): CredentialSecret => ({ kind: 'bearer', token })
const bytes = (text: string) => Buffer.from(text)

/** How an echo may spell what it was sent. */
const echoes: [string, (token: string) => string][] = [
  ['as it is', (token) => token],
  ['in JSON', (token) => JSON.stringify({ token })],
  ['in an address', (token) => `?t=${encodeURIComponent(token)}`],
  ['in an address, in small letters', (token) => encodeURIComponent(token).toLowerCase()],
  ['in capitals', (token) => token.toUpperCase()],
  ['in small letters', (token) => token.toLowerCase()],
  ['backwards', (token) => [...token].reverse().join('')],
  ['in hexadecimal', (token) => bytes(token).toString('hex')],
  ['in hexadecimal capitals', (token) => bytes(token).toString('hex').toUpperCase()],
  ['percent-encoded', (token) => bytes(token).toString('hex').replace(/../g, '%$&')],
  ...['', 'x', 'yz', 'Bearer '].flatMap((before): [string, (token: string) => string][] =>
    ['', '!', '!!'].flatMap((after): [string, (token: string) => string][] => [
      [
        `in base64 of "${before}…${after}"`,
        (token) => bytes(before + token + after).toString('base64'),
      ],
      [
        `in base64url of "${before}…${after}"`,
        (token) => bytes(before + token + after).toString('base64url'),
      ],
    ]),
  ),
]
const tokens = ['a"b\\c/d+Secret', 'sk_live_Abc123', '~~~???>>>Secret', 'eight888']

for (const [how, echo] of echoes) {
  test(`an answer that repeats the secret ${how} is cleaned of it`, () => {
    for (const token of tokens) {
      const said = echo(token)
      const clean = hideIn(`before ${said} after`, bearer(token), 'crm')
      assert.ok(clean.includes('[credential crm]'), `${token}: ${clean}`)
      // Next to base64 of other text, at most the digits that it shares with that text are left.
      const left = clean.replace('before ', '').replace(' after', '')
      assert.ok(left.length <= '[credential crm]'.length + 16, `${token}: ${clean}`)
    }
  })
}

test('the name and password of basic authentication are hidden, together and alone', () => {
  const header =
    headersOf(basic as Extract<CredentialSecret, { kind: 'basic' }>).authorization ?? ''
  assert.match(hideIn(header, basic, 'crm'), /^Basic \[credential crm\]$/)
  assert.equal(hideIn('said "open sesame"', basic, 'crm'), 'said "[credential crm]"')
})

test('a secret too short to be told from chance is left where it is found', () => {
  assert.equal(hideIn('a cat sat', bearer('cat'), 'crm'), 'a cat sat')
})

test('a text that does not repeat the secret stays as it is, whatever its letters', () => {
  const secret = bearer('Zq9_never-said')
  fc.assert(fc.property(fc.string(), (text) => hideIn(text, secret, 'c') === text))
  assert.equal(hideIn('İİİ ZQ9_NEVER-SAID İ', secret, 'c'), 'İİİ [credential c] İ')
})
