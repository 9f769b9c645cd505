import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '#core/errors.ts'
import { Stopping } from '#core/interruptions.ts'
import type { RouteAttempt } from '#core/route.ts'
import { failedAfterPaying } from '#engine/calls/paid-before.ts'
import { ProviderError } from '#providers/provider.ts'
import { StoreUnavailable } from '#store/db.ts'

const attempts: RouteAttempt[] = [
  { model: 'paid', outcome: 'content' },
  { model: 'busy', outcome: 'rate_limit' },
]
const after = (error: unknown, isOfRun = false) => failedAfterPaying(error, { attempts, isOfRun })

const busy = new ProviderError('busy', { outcome: 'rejected', message: 'busy' })
const full = new Failure('SPEND_LIMIT_REACHED', { details: { scope: 'tag' } })
const away = new StoreUnavailable('it is away')

test('what fails after something was paid never looks as if nothing was started', () => {
  const failures: [error: unknown, code: string][] = [
    [busy, 'PROVIDER_ERROR'],
    [new Failure('SERVICE_UNAVAILABLE'), 'PROVIDER_ERROR'],
    [away, 'PROVIDER_ERROR'],
    [full, 'SPEND_LIMIT_REACHED'],
    [new Failure('UNPRICED_MODEL'), 'UNPRICED_MODEL'],
  ]
  for (const [error, code] of failures) {
    const failure = after(error)
    assert.ok(failure instanceof Failure)
    const { startedNothing, retryable, details, headers } = failure
    assert.deepEqual([failure.code, startedNothing, retryable], [code, false, false])
    assert.deepEqual(details?.attempts, attempts)
    assert.deepEqual(Object.values(headers), ['paid;content, busy;rate_limit'])
  }
  assert.equal((after(full) as Failure).details?.scope, 'tag')
})

test('a run that is interrupted goes on by its ledger, and is interrupted as ever', () => {
  const stopping = new Stopping()
  for (const error of [away, stopping]) assert.equal(after(error, true), error)
})
