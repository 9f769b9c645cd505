import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { uuidV7 } from '#core/ids.ts'
import type { WaitAnswer } from '#core/wait-facts.ts'
import type { Db } from '#store/db.ts'
import { passWaitsOf } from '#store/tables/sleeping-runs.ts'
import {
  answerWait,
  closeWaitsOfRuns,
  findWait,
  type NewWait,
  openWaits,
  waitsOfRun,
  wakeRun,
} from '#store/tables/waits.ts'
import { databases } from '../../support/databases.ts'
import { addRun, addWorkflow, chain, migrations, newAccount } from './setting.ts'

const approval: WaitAnswer = { decision: 'approve' }

const waitOf = (account_id: string, run_id: string): NewWait => ({
  ...{ id: randomUUID(), account_id, run_id, path: 'ok#0', node_id: 'ok', kind: 'APPROVAL' },
  ...{ title: 'Publish?', until_ms: null, after_ms: 5_000, value: '"v"', value_digest: 'd' },
  details: { approvers: ['a@example.com'] },
})

async function oneWait(db: Db) {
  const account = newAccount()
  const runId = await addRun(db, account, await addWorkflow(db, account, chain(1)))
  const wait = waitOf(account, runId)
  await db.writeAll(() => [openWaits(db.dialect, [wait])])
  return { account, runId, wait }
}

for (const { name, open } of databases) {
  describe(name, () => {
    test('a wait is stored once per path, and read with its settings', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const { account, runId, wait } = await oneWait(db)
      await db.writeAll(() => [openWaits(db.dialect, [{ ...wait, id: randomUUID() }])])
      const rows = await waitsOfRun(db, account, runId)
      assert.deepEqual(
        rows.map(({ id, status, details }) => ({ id, status, details })),
        [{ id: wait.id, status: 'OPEN', details: wait.details }],
      )
      assert.equal(await findWait(db, newAccount(), runId, wait.id), undefined)
    })

    test('of a run that waited thousands of times, only what is shown of it is read', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const { account, runId } = await oneWait(db)
      const items = Array.from({ length: 1_000 }, (_, i) => ({
        ...waitOf(account, runId),
        ...{ id: uuidV7(i), path: `list[${i}]#0`, title: String(i) },
      }))
      await db.writeAll(() => [openWaits(db.dialect, items)])
      await db.write(`update waits set status = 'PASSED' where run_id = $1 and title <> '998'`, [
        runId,
      ])
      const titles = async (only?: 'open') =>
        (await waitsOfRun(db, account, runId, only)).map(({ title }) => title)
      assert.deepEqual(await titles('open'), ['998'])
      const newest = await titles()
      assert.equal(newest.length, 200)
      assert.deepEqual(newest.slice(-2), ['999', 'Publish?'])
    })

    test('of two answers at once one is stored, and a run that has failed takes none', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const { account, runId, wait } = await oneWait(db)
      const answer = (by: string) =>
        db.transaction(async (tx) => {
          const woken = await wakeRun(tx, account, runId)
          const found = await findWait(tx, account, runId, wait.id)
          if (!woken?.canBeAnswered || found?.status !== 'OPEN') return false
          const held = JSON.stringify(approval)
          await answerWait(tx, found, { held, by, from: null, nowMs: 1 })
          return true
        })
      const won = await Promise.all(['a', 'b', 'c'].map(answer))
      assert.equal(won.filter(Boolean).length, 1)
      const [answered] = await waitsOfRun(db, account, runId)
      assert.equal(answered?.answered_by, ['a', 'b', 'c'][won.indexOf(true)])
      await db.write(`update runs set node_errors = '[]' where id = $1`, [runId])
      const woken = await db.transaction((tx) => wakeRun(tx, account, runId))
      assert.deepEqual(woken, { canBeAnswered: false })
    })

    test('time closes what is due, each kind in its way, and nothing before its time', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const { account, runId, wait } = await oneWait(db)
      const due = { ...wait, after_ms: -1 }
      const waits: NewWait[] = [
        { ...due, id: randomUUID(), path: 'delay#0', kind: 'DELAY' },
        { ...due, id: randomUUID(), path: 'late#0' },
      ]
      await db.writeAll(() => [openWaits(db.dialect, waits)])
      await passWaitsOf(db, [runId])
      const statuses = (await waitsOfRun(db, account, runId)).map(({ path, status }) => [
        path,
        status,
      ])
      assert.deepEqual(Object.fromEntries(statuses), {
        'ok#0': 'OPEN',
        'delay#0': 'PASSED',
        'late#0': 'EXPIRED',
      })
    })

    test('what a run waited for is closed with it, and nobody wakes a run that has ended', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const { account, runId } = await oneWait(db)
      await db.writeAll(() => [
        { sql: `update runs set completed_at = 1 where id = $1`, rows: [[runId]] },
        closeWaitsOfRuns(db.dialect, [runId]),
      ])
      const [closed] = await waitsOfRun(db, account, runId)
      assert.equal(closed?.status, 'CANCELLED')
      assert.equal(await db.transaction((tx) => wakeRun(tx, account, runId)), undefined)
    })
  })
}
