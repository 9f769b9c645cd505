import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearerToken, requireScope } from '#auth/bearer.ts'
import type { Principal } from '#core/principal.ts'

const refused = (code: string, challenge: string) => ({
  name: 'Failure',
  code,
  headers: { 'www-authenticate': challenge },
})

test('the scheme is matched in any case and any number of spaces may follow it', () => {
  assert.equal(bearerToken('Bearer abc'), 'abc')
  assert.equal(bearerToken('bearer abc'), 'abc')
  assert.equal(bearerToken('BEARER    abc'), 'abc')
  assert.equal(bearerToken(['Bearer abc']), 'abc')
})

test('no credential, or one of another scheme, asks for a bearer credential', () => {
  for (const header of [undefined, '', 'Bearer', 'Bearer ', 'Basic YTpi', 'Bearerabc', []]) {
    assert.throws(
      () => bearerToken(header),
      refused('AUTH_REQUIRED', 'Bearer realm="ai-tools"'),
      String(header),
    )
  }
})

test('two Authorization headers are refused even if they are equal', () => {
  assert.throws(
    () => bearerToken(['Bearer abc', 'Bearer abc']),
    refused('INVALID_CREDENTIAL', 'Bearer realm="ai-tools", error="invalid_token"'),
  )
})

test('what follows the token stays part of it, so that no two readers see different tokens', () => {
  assert.equal(bearerToken('Bearer abc def'), 'abc def')
  assert.equal(bearerToken('Bearer abc, Bearer def'), 'abc, Bearer def')
})

test('a missing scope is named in the answer and its challenge', () => {
  const principal: Principal = {
    accountId: 'a',
    userId: null,
    keyId: 'k',
    scopes: new Set(['runs:read']),
    limits: {},
    accountSpendPerMonthMicros: null,
  }
  requireScope(principal, 'runs:read')
  assert.throws(() => requireScope(principal, 'runs:write'), {
    code: 'INSUFFICIENT_SCOPE',
    status: 403,
    details: { scope: 'runs:write' },
    headers: {
      'www-authenticate': 'Bearer realm="ai-tools", error="insufficient_scope", scope="runs:write"',
    },
  })
})
