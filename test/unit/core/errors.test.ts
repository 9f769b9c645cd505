import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestErrorCodes } from '#core/error-table.ts'
import { Failure } from '#core/errors.ts'

test('only errors that waiting can resolve say for how long', () => {
  for (const code of requestErrorCodes) {
    const { status, retryable, retryAfterSeconds } = new Failure(code)
    const waitingHelps = retryable && (status === 429 || status === 503)
    assert.equal(retryAfterSeconds, waitingHelps ? 1 : undefined, code)
  }
  assert.equal(
    new Failure('QUOTA_EXCEEDED', { retryable: false }).retryAfterSeconds,
    undefined,
    'waiting does not help',
  )
  assert.equal(new Failure('RATE_LIMITED', { retryAfterSeconds: 40 }).retryAfterSeconds, 40)
})
