// A picture is found from the moment at which it was sent: while it is being made, once it is there
// and its run has not learnt that yet, and afterwards. Whoever looks in between would pay again.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import type { BegunStep } from '#core/step-states.ts'
import type { Db } from '#store/db.ts'
import { reuseIn } from '#store/engine/reuse.ts'
import { keepLateCall, spoilCalls } from '#store/tables/reusable-calls.ts'
import { putSteps, stepsInRows } from '#store/tables/steps.ts'
import { databases } from '../../support/databases.ts'
import { addTask } from '../tasks/setting.ts'
import { addRun, addWorkflow, chain, migrations, newAccount } from './setting.ts'

const key = 'the same picture'
const path = 'i#0'
const madeAt = 5_000

/** A run that waits for a picture which was sent, and who looks for the same. */
async function pictureSent(db: Db) {
  const account = newAccount()
  const workflow = await addWorkflow(db, account, chain(1))
  const runId = await addRun(db, account, workflow, { isNotified: false })
  const own = { run_id: runId, node_id: 'i', source: 'WORKFLOW', reuse_key: key } as const
  const taskId = await addTask(db, account, own)
  const begun: BegunStep = {
    ...{ run_id: runId, path, kind: 'MEDIA', status: 'STARTED', attempts: 1, started_at: 1 },
    ...{ ended_at: null, task_id: taskId, result: null, error: null, cost_micros: null },
    reuse: key,
  }
  await db.writeAll(() => [putSteps(db.dialect, [begun])])
  const set = (columns: string) => db.write(`update tasks set ${columns}`)
  await set(`status = 'RUNNING', stage = 'SUBMITTED', submitted_at = 1`)
  const reuse = reuseIn(db, stepsInRows(db), systemClock)
  /** By whom it is found: as an answer, or as a picture that may be waited for. */
  const found = async (sinceMs = 0) => {
    const answer = await reuse.find(account, { key, sinceMs })
    const ordered = await reuse.underWay(account, { key, runId: null, sinceMs })
    return [answer?.taskId ?? null, ordered[0]?.taskId ?? null]
  }
  const end = () =>
    db.writeAll(() =>
      keepLateCall(account, {
        ...{ ...begun, status: 'DONE', ended_at: madeAt, result: '[]', cost_micros: 5 },
      }),
    )
  return { account, runId, taskId, set, found, end }
}

for (const { name, open } of databases) {
  describe(`a picture that a run has ordered, on ${name}`, () => {
    test('is found before its run knows that it was made', async () => {
      await using database = await open({ migrations })
      const { taskId, set, found, end } = await pictureSent(database.db)
      assert.deepEqual(await found(), [null, taskId], 'it is being made')
      await set(`status = 'COMPLETED', completed_at = ${madeAt}, media = '[]', owner = null`)
      assert.deepEqual(await found(), [null, taskId], 'it was made')
      assert.deepEqual(await found(madeAt + 1), [null, null], 'it is too old for who looks')
      await end()
      assert.equal((await found())[0], taskId, 'its run knows')
    })

    test('is not found if it came to nothing, or if its node could not use it', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const { account, runId, set, found, end } = await pictureSent(db)
      await set(`status = 'FAILED', completed_at = ${madeAt}, owner = null`)
      assert.deepEqual(await found(), [null, null])
      await set(`status = 'COMPLETED', media = '[]'`)
      await end()
      await db.writeAll(() => spoilCalls(account, [{ runId, path }]))
      assert.deepEqual(await found(), [null, null])
    })
  })
}
