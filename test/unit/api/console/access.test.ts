import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consoleOperations } from '#api/console/registry.ts'
import { roles } from '#core/roles.ts'

/**
 * They change nothing of the account: they sign in or out, concern the caller, or only ask. What a
 * run waits for says itself who may answer it, and a change of many workflows asks for an editor,
 * unless it only exports them.
 */
const forViewers = new Set([
  'signUp',
  'signIn',
  'signOut',
  'setUp',
  'changePassword',
  'mintToken',
  'disconnectApp',
  'checkWorkflow',
  'estimateTask',
  'startOidcWithLink',
  'showInvitation',
  'acceptInvitation',
  'recover',
  'endSession',
  'endOtherSessions',
  'startTwoStep',
  'confirmTwoStep',
  'renewRecoveryCodes',
  'endTwoStep',
  'answerWait',
  'readNotices',
  'bulkWorkflows',
  'previewTrigger',
  'tryTrigger',
])

test('an operation that changes something needs an editor at least, unless it is named here', () => {
  for (const { id, method, access } of consoleOperations) {
    assert.ok(['public', ...roles, 'operator'].includes(access), `${id} states who may call it`)
    if (method === 'GET') continue
    const isForViewers = access === 'public' || access === 'viewer'
    assert.equal(isForViewers, forViewers.has(id), id)
  }
})

test('only what leads to signing in is open to strangers', () => {
  const open = consoleOperations.filter(({ access }) => access === 'public')
  assert.deepEqual(open.map(({ id }) => id).sort(), [
    'acceptInvitation',
    'finishOidcSignIn',
    'getSession',
    'recover',
    'setUp',
    'showInvitation',
    'signIn',
    'signOut',
    'signUp',
    'startOidcSignIn',
    'startOidcWithLink',
  ])
})

test('a record that does not exist is not answered like an address that does not exist', () => {
  const ofRecords = consoleOperations.filter(({ path }) => path.includes('{'))
  assert.ok(ofRecords.length > 10)
  for (const { id, errors = [] } of ofRecords)
    assert.ok(!errors.includes('ROUTE_NOT_FOUND'), `${id} names what is missing`)
})
