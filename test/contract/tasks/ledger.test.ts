import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Db } from '#store/db.ts'
import { type Attempt, openAttempt, settleAttempts, spendDays } from '#store/tables/ledger.ts'
import type { Settlement } from '#store/tables/settlement.ts'
import { committedMicros } from '../../support/committed.ts'
import { databases } from '../../support/databases.ts'
import { migrations, newAccount } from './setting.ts'

const day = Date.UTC(2026, 10, 15)

const attempt = (accountId: string, name: string, change: Partial<Attempt> = {}): Attempt => ({
  attempt: name,
  accountId,
  keyId: null,
  taskId: null,
  runId: null,
  nodeId: null,
  operation: 'image',
  provider: 'double',
  model: 'm',
  unitPrice: null,
  reservedMicros: 100,
  createdAtMs: day,
  ...change,
})

const settle = (db: Db, settlements: Settlement[]) =>
  db.transaction((tx) => settleAttempts(tx, settlements))
const settlement = (name: string, change: Partial<Settlement> = {}): Settlement => ({
  attempt: name,
  outcome: 'SUCCEEDED',
  units: { images: 1 },
  costMicros: 40,
  nowMs: day,
  ...change,
})

for (const { name, open } of databases) {
  describe(`ledger on ${name}`, () => {
    test('what is in flight counts until it is settled, and then its real cost', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const account = newAccount()
      const committed = () => committedMicros(db, account, { keyId: null, fromDay: '2026-11-01' })
      await openAttempt(db, attempt(account, 'a'))
      await openAttempt(db, attempt(account, 'b'))
      assert.equal(await committed(), 200)
      await settle(db, [settlement('a')])
      assert.equal(await committed(), 140)
      await settle(db, [settlement('b', { outcome: 'REJECTED', costMicros: 0, units: {} })])
      assert.equal(await committed(), 40)
    })

    test('an attempt settles once, whoever repeats it', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const account = newAccount()
      await openAttempt(db, attempt(account, 'once'))
      await Promise.all(Array.from({ length: 8 }, () => settle(db, [settlement('once')])))
      const [sum] = await spendDays(db, account, '2026-11-01', '2026-11-30')
      assert.equal(sum?.calls, 1)
      assert.equal(sum?.cost_micros, 40)
    })

    test('the days add up to the ledger, by model, key and day, for any history', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const keys = [
        null,
        '018f0000-0000-7000-8000-000000000001',
        '018f0000-0000-7000-8000-000000000002',
      ]
      await fc.assert(
        fc.asyncProperty(
          fc.array(
            fc.record({
              key: fc.constantFrom(...keys),
              model: fc.constantFrom('x', 'y'),
              cost: fc.integer({ min: 0, max: 1_000_000 }),
              outcome: fc.constantFrom('SUCCEEDED', 'FAILED', 'REJECTED', 'UNKNOWN'),
              dayOffset: fc.integer({ min: 0, max: 3 }),
            }),
            { maxLength: 25 },
          ),
          async (history) => {
            const account = newAccount()
            const expected = new Map<string, number>()
            const settlements: Settlement[] = []
            for (const [i, h] of history.entries()) {
              const name = `${account}:${i}`
              await openAttempt(db, attempt(account, name, { keyId: h.key, model: h.model }))
              const nowMs = day + h.dayOffset * 86_400_000
              settlements.push(settlement(name, { outcome: h.outcome, costMicros: h.cost, nowMs }))
              const key = `2026-11-${15 + h.dayOffset} ${h.model} ${h.key ?? ''}`
              if (h.outcome !== 'REJECTED') expected.set(key, (expected.get(key) ?? 0) + h.cost)
            }
            await settle(db, settlements)
            const days = await spendDays(db, account, '2026-11-01', '2026-11-30')
            const actual = new Map(
              days.map((d) => [`${d.day} ${d.model} ${d.key_id}`, d.cost_micros]),
            )
            assert.deepEqual([...actual].sort(), [...expected].sort())
          },
        ),
        { numRuns: name === 'sqlite' ? 40 : 15 },
      )
    })
  })
}
