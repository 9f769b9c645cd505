import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '#core/errors.ts'
import { type MoveReason, moveReasons, type Route } from '#core/route.ts'
import { mayMove, moveReasonOf } from '#engine/calls/move-rule.ts'
import { ProviderError, type ProviderErrorKind } from '#providers/provider.ts'

const error = (kind: ProviderErrorKind, outcome: ProviderError['outcome'], message = 'no') =>
  new ProviderError(kind, { outcome, message })
const route = (on: readonly MoveReason[], more: Partial<Route> = {}): Route => ({
  ...{ name: 'r', candidates: [{ model: 'm' }], sort: 'order', on },
  ...more,
})

test('each way in which a call was surely not accepted is one reason to move', () => {
  const table: [ProviderError, MoveReason | null][] = [
    [error('unreachable', 'not_sent'), 'connect'],
    [error('busy', 'rejected'), 'rate_limit'],
    [error('server', 'rejected'), 'unavailable'],
    [error('auth', 'rejected'), 'unavailable'],
    [error('not_found', 'rejected'), 'unavailable'],
    [error('protocol', 'rejected'), 'unavailable'],
    [error('timeout', 'not_sent'), 'timeout'],
    [error('content', 'rejected'), 'content'],
    [error('invalid', 'rejected', 'prompt is too long'), 'context'],
    [error('invalid', 'rejected'), null],
    [error('canceled', 'not_sent'), null],
  ]
  for (const [given, reason] of table) {
    assert.equal(moveReasonOf(given), reason, given.kind)
    if (reason === null) assert.equal(mayMove(given, route(moveReasons), 'text'), false)
    else {
      assert.equal(mayMove(given, route([reason]), 'media'), true)
      const others = moveReasons.filter((one) => one !== reason)
      assert.equal(mayMove(given, route(others), 'text'), false)
    }
  }
})

test('what may have been accepted moves after a time-out of a text that may pay twice, and never else', () => {
  const kinds: ProviderErrorKind[] = [
    'busy',
    'unreachable',
    'server',
    'protocol',
    'content',
    'auth',
  ]
  const bold = route(moveReasons, { mayPayTwice: true })
  for (const kind of kinds) assert.equal(mayMove(error(kind, 'unknown'), bold, 'text'), false, kind)
  const late = error('timeout', 'unknown')
  assert.equal(mayMove(late, bold, 'text'), true)
  assert.equal(mayMove(late, bold, 'media'), false)
  assert.equal(mayMove(late, route(moveReasons), 'text'), false)
  assert.equal(mayMove(late, undefined, 'text'), false)
})

test('an answer that was blocked has its bill, and may move; any other failure of ours may not', () => {
  assert.equal(mayMove(new Failure('CONTENT_REJECTED'), route(['content']), 'text'), true)
  assert.equal(mayMove(new Failure('EMPTY_ANSWER'), route(moveReasons), 'text'), false)
  assert.equal(mayMove(new Error('a bug'), route(moveReasons), 'text'), false)
})
