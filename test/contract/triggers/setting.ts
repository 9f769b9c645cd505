// Schedulers on a real database with a time of their own, and runs that only wait to be ended. Any
// of them can be taken from its database at any commit, as a kill would.
import assert from 'node:assert/strict'
import { systemClock } from '#core/clock.ts'
import { uuidV7 } from '#core/ids.ts'
import type { RunStatus } from '#core/run-states.ts'
import { type TriggerKind, type TriggerSettings, timetableOf } from '#core/triggers/trigger.ts'
import { createRunSubmitter } from '#engine/runs/submit-run.ts'
import { type FiringDeps, type StartRun, schedule } from '#engine/triggers/scheduler.ts'
import type { Db } from '#store/db.ts'
import { triggersIn } from '#store/engine/triggers.ts'
import { insertAccount } from '#store/tables/accounts.ts'
import { fireNow } from '#store/tables/fire-now.ts'
import { findTriggerById, insertTrigger, type TriggerRow } from '#store/tables/triggers.ts'
import { addWorkflow, chain, killable, newAccount, runsOn } from '../runs/setting.ts'

export const minuteMs = 60_000
export const dayMs = 24 * 60 * minuteMs
/** Where the simulated time of these tests begins. */
export const startMs = Date.UTC(2026, 0, 1)

export const settings: TriggerSettings = {
  inputs: { in: 'x' },
  metadata: {},
  callbackUrl: null,
  maxCost: null,
  overlap: 'allow',
  catchUp: 'all',
  pauseAfterFailures: 10,
}

export type Stage = Awaited<ReturnType<typeof openStage>>

/** An account with a workflow, and the time that its schedulers see. */
export async function openStage(db: Db) {
  const accountId = newAccount()
  await db.transaction((tx) => insertAccount(tx, { id: accountId, name: 'a', nowMs: 1 }))
  const workflow = await addWorkflow(db, accountId, chain(1))
  const time = { nowMs: startMs }
  /** Of one process. `start` decides what becomes of a firing; by default it becomes a run. */
  const deps = (options: { db?: Db; start?: StartRun } = {}): FiringDeps => {
    const own = options.db ?? db
    const triggers = { ...triggersIn(own, systemClock), now: async () => time.nowMs }
    const start = options.start ?? submitted(own, workflow.node_count)
    return { triggers, start, onError: () => {} }
  }
  return {
    db,
    accountId,
    workflow,
    time,
    deps,
    async round(nowMs: number, own = deps()) {
      time.nowMs = nowMs
      await schedule(own)
    },
    add: (change: Partial<TriggerSettings> = {}, kind: TriggerKind = 'SCHEDULE') =>
      addTrigger(db, accountId, workflow.id, { ...settings, ...change }, kind),
    trigger: async (id: string): Promise<TriggerRow> => {
      const row = await findTriggerById(db, id)
      assert.ok(row)
      return row
    },
    firings: (id: string) => firingsOf(db, id),
    end: (status: RunStatus, where = 'true') =>
      db.write(
        `update runs set status = $1, completed_at = 1 where completed_at is null and ${where}`,
        [status],
      ),
  }
}

/** Undefined if this occurrence has fired before. Whoever likes may start its run at once. */
export const fireByHand = ({ db, time: { nowMs } }: Stage, id: string, occurrence: string) =>
  fireNow(db, id, {
    ...{ occurrence, scheduledAtMs: nowMs, nowMs, heldUntilMs: nowMs },
  })

/** A process that dies at a commit, and what it had not stored by then is lost. */
export function mortal(stage: Stage) {
  const { process, ...store } = killable(stage.db)
  return { ...store, deps: stage.deps({ db: process }) }
}

export const submitted = (db: Db, nodeCount: number): StartRun => {
  const submit = createRunSubmitter({
    runs: runsOn(db),
    clock: systemClock,
    maxQueued: 100_000,
    queueTimeoutMs: 3_600_000,
  })
  return async (firing) => {
    const run = await submit({
      principal: {
        ...{ accountId: firing.account_id, keyId: null, limits: {} },
        accountSpendPerMonthMicros: null,
      },
      ...{ key: firing.run_key, fingerprint: firing.id, called: null, nodeCount },
      workflow: { id: firing.workflow_id, name: 'w', version: 1, dataVersion: 1 },
      ...{ inputs: '{"in":"x"}', metadata: {}, callbackUrl: null },
      ...{ maxCostMicros: null, retryOf: null },
    })
    return { runId: run.id }
  }
}

async function addTrigger(
  db: Db,
  accountId: string,
  workflowId: number,
  chosen: TriggerSettings,
  kind: TriggerKind,
): Promise<string> {
  const id = uuidV7(startMs)
  const next = timetableOf(kind, chosen)?.next(startMs - 1) ?? null
  const row = await insertTrigger(
    db,
    {
      ...{ id, kind, name: 't', enabled: 1, version: 'latest', settings: chosen },
      ...{ account_id: accountId, workflow_id: workflowId, token_hash: null },
      ...{ next_at: next, due_at: next, maker_user: null, maker_key: null, nowMs: startMs },
    },
    { most: 1_000 },
  )
  assert.ok(row && row !== 'too-many')
  return id
}

export type Fired = {
  occurrence: string
  scheduled_at: number
  status: string
  reason: string | null
  missed: number
  run_id: string | null
}

/** Oldest first. */
const firingsOf = (db: Db, triggerId: string): Promise<Fired[]> =>
  db.query(
    `select occurrence, scheduled_at, status, reason, missed, run_id from firings
     where trigger_id = $1 order by scheduled_at, id`,
    [triggerId],
  )

export async function countRuns(db: Db): Promise<number> {
  const [row] = await db.query<{ n: number }>('select count(*) as n from runs')
  return Number(row?.n)
}
