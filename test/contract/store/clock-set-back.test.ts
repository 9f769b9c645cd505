import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createCatalogue } from '#core/catalogue.ts'
import { systemClock } from '#core/clock.ts'
import { createRunSubmitter } from '#engine/runs/submit-run.ts'
import { createTaskSubmitter } from '#engine/tasks/submit-task.ts'
import type { Db } from '#store/db.ts'
import { ledgerIn } from '#store/engine/ledger.ts'
import { openChatIntents } from '#store/journals/chat-intents.ts'
import {
  type ClaimedRow,
  type ClaimRules,
  claimStatement,
  queuesWithWork,
  releaseUnfinished,
} from '#store/tables/claims.ts'
import { createRunEndRecorder } from '#store/tables/deliveries.ts'
import { deliveryClaims } from '#store/tables/delivery-claims.ts'
import { runClaims } from '#store/tables/run-work.ts'
import { findTask, releaseUntil, taskClaims } from '#store/tables/tasks.ts'
import { databases } from '../../support/databases.ts'
import {
  addWorkflow,
  chain,
  migrations,
  newAccount,
  rowOf,
  runsOn,
  submit,
} from '../runs/setting.ts'
import { addTask } from '../tasks/setting.ts'

const hourMs = 3_600_000
const limitMs = 60_000

/** Ahead by hours at first. */
function wrongClock() {
  const trueMs = 1_700_000_000_000
  let aheadMs = 5 * hourMs
  return { ...systemClock, nowMs: () => trueMs + aheadMs, setRight: () => (aheadMs = 0), trueMs }
}

async function claimAll<Row extends ClaimedRow>(
  db: Db,
  rules: ClaimRules<Row>,
  queue: string,
  times: readonly number[],
): Promise<Row[]> {
  const claim = { owner: 'w', queue, limit: 10, room: 10 }
  const [rows] = await db.writeAll(() => [claimStatement(db, rules, claim, times)])
  return rules.selection.read(rows)
}

const claimAllTasks = (db: Db, accountId: string, nowMs: number) =>
  claimAll(db, taskClaims, accountId, [nowMs, nowMs + limitMs, nowMs + limitMs])

const claimAllRuns = (db: Db, accountId: string, nowMs: number) =>
  claimAll(db, runClaims, accountId, [nowMs, nowMs + limitMs])

for (const { name, open } of databases) {
  describe(`on ${name}, a clock that was ahead and is right again`, () => {
    test('delays no task, and its queue limit counts from now', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const clock = wrongClock()
      const accountId = newAccount()
      const submitTask = createTaskSubmitter({
        ledger: ledgerIn(db, openChatIntents(db, systemClock), systemClock),
        clock,
        spending: { admit: () => assert.fail('nothing is limited here') },
        catalogue: createCatalogue([]),
        acceptImage: () => Promise.reject(new Error('no pictures here')),
        queueTimeoutMs: limitMs,
        roomTimeoutMs: limitMs,
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
      const submitRun = createRunSubmitter({
        runs: runsOn(db),
        clock,
        maxQueued: 9,
        queueTimeoutMs: limitMs,
      })
      const early = await submit({ submitRun }, accountId, workflow, { key: 'early' })
      clock.setRight()
      const late = await submit({ submitRun }, accountId, workflow, { key: 'late' })
      assert.ok(late.createdAtMs >= early.createdAtMs, 'the list keeps its order')
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
      const [queue = ''] = await queuesWithWork(db, deliveryClaims, null, 10)
      const claimed = await claimAll(db, deliveryClaims, queue, [])
      assert.equal(claimed.length, 2)
    })

    test('delays nothing that was given back meanwhile', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const clock = wrongClock()
      const accountId = newAccount()
      const workflow = await addWorkflow(db, accountId, chain(1))
      const submitRun = createRunSubmitter({
        runs: runsOn(db),
        clock,
        maxQueued: 9,
        queueTimeoutMs: limitMs,
      })
      const run = await submit({ submitRun }, accountId, workflow, { key: 'k' })
      const task = await addTask(db, accountId, { nowMs: clock.nowMs() })
      await claimAllRuns(db, accountId, clock.nowMs())
      await claimAllTasks(db, accountId, clock.nowMs())
      const pausedMs = clock.nowMs() + 2_000
      await db.transaction(async (tx) => {
        const held = { owner: 'w', epoch: 1 }
        const next = { atMs: pausedMs, releases: 0 }
        await releaseUnfinished(tx, 'runs', { id: run.id, ...held }, next)
        await releaseUntil(tx, { id: task, ...held }, { runAtMs: pausedMs })
      })
      assert.deepEqual(await claimAllRuns(db, accountId, pausedMs - 1), [], 'a pause is kept')
      assert.deepEqual(await claimAllTasks(db, accountId, pausedMs - 1), [], 'a pause is kept')
      clock.setRight()
      assert.equal((await claimAllRuns(db, accountId, clock.trueMs)).length, 1)
      assert.equal((await claimAllTasks(db, accountId, clock.trueMs)).length, 1)
    })
  })
}
