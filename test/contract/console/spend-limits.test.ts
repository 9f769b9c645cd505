import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ServerFacts } from '#api/console/server-facts.ts'
import { databases } from '../../support/databases.ts'
import { addCall } from './ledger-rows.ts'
import { openPeople } from './people.ts'

type Used = Record<'today' | 'thisMonth' | 'inFlight', { amount: number }> &
  Record<'limit' | 'remaining', { amount: number } | null>
type Limits = {
  account: Used & Record<'ownLimit' | 'serverLimit', { amount: number } | null>
  keys: (Used & { keyId: string; name: string })[]
  resetsAt: string
}

const amounts = ({ today, thisMonth, inFlight, limit, remaining }: Used) =>
  [today, thisMonth, inFlight, limit, remaining].map((money) => money?.amount ?? null)

const dayMs = 24 * 3_600_000

for (const { name, open } of databases) {
  describe(`spend limits on ${name}`, () => {
    test('show what is used today, this month and in flight, and what remains', async () => {
      const limits = { spendPerMonth: { amount: 20, currency: 'USD' } }
      await using people = await openPeople(open, {
        nowMs: Date.UTC(2030, 4, 10, 12),
        server: { limits } as ServerFacts,
      })
      const { db, clock, me, stranger, nobody } = people
      const body = { name: 'x', limits: { spendPerMonth: 3 } }
      const limited = await me.data<{ id: string }>('createApiKey', { body })
      await me.data('createApiKey', { body: { name: 'free' } })
      await me.data('updateAccount', { body: { name: 'me', spendLimit: 10 } })
      const spent = (costMicros: number, settledAtMs: number, keyId: string | null = null) =>
        addCall(db, me.accountId, { costMicros, settledAtMs, keyId })
      await spent(5_000_000, Date.UTC(2030, 3, 30))
      await spent(2_000_000, clock.at - dayMs)
      await spent(1_000_000, clock.at, limited.id)
      await addCall(db, me.accountId, { reservedMicros: 500_000, keyId: limited.id })
      const shown = await me.data<Limits>('getSpendLimits')
      assert.deepEqual(amounts(shown.account), [1, 3, 0.5, 10, 6.5])
      assert.equal(shown.account.serverLimit?.amount, 20)
      assert.deepEqual(
        shown.keys.map((key) => [key.keyId, key.name, ...amounts(key)]),
        [[limited.id, 'x', 1, 1, 0.5, 3, 1.5]],
      )
      assert.equal(shown.resetsAt, '2030-06-01T00:00:00.000Z')
      const theirs = await stranger.data<Limits>('getSpendLimits')
      assert.deepEqual(amounts(theirs.account), [0, 0, 0, 20, 20])
      assert.deepEqual([theirs.account.ownLimit, theirs.keys], [null, []])
      assert.equal((await nobody.refusal('getSpendLimits')).code, 'AUTH_REQUIRED')
    })

    test('without limits nothing remains to be said of them', async () => {
      const limits = { spendPerMonth: null }
      await using people = await openPeople(open, { server: { limits } as ServerFacts })
      const { account } = await people.me.data<Limits>('getSpendLimits')
      assert.deepEqual(amounts(account), [0, 0, 0, null, null])
    })
  })
}
