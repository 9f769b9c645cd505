import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { mayMove } from '#engine/calls/move-rule.ts'
import {
  isSafeToRepeat,
  outcomeUnknown,
  toFailure,
  toTaskError,
} from '#engine/calls/provider-failure.ts'
import { ProviderError, type ProviderErrorKind } from '#providers/provider.ts'

type Outcome = ProviderError['outcome']
const error = (kind: ProviderErrorKind, outcome: Outcome, retryAfterMs?: number) =>
  new ProviderError(kind, {
    outcome,
    message: `said the ${kind}`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })

/** kind, outcome, status, code, retryable; then: may it be repeated, may another be asked? */
const table: [ProviderErrorKind, Outcome, number, string, boolean, boolean, boolean][] = [
  ['busy', 'rejected', 503, 'PROVIDER_UNAVAILABLE', true, true, true],
  ['busy', 'unknown', 502, 'PROVIDER_ERROR', true, false, false],
  ['unreachable', 'not_sent', 503, 'PROVIDER_UNAVAILABLE', true, true, true],
  ['timeout', 'not_sent', 504, 'PROVIDER_TIMEOUT', true, true, true],
  ['timeout', 'unknown', 504, 'PROVIDER_TIMEOUT', true, false, false],
  ['auth', 'rejected', 502, 'PROVIDER_ERROR', false, false, true],
  ['not_found', 'rejected', 502, 'PROVIDER_ERROR', false, false, true],
  ['invalid', 'rejected', 400, 'INVALID_REQUEST', false, false, false],
  ['content', 'rejected', 400, 'CONTENT_REJECTED', false, false, false],
  ['server', 'unknown', 502, 'PROVIDER_ERROR', true, false, false],
  ['server', 'rejected', 502, 'PROVIDER_ERROR', true, true, true],
  ['protocol', 'unknown', 502, 'PROVIDER_ERROR', true, false, false],
  ['canceled', 'unknown', 502, 'PROVIDER_ERROR', true, false, false],
]

describe('an error of a provider', () => {
  for (const [kind, outcome, status, code, retryable, repeat, fallBack] of table) {
    test(`${kind}, ${outcome}: the caller sees ${status} ${code}`, () => {
      const given = error(kind, outcome)
      const failure = toFailure(given)
      assert.deepEqual(
        [failure.status, failure.code, failure.retryable, failure.message],
        [status, code, retryable, `said the ${kind}`],
      )
      assert.equal(failure.retryAfterSeconds !== undefined, status === 503)
      assert.deepEqual(
        [isSafeToRepeat(given), mayMove(given, undefined, 'text')],
        [repeat, fallBack],
      )
      assert.deepEqual(toTaskError(given), { code, message: `said the ${kind}`, retryable })
    })
  }

  test('says in whole seconds when to come back, and never at once', () => {
    const seconds = (ms?: number) => toFailure(error('busy', 'rejected', ms)).retryAfterSeconds
    assert.deepEqual([seconds(), seconds(0), seconds(1), seconds(1001)], [1, 1, 1, 2])
  })

  test('whose outcome is unknown is never safe to repeat, whatever its kind', () => {
    for (const [kind] of table) {
      assert.equal(isSafeToRepeat(error(kind, 'unknown')), false)
      assert.equal(mayMove(error(kind, 'unknown'), undefined, 'text'), false)
    }
    assert.equal(outcomeUnknown.retryable, false)
  })
})
