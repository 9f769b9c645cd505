import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createTaskSubmitter } from '#engine/submit-task.ts'
import { createRunIntake } from '#operations/runs/run-intake.ts'
import { createCatalogue } from '#providers/catalogue.ts'
import type { Db } from '#store/db.ts'
import { createRunEndRecorder } from '#store/tables/deliveries.ts'
import { claimDeliveries, lanesWithWork } from '#store/tables/delivery-claims.ts'
import { type ClaimedRun, claimRuns, releaseRun } from '#store/tables/run-work.ts'
import { claimTasks, findTask, releaseUntil, type TaskRow } from '#store/tables/tasks.ts'
import { databases } from '../../support/databases.ts'
import { addWorkflow, chain, migrations, newAccount, rowOf, submit } from '../runs/setting.ts'
import { addTask } from '../tasks/setting.ts'

const hourMs = 3_600_000
const limitMs = 60_000

/** Ahead by hours at first. */
function wrongClock() {
  const trueMs = 1_700_000_000_000
  let aheadMs = 5 * hourMs
  return { nowMs: () => trueMs + aheadMs, setRight: () => (aheadMs = 0), trueMs }
}

const claimAllTasks = (db: Db, accountId: string, nowMs: number): Promise<TaskRow[]> =>
  db.transaction((tx) =>
    claimTasks(tx, {
      workerId: 'w',
      accountId,
      limit: 10,
      nowMs,
      imageDeadlineMs: nowMs + limitMs,
      videoDeadlineMs: nowMs + limitMs,
    }),
  )

async function claimAllRuns(db: Db, accountId: string, nowMs: number): Promise<ClaimedRun[]> {
  const deadlineMs = nowMs + limitMs
  const claim = { workerId: 'w', accountId, limit: 10, room: 10, nowMs, deadlineMs }
  const [rows] = await db.writeAll(() => [claimRuns(db, claim)])
  return rows
}

for (const { name, open } of databases) {
  describe(`on ${name}, a clock that was ahead and is right again`, () => {
    test('delays no task, and its queue limit counts from now', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const clock = wrongClock()
      const accountId = newAccount()
      const submitTask = createTaskSubmitter({
        db,
        clock,
        chats: { flush: () => undefined },
        catalogue: createCatalogue([]),
        acceptImage: () => Promise.reject(new Error('no pictures here')),
        queueTimeoutMs: limitMs,
      })
      const send = () =>
        submitTask({
          principal: { accountId, keyId: null, limits: {}, accountSpendPerMonthMicros: null },
          kind: 'IMAGE',
          modelId: 'm',
          request: { prompt: 'p' },
        })
      const early = await send()
      clock.setRight()
      const late = await send()
      assert.ok(late.createdAtMs >= early.createdAtMs, 'the list keeps its order')
      const row = await findTask(db, accountId, late.id)
      assert.equal(row?.deadline_at, clock.trueMs + limitMs)
      const claimed = await claimAllTasks(db, accountId, clock.trueMs)
      assert.deepEqual(claimed.map(({ id }) => id).sort(), [early.id, late.id].sort())
    })

    test('delays no run, and its queue limit counts from now', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const clock = wrongClock()
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(1))
      const intake = createRunIntake({ db, clock, maxQueued: 9, queueTimeoutMs: limitMs })
      const { run: early } = await submit({ intake }, accountId, workflow, { key: 'early' })
      clock.setRight()
      const { run: late } = await submit({ intake }, accountId, workflow, { key: 'late' })
      assert.ok(late.created_at >= early.created_at, 'the list keeps its order')
      assert.equal((await rowOf(db, late.id)).deadline_at, clock.trueMs + limitMs)
      const claimed = await claimAllRuns(db, accountId, clock.trueMs)
      assert.deepEqual(claimed.map(({ id }) => id).sort(), [early.id, late.id].sort())
    })

    test('delays no delivery', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const clock = wrongClock()
      const accountId = newAccount()
      const record = createRunEndRecorder((id) => `http://atelier.test/${id}`)
      const end = (runId: string) =>
        db.transaction((tx) =>
          record(tx, {
            runId,
            accountId,
            workflowId: 1,
            status: 'COMPLETED',
            callbackUrl: 'http://receiver.test/',
            outputs: null,
            nodeErrors: [],
            metadata: {},
            cost: { amount: 0, currency: 'USD' },
            createdAtMs: clock.nowMs(),
            completedAtMs: clock.nowMs(),
            inFlightTaskMayComplete: false,
          }),
        )
      await end(newAccount())
      clock.setRight()
      await end(newAccount())
      const [lane = ''] = await lanesWithWork(db, '', 10)
      const claimed = await claimDeliveries(db, { workerId: 'w', lane, limit: 10 })
      assert.equal(claimed.length, 2)
    })

    test('delays nothing that was given back meanwhile', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const clock = wrongClock()
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(1))
      const intake = createRunIntake({ db, clock, maxQueued: 9, queueTimeoutMs: limitMs })
      const { run } = await submit({ intake }, accountId, workflow, { key: 'k' })
      const task = await addTask(db, accountId, { nowMs: clock.nowMs() })
      await claimAllRuns(db, accountId, clock.nowMs())
      await claimAllTasks(db, accountId, clock.nowMs())
      const pausedMs = clock.nowMs() + 2_000
      await db.transaction(async (tx) => {
        await releaseRun(
          tx,
          { runId: run.id, workerId: 'w', epoch: 1 },
          { runAtMs: pausedMs, releases: 0 },
        )
        await releaseUntil(tx, { taskId: task, workerId: 'w', epoch: 1 }, pausedMs)
      })
      assert.deepEqual(await claimAllRuns(db, accountId, pausedMs - 1), [], 'a pause is kept')
      assert.deepEqual(await claimAllTasks(db, accountId, pausedMs - 1), [], 'a pause is kept')
      clock.setRight()
      assert.equal((await claimAllRuns(db, accountId, clock.trueMs)).length, 1)
      assert.equal((await claimAllTasks(db, accountId, clock.trueMs)).length, 1)
    })
  })
}
