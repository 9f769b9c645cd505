// Who sees budgets, and who sets, raises and removes them.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ServerFacts } from '#api/console/server-facts.ts'
import { consolePath } from '../../support/console.ts'
import { databases } from '../../support/databases.ts'
import type { Call } from '../../support/server.ts'
import { openTeam } from '../auth/team.ts'
import { migrations } from './people.ts'
import { type Console, dataOf, onBothDatabases, refusedAs } from './setting.ts'

type Listed = { items: { limit: { amount: number }; raise: object | null }[]; tags: object[] }

const day = { scope: 'tag', target: 'nightly', period: 'day' }
const until = (fromMs: number) => new Date(fromMs + 3_600_000).toISOString()

for (const { name, open } of databases) {
  test(`owners set, raise and remove budgets, and everybody else only sees them, on ${name}`, async () => {
    await using opened = await open({ migrations })
    const limits = { spendPerMonth: null }
    const team = await openTeam(opened.db, { server: { limits } as ServerFacts })
    const { owner, clock, join } = team
    const raise = { ...day, amount: 1, until: until(clock.at) }
    const key = await owner.data<{ id: string }>('createApiKey', { body: { name: 'k' } })
    const tagged = { scope: 'key', target: key.id, tag: 'nightly' }
    await owner.data('setBudget', { body: { ...day, limit: 5 } })
    for (const role of ['viewer', 'editor'] as const) {
      const { browser } = await join(role)
      const refused = [
        await browser.refusal('setBudget', { body: { ...day, limit: 50 } }),
        await browser.refusal('setBudget', { body: { ...day, limit: null } }),
        await browser.refusal('raiseBudget', { body: raise }),
        await browser.refusal('setDefaultTag', { body: tagged }),
      ]
      for (const { status, code, details } of refused)
        assert.deepEqual([status, code, details?.role], [403, 'INSUFFICIENT_ROLE', 'owner'])
      const { items, tags } = await browser.data<Listed>('listBudgets')
      assert.deepEqual([items[0]?.limit.amount, items[0]?.raise, tags], [5, null, []])
    }
    const second = await join('owner')
    const { items } = await second.browser.data<Listed>('raiseBudget', { body: raise })
    assert.notEqual(items[0]?.raise, null)
    await second.browser.data('setDefaultTag', { body: tagged })
    const left = await second.browser.data<Listed>('setBudget', { body: { ...day, limit: null } })
    assert.deepEqual([left.items, left.tags], [[], [tagged]])
    // What is gone cannot be raised, and no raise is past or endless.
    const gone = await owner.refusal('raiseBudget', { body: raise })
    assert.equal(gone.code, 'RECORD_NOT_FOUND')
    await owner.data('setBudget', { body: { ...day, limit: 5 } })
    const wrong = [-3_600_001, 367 * 86_400_000].map((ms) => until(clock.at + ms))
    const leapSecond = until(clock.at).replace(/T.*/, 'T23:59:60Z')
    for (const text of [...wrong, leapSecond]) {
      const body = { ...raise, until: text }
      assert.equal((await owner.refusal('raiseBudget', { body })).code, 'INVALID_REQUEST')
    }
  })
}

describe('budgets and keys', () => onBothDatabases('budgets by key', suite))

function suite(on: Console) {
  const put = (key: string, path: string, json: object) =>
    on.server.call({ method: 'PUT', path: consolePath + path, key, json } satisfies Call)
  const set = (key: string, json: object) => put(key, '/budgets', { ...day, ...json })

  test('a key with the scope developer sets them, and no other', async () => {
    const developer = await on.owner.newKey({ scopes: ['developer'] })
    assert.equal((await set(developer, { limit: 5 })).status, 200)
    const raised = { ...day, amount: 1, until: until(Date.now()) }
    assert.equal((await put(developer, '/budgets/raise', raised)).status, 200)
    assert.equal((await set(developer, { limit: null })).status, 200)
    const usual = await on.owner.newKey()
    refusedAs(await set(usual, { limit: 5 }), 403, 'INSUFFICIENT_SCOPE')
    const theirs = await on.stranger.newKey({ scopes: ['developer'] })
    await set(theirs, { limit: 7 })
    assert.deepEqual((await dataOf(on.owner, '/budgets')).items, [])
  })

  test('a key with a limit of its own, by month or day, raises none of them', async () => {
    const scopes = ['developer']
    const monthly = await on.owner.newKey({ scopes, limits: { spendPerMonth: 1 } })
    const daily = await on.owner.newKey({ name: 'daily', scopes })
    const { items } = await dataOf(on.owner, '/api-keys')
    const { id } = items.find((one: { name: string }) => one.name === 'daily')
    const own = { scope: 'key', target: id, period: 'day' }
    await dataOf(on.owner, '/budgets', { method: 'PUT', json: { ...own, limit: 1 } })
    const raised = { ...own, amount: 100, until: until(Date.now()) }
    for (const key of [monthly, daily]) {
      refusedAs(await put(key, '/budgets', { ...own, limit: null }), 403, 'INSUFFICIENT_SCOPE')
      refusedAs(await put(key, '/budgets/raise', raised), 403, 'INSUFFICIENT_SCOPE')
      const untagged = { scope: 'key', target: id, tag: 'free' }
      refusedAs(await put(key, '/default-tags', untagged), 403, 'INSUFFICIENT_SCOPE')
    }
    await dataOf(on.owner, '/budgets', { method: 'PUT', json: { ...own, limit: null } })
    assert.equal((await set(daily, { limit: null })).status, 200)
  })

  test('nor does a key that it made: with a daily budget it makes none', async () => {
    const scopes = ['developer', 'chat:write']
    const made = { method: 'POST', json: { name: 'parent', scopes } }
    const parent = await dataOf(on.owner, '/api-keys', made)
    const own = { scope: 'key', target: parent.id, period: 'day', limit: 1 }
    await dataOf(on.owner, '/budgets', { method: 'PUT', json: own })
    const child = (json: object) =>
      on.server.call({ method: 'POST', path: `${consolePath}/api-keys`, key: parent.key, json })
    refusedAs(await child({ name: 'child', scopes }), 403, 'INSUFFICIENT_SCOPE')
    refusedAs(await child({ name: 'child' }), 403, 'INSUFFICIENT_SCOPE')
    await dataOf(on.owner, '/budgets', { method: 'PUT', json: { ...own, limit: null } })
    assert.equal((await child({ name: 'child', scopes })).status, 200)
  })
}
