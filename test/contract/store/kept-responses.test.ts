import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createKeptResponses, type KeptResponse } from '#api/kept-responses.ts'
import { uuidV7 } from '#core/ids.ts'
import { deleteExpired } from '#operate/upkeep.ts'
import type { Db } from '#store/db.ts'
import { deleteOldestResponses, sizeOfKeptResponses } from '#store/tables/kept-responses.ts'
import { databases } from '../../support/databases.ts'
import { box, handClock, makePerson, migrations } from '../auth/setting.ts'

const hourMs = 3_600_000

const kept = (previousId: string | null, said: string): KeptResponse => ({
  id: uuidV7(Date.UTC(2030, 0, 1)),
  previousId,
  input: [{ role: 'user', content: said }],
  response: { output: [{ type: 'message' }] },
})

async function setting(db: Db) {
  const clock = handClock()
  const open = () => createKeptResponses({ db, box, clock, keptMs: 24 * hourMs })
  const people = [await makePerson(db, clock.at), await makePerson(db, clock.at)] as const
  const [mine, other] = people.map(({ accountId }) => accountId) as [string, string]
  return { clock, open, keep: open(), mine, other }
}

for (const { name, open: openDatabase } of databases) {
  describe(`kept responses on ${name}`, () => {
    test('are read by another process, by their account alone, and by nobody in the database', async () => {
      await using opened = await openDatabase({ migrations })
      const { db } = opened
      const { open, keep, mine, other } = await setting(db)
      const first = kept(null, 'a secret of mine')
      const second = kept(first.id, 'and more')
      assert.equal(await keep.keep(mine, first, []), true)
      assert.equal(await keep.keep(mine, second, [first.id]), true)
      const elsewhere = open()
      assert.deepEqual(await elsewhere.chain(mine, second.id), [first, second])
      assert.deepEqual(await elsewhere.find(mine, [first.id]), [first])
      assert.equal(await elsewhere.chain(other, second.id), null)
      assert.deepEqual(await elsewhere.find(other, [first.id]), [])
      assert.equal(await elsewhere.delete(other, first.id), false)
      const rows = await db.query<{ content: Uint8Array }>('select content from kept_responses')
      for (const { content } of rows) {
        assert.doesNotMatch(Buffer.from(content).toString('latin1'), /secret|user/)
      }
      // A row that was copied to another account cannot be opened there.
      await db.write('update kept_responses set account_id = $1', [other])
      await assert.rejects(elsewhere.find(other, [first.id]))
    })

    test('are gone when they expire, unless a later one continues them', async () => {
      await using opened = await openDatabase({ migrations })
      const { db } = opened
      const { clock, keep, mine } = await setting(db)
      const [first, lonely] = [kept(null, 'one'), kept(null, 'alone')]
      await keep.keep(mine, first, [])
      await keep.keep(mine, lonely, [])
      clock.at += 20 * hourMs
      const second = kept(first.id, 'two')
      await keep.keep(mine, second, [first.id])
      clock.at += 20 * hourMs
      assert.deepEqual(await keep.chain(mine, second.id), [first, second])
      assert.deepEqual(await keep.find(mine, [lonely.id]), [])
      assert.equal(await keep.delete(mine, lonely.id), false)
      const config = { RETENTION_DAYS: 1, AUDIT_DAYS: 1 }
      const media = { deleteExpired: async () => 0 }
      await deleteExpired({ config, db, clock, media }, new AbortController().signal)
      const left = await db.query<{ id: string }>('select id from kept_responses order by id')
      assert.deepEqual(
        left.map(({ id }) => id),
        [first.id, second.id].sort(),
      )
    })

    test('are not continued once a part of the conversation was deleted', async () => {
      await using opened = await openDatabase({ migrations })
      const { keep, mine } = await setting(opened.db)
      const first = kept(null, 'one')
      const second = kept(first.id, 'two')
      await keep.keep(mine, first, [])
      await keep.keep(mine, second, [first.id])
      assert.equal(await keep.delete(mine, first.id), true)
      assert.equal(await keep.chain(mine, second.id), null)
      assert.equal((await keep.find(mine, [second.id])).length, 1)
    })

    test('of one account take only so much room: the oldest go first', async () => {
      await using opened = await openDatabase({ migrations })
      const { db } = opened
      const { clock, keep, mine, other } = await setting(db)
      const all = ['one', 'two', 'six'].map((said) => kept(null, said))
      for (const one of all) {
        await keep.keep(mine, one, [])
        clock.at += 1
      }
      await keep.keep(other, kept(null, 'one'), [])
      const each = (await sizeOfKeptResponses(db, mine)) / 3
      await deleteOldestResponses(db, mine, each * 2)
      const ids = all.map(({ id }) => id)
      assert.deepEqual(await keep.find(mine, ids), all.slice(1))
      assert.ok((await sizeOfKeptResponses(db, other)) > 0)
      const long = kept(null, 'x'.repeat(17 * 1024 * 1024))
      assert.equal(await keep.keep(mine, long, []), false)
    })

    test('are none if the operator wants none', async () => {
      await using opened = await openDatabase({ migrations })
      const { clock, mine } = await setting(opened.db)
      const none = createKeptResponses({ db: opened.db, box, clock, keptMs: 0 })
      assert.deepEqual([none.isOn, await none.keep(mine, kept(null, 'x'), [])], [false, false])
    })
  })
}
