import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseIssuers } from '#auth/issuers-file.ts'

const ownIssuer = 'https://atelier.example'
const good = {
  issuer: 'https://issuer.example',
  audience: 'atelier',
  algorithms: ['RS256', 'EdDSA'],
  jwksUrl: 'https://issuer.example/jwks',
}
const parse = (...issuers: object[]) => parseIssuers(JSON.stringify({ issuers }), { ownIssuer })

test('a short entry gets the safe defaults', () => {
  assert.deepEqual(parse(good), [
    {
      issuer: 'https://issuer.example',
      audience: 'atelier',
      algorithms: ['RS256', 'EdDSA'],
      keys: { url: 'https://issuer.example/jwks' },
      accountClaim: 'sub',
      autoProvision: false,
      defaultScopes: [],
    },
  ])
})

test('a full entry is taken as written', () => {
  const { jwksUrl, ...rest } = good
  const jwks = { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'AAAA', kid: '1' }] }
  const full = {
    ...rest,
    audience: ['one', 'two'],
    jwks,
    accountClaim: 'org',
    autoProvision: true,
    defaultScopes: ['models:read'],
  }
  const { keys, ...shown } = parse(full)[0] ?? assert.fail()
  assert.deepEqual(keys, { jwks })
  assert.deepEqual({ ...shown, jwks }, full)
})

const bad: [string, object[], RegExp][] = [
  ['a missing issuer', [{ ...good, issuer: undefined }], /ISSUERS_FILE: \/issuers\/0\b.*issuer/],
  [
    'an algorithm with a shared secret',
    [{ ...good, algorithms: ['HS256'] }],
    /\/issuers\/0\/algorithms\/0 must be one of RS256, PS256, ES256, EdDSA/,
  ],
  ['no signature at all', [{ ...good, algorithms: ['none'] }], /\/issuers\/0\/algorithms\/0/],
  ['an empty list of algorithms', [{ ...good, algorithms: [] }], /\/issuers\/0\/algorithms/],
  ['a misspelt field', [{ ...good, accountclaim: 'org' }], /accountclaim|additional/],
  [
    'neither keys nor an address',
    [{ ...good, jwksUrl: undefined }],
    /\/issuers\/0 needs either jwksUrl or jwks/,
  ],
  [
    'both keys and an address',
    [{ ...good, jwks: { keys: [] } }],
    /\/issuers\/0 needs either jwksUrl or jwks/,
  ],
  [
    'an address of another kind',
    [{ ...good, jwksUrl: 'file:///etc/passwd' }],
    /\/issuers\/0\/jwksUrl must be an http/,
  ],
  [
    'an unknown scope',
    [{ ...good, defaultScopes: ['models:read', 'admin'] }],
    /\/issuers\/0\/defaultScopes\/1 must be one of models:read/,
  ],
  ['the same issuer twice', [good, good], /\/issuers\/1\/issuer is taken/],
  [
    'this server as an external issuer',
    [{ ...good, issuer: ownIssuer }],
    /\/issuers\/0\/issuer is taken/,
  ],
]

for (const [what, issuers, message] of bad) {
  test(`${what} stops the start with the name of the field`, () => {
    assert.throws(() => parse(...issuers), message)
  })
}

test('a file that is not JSON says so', () => {
  assert.throws(() => parseIssuers('{', { ownIssuer }), /ISSUERS_FILE: \/ is not JSON/)
  assert.throws(() => parseIssuers('[]', { ownIssuer }), /ISSUERS_FILE: \//)
})
