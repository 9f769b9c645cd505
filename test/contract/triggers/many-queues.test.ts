// Queues whose runs last for weeks, because they wait for people, do not hold up those of others.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { uuidV7 } from '#core/ids.ts'
import type { Db } from '#store/db.ts'
import { databases } from '../../support/databases.ts'
import { addRun, addWorkflow, chain, migrations, newAccount } from '../runs/setting.ts'
import { fireByHand, minuteMs, openStage, startMs } from './setting.ts'

/** As many triggers of another account have: a run that has not ended, and a firing that waits for it. */
async function waitingQueues(db: Db, count: number) {
  const accountId = newAccount()
  const workflow = await addWorkflow(db, accountId, chain(1))
  const runId = await addRun(db, accountId, workflow, { isNotified: false })
  // Older than all others.
  const ids = Array.from({ length: count }, (_, i) => uuidV7(startMs - minuteMs - i))
  const rows = ids.flatMap((triggerId) => [
    [randomUUID(), accountId, triggerId, workflow.id, 'first', 'STARTED', randomUUID(), runId],
    [randomUUID(), accountId, triggerId, workflow.id, 'second', 'QUEUED', randomUUID(), null],
  ])
  const insert = {
    sql: `insert into firings (id, account_id, trigger_id, workflow_id, occurrence, scheduled_at,
        created_at, status, run_key, run_id) values ($1, $2, $3, $4, $5, 1, 1, $6, $7, $8)`,
    rows,
  }
  await db.writeAll(() => [insert])
}

for (const { name, open } of databases) {
  describe(`queues of triggers, on ${name}`, () => {
    test('move on, however many others wait', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const stage = await openStage(db)
      await waitingQueues(db, 1_000)
      const id = await stage.add({ overlap: 'queue' }, 'WEBHOOK')
      for (const key of ['one', 'two']) await fireByHand(stage, id, key)
      await stage.round(startMs + minuteMs)
      const states = async () => (await stage.firings(id)).map(({ status }) => status)
      assert.deepEqual(await states(), ['STARTED', 'QUEUED'])
      await stage.end('COMPLETED', `account_id = '${stage.accountId}'`)
      await stage.round(startMs + 2 * minuteMs)
      assert.deepEqual(await states(), ['ENDED', 'STARTED'])
    })
  })
}
