import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { openPeople, refusedAt, type Someone } from './people.ts'

for (const { name, open } of databases) {
  describe(`spend on ${name}`, () => {
    const spent = async (someone: Someone, query: Record<string, string>) => {
      const { items } = await someone.data<{ items: { day: string }[] }>('getSpend', { query })
      return items.map(({ day }) => day)
    }

    test('one answer shows at most a leap year, and says so of a longer span', async () => {
      await using people = await openPeople(open, { nowMs: Date.UTC(2030, 0, 10) })
      const { me } = people
      assert.deepEqual(await spent(me, { from: '2028-01-01', to: '2028-12-31' }), [])
      const tooLong: Record<string, string>[] = [
        { from: '2028-01-01', to: '2029-01-01' },
        { from: '0001-01-01' },
        { from: '2029-01-01', to: '9999-12-31' },
      ]
      for (const query of tooLong) {
        const refused = await refusedAt(me, 'getSpend', { query })
        assert.deepEqual(refused, [400, 'INVALID_REQUEST', '/query/from'])
      }
      assert.equal((await refusedAt(me, 'getSpend', { query: { to: '2029-02-30' } }))[0], 400)
      assert.deepEqual(await spent(me, { to: '0000-01-01' }), [])
    })

    test('a last day alone shows what was spent in the 30 days before it', async () => {
      await using people = await openPeople(open, { nowMs: Date.UTC(2030, 0, 10) })
      const { db, me } = people
      for (const day of ['2028-02-28', '2028-03-01', '2028-03-31', '2028-04-01']) {
        await db.write(
          `insert into spend_days (account_id, day, model, key_id, calls, input_tokens,
             output_tokens, images, video_seconds, cost_micros)
           values ($1, $2, 'm', '', 1, 0, 0, 0, 0, 5)`,
          [me.accountId, day],
        )
      }
      assert.deepEqual(await spent(me, { to: '2028-03-31' }), ['2028-03-31', '2028-03-01'])
      assert.deepEqual(await spent(me, { from: '2028-01-01', to: '2028-12-31' }), [
        ...['2028-04-01', '2028-03-31', '2028-03-01', '2028-02-28'],
      ])
    })
  })
}
