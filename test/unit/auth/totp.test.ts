import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { hashRecoveryCode, makeRecoveryCodes } from '#auth/recovery-codes.ts'
import { base32, matchingStep, otpauthAddress, totpCode, totpStep } from '#auth/totp.ts'

const secret = Buffer.from('12345678901234567890')

describe('codes of an authenticator', () => {
  // RFC 6238, appendix B, the rows of SHA-1.
  const vectors: [number, string][] = [
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ]
  for (const [seconds, code] of vectors) {
    test(`are those of RFC 6238 at ${seconds} s`, () => {
      assert.equal(totpCode(secret, totpStep(seconds * 1000), 8), code)
      assert.equal(totpCode(secret, totpStep(seconds * 1000)), code.slice(2))
    })
  }

  test('are accepted one step early and late, and no further', () => {
    const nowMs = 1_111_111_111_000
    const step = totpStep(nowMs)
    const at = (offset: number) => totpCode(secret, step + offset)
    for (const offset of [-1, 0, 1]) {
      assert.equal(matchingStep(secret, at(offset), { nowMs, afterStep: 0 }), step + offset)
    }
    for (const offset of [-2, 2]) {
      assert.equal(matchingStep(secret, at(offset), { nowMs, afterStep: 0 }), null)
    }
  })

  test('are not accepted again once they or a later one were used', () => {
    const nowMs = 1_111_111_111_000
    const step = totpStep(nowMs)
    const code = totpCode(secret, step)
    assert.equal(matchingStep(secret, code, { nowMs, afterStep: step }), null)
    assert.equal(matchingStep(secret, code, { nowMs, afterStep: step - 1 }), step)
  })

  test('that are too short, too long or no digits are only wrong', () => {
    for (const code of ['', '12345', '1234567', 'abcdef', '１２３４５６']) {
      assert.equal(matchingStep(secret, code, { nowMs: 60_000, afterStep: 0 }), null)
    }
  })
})

describe('what an app is given', () => {
  // RFC 4648, section 10, without padding.
  const vectors = {
    '': '',
    f: 'MY',
    fo: 'MZXQ',
    foo: 'MZXW6',
    foob: 'MZXW6YQ',
    foobar: 'MZXW6YTBOI',
  }
  for (const [text, encoded] of Object.entries(vectors)) {
    test(`“${text}” in base 32`, () => assert.equal(base32(Buffer.from(text)), encoded))
  }

  test('the address names the account and holds the secret', () => {
    const url = new URL(otpauthAddress(secret, 'anna+x@example.com'))
    assert.equal(url.href.split('?')[0], 'otpauth://totp/Atelier:anna%2Bx%40example.com')
    assert.deepEqual(Object.fromEntries(url.searchParams), {
      secret: base32(secret),
      issuer: 'Atelier',
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    })
  })
})

describe('recovery codes', () => {
  test('ten different ones, easy to copy', () => {
    const codes = makeRecoveryCodes(randomBytes)
    assert.equal(new Set(codes).size, 10)
    for (const code of codes) assert.match(code, /^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/)
  })

  test('are the same in capitals, with spaces or without dashes', () => {
    const hash = hashRecoveryCode('k3vq-7tzp-b2mh-x5ac')
    for (const typed of ['K3VQ7TZPB2MHX5AC', ' k3vq 7tzp b2mh x5ac ', 'k3vq-7TZP-b2mh-x5ac']) {
      assert.equal(hashRecoveryCode(typed), hash)
    }
  })
})
