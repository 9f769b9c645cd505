import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Db } from '#store/db.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'

for (const { name, open } of databases) {
  describe(`notifications on ${name}`, () => {
    let opened: TestDatabase
    let db: Db
    before(async () => {
      opened = await open()
      db = opened.db
      await db.write('create table jobs (id integer primary key)')
    })
    after(() => opened?.close())

    const submit = (id: number, channel: string) =>
      db.transaction(async (tx) => {
        tx.notify(channel)
        await tx.write('insert into jobs (id) values ($1)', [id])
      })

    it('a listener that is woken finds what it was woken for', async () => {
      const found = Promise.withResolvers<unknown>()
      const stop = await db.listen('jobs', () => {
        found.resolve(db.query('select id from jobs'))
      })
      await submit(1, 'jobs')
      assert.deepEqual(await found.promise, [{ id: 1 }])
      await stop()
    })

    it('a transaction that failed wakes nobody', async () => {
      const woken: string[] = []
      const done = Promise.withResolvers<void>()
      await db.listen('refused', () => woken.push('refused'))
      await db.listen('accepted', () => done.resolve())
      await assert.rejects(submit(1, 'refused'))
      await submit(2, 'accepted')
      await done.promise
      assert.deepEqual(woken, [])
    })

    it('every listener of a channel is woken until it stops, and no other', async () => {
      const woken = { stopped: 0, first: 0, elsewhere: 0 }
      const second = Promise.withResolvers<void>()
      const stop = await db.listen('Wide "name"', () => (woken.stopped += 1))
      await db.listen('Wide "name"', () => (woken.first += 1))
      await db.listen('elsewhere', () => (woken.elsewhere += 1))
      await db.listen('Wide "name"', () => second.resolve())
      await stop()
      await submit(3, 'Wide "name"')
      await second.promise
      assert.deepEqual(woken, { stopped: 0, first: 1, elsewhere: 0 })
    })
  })
}
