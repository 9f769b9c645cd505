import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiKey } from '#console/api/types.ts'
import {
  allScopes,
  bodyOf,
  draftOf,
  emptyDraft,
  keyState,
  presetOf,
  problemsFrom,
  problemsOf,
  wasUsedLately,
} from '#console/screens/keys/key-draft.ts'
import { doneSteps } from '#console/screens/overview/first-steps.ts'
import { signInSearch } from '#console/screens/sign-in/address.ts'

const nowMs = Date.parse('2026-06-01T12:00:00Z')
const key: ApiKey = {
  id: '1',
  userId: null,
  name: 'shop',
  display: 'sk_abcdef…wxyz',
  scopes: ['runs:read'],
  limits: { spendPerMonth: 5 },
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-12-31T08:30:00.000Z',
  lastUsedAt: null,
  revokedAt: null,
}

test('a key that is opened and saved unchanged stays as it was', () => {
  const { name, scopes, limits, expiresAt } = key
  assert.deepEqual(bodyOf(draftOf(key), key), { name, scopes, limits, expiresAt })
})

test('an expiry day ends at midnight; no day means never', () => {
  const draft = { ...draftOf(key), expiresOn: '2027-01-01' }
  assert.equal(bodyOf(draft, key).expiresAt, '2027-01-01T23:59:59.000Z')
  assert.equal(bodyOf({ ...draft, expiresOn: '' }, key).expiresAt, null)
})

test('rights are a preset whatever their order', () => {
  assert.equal(presetOf(emptyDraft().scopes.toReversed()), 'everything')
  assert.ok(!emptyDraft().scopes.includes('developer'))
  assert.equal(presetOf(allScopes), 'custom')
  assert.equal(presetOf(['runs:read']), 'custom')
})

test('what the server would refuse is reported before sending', () => {
  const draft = emptyDraft()
  const limits = { ...draft.limits, runPerMinute: '1.5', spendPerMonth: 'much' }
  const problems = problemsOf({ ...draft, scopes: [], expiresOn: '2026-05-31', limits }, nowMs)
  assert.deepEqual(Object.keys(problems).sort(), [
    'expiresOn',
    'name',
    'runPerMinute',
    'scopes',
    'spendPerMonth',
  ])
  assert.deepEqual(problemsOf({ ...draft, name: 'x', expiresOn: '2026-06-01' }, nowMs), {})
})

test('an error of the server is shown at its field', () => {
  const issue = (path: string) => ({ path, rule: 'x', message: `at ${path}` })
  assert.deepEqual(problemsFrom([issue('/expiresAt'), issue('/limits/spendPerMonth')]), {
    expiresOn: 'at /expiresAt',
    spendPerMonth: 'at /limits/spendPerMonth',
  })
})

test('a key is live, expired or revoked, and in use for a day after its last use', () => {
  assert.equal(keyState(key, nowMs), 'live')
  assert.equal(keyState({ ...key, expiresAt: '2026-01-01T00:00:00Z' }, nowMs), 'expired')
  assert.equal(keyState({ ...key, revokedAt: '2026-01-01T00:00:00Z' }, nowMs), 'revoked')
  assert.ok(wasUsedLately({ lastUsedAt: '2026-05-31T13:00:00Z' }, nowMs))
  assert.ok(!wasUsedLately({ lastUsedAt: '2026-05-31T11:00:00Z' }, nowMs))
})

test('the key that the server created itself completes no step', () => {
  const seen = { hasImage: true, hasRun: false, keyNames: ['owner.key'] }
  assert.deepEqual(doneSteps(seen), { image: true, run: false, key: false })
  assert.ok(doneSteps({ ...seen, keyNames: ['owner.key', 'laptop'] }).key)
})

test('sign-in leads back to a path of this console and nowhere else', () => {
  assert.deepEqual(signInSearch({ to: '/runs?status=FAILED' }), { to: '/runs?status=FAILED' })
  for (const to of ['//evil.example', 'https://evil.example', '/\\evil.example', 'runs', 7])
    assert.deepEqual(signInSearch({ to }), {})
})
