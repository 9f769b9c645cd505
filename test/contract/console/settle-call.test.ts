import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { dayOf } from '#store/tables/day-sums.ts'
import { settleUnknown, spendDays } from '#store/tables/ledger.ts'
import { databases } from '../../support/databases.ts'
import { spendUse } from '../../support/spend-use.ts'
import { addCall, addRun } from './ledger-rows.ts'
import { type List, openPeople } from './people.ts'

type Call = {
  id: string
  isUnsettled: boolean
  remark: string | null
  cost: { amount: number } | null
}

const april = Date.UTC(2030, 3, 30)
const may = Date.UTC(2030, 4, 10, 12)

for (const { name, open } of databases) {
  describe(`a call whose outcome is unknown on ${name}`, () => {
    test('counts in full until an owner settles it, and then as they say', async () => {
      await using people = await openPeople(open, { nowMs: may })
      const { db, me, stranger } = people
      const unknown = { outcome: 'UNKNOWN' as const, costMicros: 41_000 }
      const runId = await addRun(db, me.accountId, 1)
      const lost = await addCall(db, me.accountId, { ...unknown, settledAtMs: april, runId })
      const kept = await addCall(db, me.accountId, { ...unknown, settledAtMs: may })
      await addCall(db, me.accountId, { costMicros: 5, settledAtMs: may })
      const unsettled = async () =>
        (await me.data<List<Call>>('listCalls', { query: { unsettled: 'true' } })).items
      assert.deepEqual(
        (await unsettled()).map(({ id, isUnsettled }) => [id, isUnsettled]),
        [
          [kept, true],
          [lost, true],
        ],
      )
      const refusalOf = async (who: typeof me, callId: string) =>
        (await who.refusal('settleCall', { params: { callId }, body: { cost: 0 } })).code
      assert.equal(await refusalOf(stranger, lost), 'CALL_NOT_FOUND')
      assert.equal(await refusalOf(me, randomUUID()), 'CALL_NOT_FOUND')
      const settled = await me.data<Call>('settleCall', {
        params: { callId: lost },
        body: { cost: 0.0125 },
      })
      assert.deepEqual(
        [settled.cost?.amount, settled.isUnsettled, settled.remark],
        [0.0125, false, 'SETTLED'],
      )
      assert.deepEqual(
        (await unsettled()).map(({ id }) => id),
        [kept],
      )
      // As two owners do who have both found it open.
      const again = { attempt: lost, costMicros: 1 }
      assert.equal(await db.transaction((tx) => settleUnknown(tx, me.accountId, again)), false)
      const foreign = { attempt: kept, costMicros: 1 }
      const { accountId } = stranger
      assert.equal(await db.transaction((tx) => settleUnknown(tx, accountId, foreign)), false)
      assert.equal((await unsettled()).length, 1)
      // It counts in the month in which it was made.
      const days = await spendDays(db, me.accountId, dayOf(april), dayOf(may))
      assert.deepEqual(
        days.map(({ day, calls, cost_micros }) => [day, calls, cost_micros]),
        [
          [dayOf(may), 2, 41_005],
          [dayOf(april), 1, 12_500],
        ],
      )
      const fromDay = '2030-05-01'
      const use = await spendUse(db, me.accountId, { keyId: null, fromDay })
      assert.deepEqual(use, { spentMicros: 41_005, heldMicros: 0 })
      const [run] = await db.query<{ in_flight: number }>(
        'select in_flight from runs where id = $1',
        [runId],
      )
      assert.equal(run?.in_flight, 1, 'the cost of its run is added up again')
      assert.equal(await refusalOf(me, lost), 'CALL_NOT_FOUND')
    })

    test('is settled once, and the audit log says by whom and from what to what', async () => {
      await using people = await openPeople(open, { nowMs: may })
      const { db, me } = people
      const entry = { outcome: 'UNKNOWN' as const, costMicros: 41_000, settledAtMs: may }
      const lost = await addCall(db, me.accountId, entry)
      await me.data('settleCall', { params: { callId: lost }, body: { cost: 0 } })
      const { items } = await me.data<List<{ action: string; target: string }>>('listAudit')
      assert.deepEqual(
        items.filter(({ action }) => action === 'call.settled').map(({ target }) => target),
        [`${lost}: 0.041 to 0 USD`],
      )
    })
  })
}
