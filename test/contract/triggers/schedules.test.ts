import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { schedule } from '#engine/triggers/scheduler.ts'
import { deleteOldFirings, lastFirings, listFirings } from '#store/tables/firings.ts'
import { closeUnfinishedWork } from '#store/tables/restored-work.ts'
import { deleteOldTriggers, deleteTrigger, updateTrigger } from '#store/tables/triggers.ts'
import { deleteWorkflow } from '#store/tables/workflow-ends.ts'
import { databases } from '../../support/databases.ts'
import { migrations, newAccount } from '../runs/setting.ts'
import { countRuns, dayMs, fireByHand, minuteMs, openStage, startMs } from './setting.ts'

for (const { name, open } of databases) {
  describe(`schedules on ${name}`, () => {
    test('an occurrence fires once, however often and by however many it is looked at', async () => {
      await using database = await open({ migrations })
      const stage = await openStage(database.db)
      const id = await stage.add({ everySeconds: 60, startAtMs: startMs })
      const processes = Array.from({ length: 3 }, () => stage.deps())
      for (let minute = 0; minute < 5; minute++) {
        stage.time.nowMs = startMs + minute * minuteMs
        await Promise.all([...processes, ...processes].map((deps) => schedule(deps)))
      }
      const firings = await stage.firings(id)
      assert.deepEqual(
        firings.map(({ scheduled_at }) => scheduled_at),
        Array.from({ length: 5 }, (_, i) => startMs + i * minuteMs),
      )
      assert.ok(firings.every(({ status, run_id }) => status === 'STARTED' && run_id))
      assert.equal(await countRuns(database.db), 5)
    })

    test('a year of downtime becomes a hundred runs and one row that counts the rest', async () => {
      await using database = await open({ migrations })
      const stage = await openStage(database.db)
      const id = await stage.add({ everySeconds: 60, startAtMs: startMs })
      await stage.round(startMs + 365 * dayMs)
      const firings = await stage.firings(id)
      const missed = firings.filter(({ reason }) => reason === 'MISSED')
      assert.equal(firings.length, 103)
      assert.deepEqual(
        missed.map((row) => [row.scheduled_at, row.missed]),
        [[startMs, 365 * 1440 + 1 - 102]],
      )
      assert.equal(await countRuns(database.db), 102)
      assert.equal((await stage.trigger(id)).next_at, startMs + 365 * dayMs + minuteMs)
    })

    test('firings are listed for their account alone', async () => {
      await using database = await open({ migrations })
      const { db, accountId, ...stage } = await openStage(database.db)
      const triggerId = await stage.add({ everySeconds: 60, startAtMs: startMs })
      await stage.round(startMs)
      const seenBy = async (who: string) => {
        const all = { before: null, limit: 9 }
        const listed = await listFirings(db, { accountId: who, triggerId }, all)
        return [listed.length, (await lastFirings(db, who, [triggerId])).length]
      }
      assert.deepEqual(await seenBy(accountId), [1, 1])
      assert.deepEqual(await seenBy(newAccount()), [0, 0])
    })

    test('a clock that was set back only delays, one that was set forward fires what is due', async () => {
      await using database = await open({ migrations })
      const stage = await openStage(database.db)
      await stage.add({ everySeconds: 3_600, startAtMs: startMs })
      await stage.round(startMs)
      await stage.round(startMs - dayMs)
      assert.equal(await countRuns(database.db), 1)
      await stage.round(startMs + 60 * minuteMs)
      assert.equal(await countRuns(database.db), 2)
    })

    test('one time fires once; a process that was late makes up for it or says that it was missed', async () => {
      await using database = await open({ migrations })
      const stage = await openStage(database.db)
      const made = await stage.add({ atMs: startMs + minuteMs, catchUp: 'last' }, 'ONCE')
      const missed = await stage.add({ atMs: startMs + minuteMs, catchUp: 'none' }, 'ONCE')
      await stage.round(startMs + dayMs)
      await stage.round(startMs + 2 * dayMs)
      assert.deepEqual(
        (await stage.firings(made)).map(({ status }) => status),
        ['STARTED'],
      )
      assert.deepEqual(
        (await stage.firings(missed)).map(({ reason, missed: count }) => [reason, count]),
        [['MISSED', 1]],
      )
      assert.equal((await stage.trigger(made)).due_at, null)
    })

    test('skip leaves out an occurrence while an earlier run has not ended', async () => {
      await using database = await open({ migrations })
      const stage = await openStage(database.db)
      const id = await stage.add({ everySeconds: 60, startAtMs: startMs, overlap: 'skip' })
      await stage.round(startMs)
      await stage.round(startMs + minuteMs)
      await stage.end('COMPLETED')
      await stage.round(startMs + 2 * minuteMs)
      const firings = await stage.firings(id)
      assert.deepEqual(
        firings.map(({ status, reason }) => [status === 'ENDED' ? 'STARTED' : status, reason]),
        [
          ['STARTED', null],
          ['SKIPPED', 'SKIPPED_OVERLAP'],
          ['STARTED', null],
        ],
      )
    })

    test('queue starts them in order, one after the other, and keeps at most a hundred', async () => {
      await using database = await open({ migrations })
      const stage = await openStage(database.db)
      const id = await stage.add({ everySeconds: 60, startAtMs: startMs, overlap: 'queue' })
      for (let i = 0; i < 103; i++) await stage.round(startMs + i * minuteMs)
      assert.equal(await countRuns(database.db), 1)
      const reasons = (await stage.firings(id)).map(({ status, reason }) => reason ?? status)
      assert.deepEqual(reasons.slice(0, 2), ['STARTED', 'QUEUED'])
      assert.deepEqual(reasons.slice(-2), ['SKIPPED_OVERLAP', 'SKIPPED_OVERLAP'])
      for (let i = 0; i < 3; i++) {
        await stage.end('COMPLETED')
        // Several processes look at the same queue, and it moves on by one.
        const processes = [stage.deps(), stage.deps(), stage.deps()]
        await Promise.all(processes.map((deps) => schedule(deps)))
      }
      const runs = (await stage.firings(id)).filter(({ run_id }) => run_id)
      assert.deepEqual(
        runs.map(({ scheduled_at }) => scheduled_at),
        [0, 1, 2, 3].map((i) => startMs + i * minuteMs),
      )
      assert.equal(await countRuns(database.db), 4)
    })

    test('failures in a row pause it, and nothing is caught up when it is switched on again', async () => {
      await using database = await open({ migrations })
      const stage = await openStage(database.db)
      const id = await stage.add({
        ...{ everySeconds: 60, startAtMs: startMs, pauseAfterFailures: 2, overlap: 'queue' },
      })
      for (let i = 0; i < 3; i++) await stage.round(startMs + i * minuteMs)
      await stage.end('FAILED')
      await stage.round(startMs + 2 * minuteMs)
      await stage.end('FAILED')
      await stage.round(startMs + 3 * minuteMs)
      await stage.round(startMs + 60 * minuteMs)
      const paused = await stage.trigger(id)
      assert.equal(paused.paused_reason, 'FAILURES')
      assert.equal(paused.due_at, null)
      const reasons = (await stage.firings(id)).map(({ reason }) => reason)
      assert.deepEqual(reasons.slice(2), ['PAUSED', 'PAUSED'])
      assert.equal(await countRuns(database.db), 2)
      const next = { next_at: startMs + 61 * minuteMs, due_at: startMs + 61 * minuteMs }
      await updateTrigger(database.db, paused, { ...paused, ...next, nowMs: startMs })
      await stage.round(startMs + 61 * minuteMs)
      assert.equal(await countRuns(database.db), 3)
      assert.equal((await stage.trigger(id)).failures, 0)
    })

    test('a success in between ends the row of failures, a cancelled run does not count', async () => {
      await using database = await open({ migrations })
      const stage = await openStage(database.db)
      const id = await stage.add({ everySeconds: 60, startAtMs: startMs, pauseAfterFailures: 2 })
      const ends = ['FAILED', 'COMPLETED', 'FAILED', 'CANCELLED'] as const
      for (const [i, status] of ends.entries()) {
        await stage.round(startMs + i * minuteMs)
        await stage.end(status)
      }
      await stage.round(startMs + 4 * minuteMs)
      const { failures, paused_reason } = await stage.trigger(id)
      assert.deepEqual([failures, paused_reason], [1, null])
    })

    test('what a process left behind when it died is started by another, under the same key', async () => {
      await using database = await open({ migrations })
      const stage = await openStage(database.db)
      const id = await stage.add({ atMs: startMs + minuteMs }, 'ONCE')
      const asked: string[] = []
      const failing = stage.deps({
        start: async ({ run_key }) => {
          asked.push(run_key)
          throw new Error('the database is away')
        },
      })
      await stage.round(startMs + minuteMs, failing)
      assert.equal((await stage.firings(id))[0]?.status, 'PENDING')
      await stage.round(startMs + minuteMs + 1_000, failing)
      await stage.round(startMs + 2 * minuteMs)
      assert.equal((await stage.firings(id))[0]?.status, 'STARTED')
      assert.equal(new Set(asked).size, 1)
      const [run] = await database.db.query<{ idempotency_key: string }>(
        'select idempotency_key from runs',
      )
      assert.equal(run?.idempotency_key, asked[0])
    })

    test('a firing by hand happens once for each key, also if the trigger is off', async () => {
      await using database = await open({ migrations })
      const stage = await openStage(database.db)
      const id = await stage.add({ atMs: startMs + dayMs }, 'ONCE')
      const row = await stage.trigger(id)
      await updateTrigger(database.db, row, { ...row, enabled: 0, due_at: null, nowMs: startMs })
      const made = await Promise.all(['a', 'a', 'a', 'b'].map((key) => fireByHand(stage, id, key)))
      assert.equal(made.filter(Boolean).length, 2)
      await stage.round(startMs)
      assert.equal(await countRuns(database.db), 2)
    })

    test('a trigger goes with its workflow, and its row stays until its firings are gone', async () => {
      await using database = await open({ migrations })
      const stage = await openStage(database.db)
      const { db, accountId, workflow } = stage
      const id = await stage.add({ everySeconds: 60, startAtMs: startMs, overlap: 'queue' })
      await stage.round(startMs)
      await stage.round(startMs + minuteMs)
      const gone = { accountId, id: workflow.id, ifVersion: null, nowMs: startMs }
      assert.ok(await deleteWorkflow(db, gone))
      await stage.end('COMPLETED')
      await stage.round(startMs + dayMs)
      assert.deepEqual(
        (await stage.firings(id)).map(({ reason }) => reason),
        [null, 'NO_VERSION'],
      )
      assert.equal(await countRuns(db), 1)
      assert.notEqual((await stage.trigger(id)).deleted_at, null)
      assert.equal(await deleteTrigger(db, { accountId, workflowId: workflow.id, id }, 1), false)
      assert.equal(await deleteOldTriggers(db, startMs + dayMs, 10), 0)
      assert.equal(await deleteOldFirings(db, startMs + dayMs, 10), 2)
      assert.equal(await deleteOldTriggers(db, startMs + dayMs, 10), 1)
    })

    test('a restored copy fires nothing until somebody switches it on', async () => {
      await using database = await open({ migrations })
      const stage = await openStage(database.db)
      const id = await stage.add({ everySeconds: 60, startAtMs: startMs, overlap: 'queue' })
      await stage.round(startMs)
      await stage.round(startMs + minuteMs)
      const error = { code: 'QUARANTINED', message: 'restored', retryable: false } as const
      await closeUnfinishedWork(database.db, { nowMs: startMs, error })
      await stage.round(startMs + dayMs)
      assert.equal((await stage.trigger(id)).paused_reason, 'RESTORED')
      assert.deepEqual(
        (await stage.firings(id)).map(({ reason }) => reason),
        [null, 'PAUSED'],
      )
      assert.equal(await countRuns(database.db), 1)
    })
  })
}
