import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { reachedAtMs } from '#api/console/live/live.ts'
import type { ServerFacts } from '#api/console/server-facts.ts'
import type { CatalogueEntry } from '#core/catalogue.ts'
import type { CallDelay, DelayedCall } from '#core/delayed-call.ts'
import { packNodes } from '#core/run-nodes.ts'
import { databases } from '../../support/databases.ts'
import { endRun } from '../deliveries/setting.ts'
import { addCall, addRun } from './ledger-rows.ts'
import { openPeople } from './people.ts'

type Counts = { running: number; queued: number; waiting: number; retrying: number }
type Live = {
  runs: Counts & { oldestQueuedAt: string | null }
  tasks: { running: number; queued: number; oldestQueuedAt: string | null }
  deliveries: { retrying: number; nextAt: string | null }
  cost: {
    thisHour: { amount: number }
    thisMonth: { amount: number }
    limit: { amount: number } | null
    reachedAt: string | null
  }
  workflows: (Counts & { workflowId: number; name: string; oldestAt: string })[]
  calls: { provider: string; model: string; inFlight: number }[]
  lanes: {
    provider: string
    waiting: number
    oldestAt: string | null
    nextAt: string | null
    keys: { name: string | null; inFlight: number; paused: { until: string; why: string } | null }[]
  }[]
}

const nowMs = Date.UTC(2030, 4, 10, 12, 30)
const unlimited = { limits: { spendPerMonth: null } } as ServerFacts
const at = (ms: number) => new Date(ms).toISOString()

for (const { name, open } of databases) {
  describe(`what runs now, on ${name}`, () => {
    test('is counted by state and by workflow, with the oldest, for its own account', async () => {
      await using people = await openPeople(open, { nowMs, server: unlimited })
      const { db, me, stranger } = people
      await db.write(`insert into workers (id, lease_until, started_at) values ('w', 1, 1)`)
      const open_ = { status: 'RUNNING', completed_at: null }
      const add = (workflowId: number, columns: Record<string, string | number | null>) =>
        addRun(db, me.accountId, workflowId, { ...open_, created_at: nowMs - 1_000, ...columns })
      await add(1, { owner: 'w', started_at: 1, workflow_name: 'One' })
      await add(1, { status: 'QUEUED', run_at: nowMs - 90_000, workflow_name: 'One' })
      await add(1, { status: 'QUEUED', run_at: nowMs - 60_000, workflow_name: 'One' })
      await add(2, { started_at: 1, wake_at: 9e12, workflow_name: 'Two' })
      await add(2, { started_at: 1, run_at: nowMs, created_at: 5_000, workflow_name: 'Two' })
      await addRun(db, me.accountId, 3)
      const { runs, workflows, tasks } = await me.data<Live>('getLive')
      const counts = { running: 1, queued: 2, waiting: 1, retrying: 1 }
      assert.deepEqual(runs, { ...counts, oldestQueuedAt: at(nowMs - 90_000) })
      assert.deepEqual(
        workflows.map((one) => [one.workflowId, one.name, one.running, one.queued]),
        [
          [1, 'One', 1, 2],
          [2, 'Two', 0, 0],
        ],
      )
      const two = workflows[1]
      assert.deepEqual([two?.waiting, two?.retrying, two?.oldestAt], [1, 1, at(5_000)])
      assert.deepEqual(tasks, { running: 0, queued: 0, oldestQueuedAt: null })
      const theirs = await stranger.data<Live>('getLive')
      assert.deepEqual(theirs.workflows, [])
      assert.equal(theirs.runs.running + theirs.runs.queued + theirs.runs.waiting, 0)
    })

    test('names calls in flight, webhooks to be sent again, and the cost of the hour', async () => {
      await using people = await openPeople(open, { nowMs, server: unlimited })
      const { db, me, stranger, nobody } = people
      await me.data('updateAccount', { body: { name: 'me', spendLimit: 10 } })
      const spent = (costMicros: number, settledAtMs: number) =>
        addCall(db, me.accountId, { costMicros, settledAtMs })
      await spent(3_000_000, nowMs - 2 * 3_600_000)
      await spent(1_000_000, nowMs - 60_000)
      await addCall(db, me.accountId, { provider: 'openai', model: 'a/b', createdAtMs: nowMs })
      await addCall(db, me.accountId, { provider: 'openai', model: 'a/b', createdAtMs: nowMs })
      await endRun(db, { accountId: me.accountId })
      await db.write('update deliveries set retry_at = $1 where account_id = $2', [
        nowMs + 5_000,
        me.accountId,
      ])
      const { cost, calls, deliveries } = await me.data<Live>('getLive')
      assert.deepEqual([cost.thisHour.amount, cost.thisMonth.amount], [1, 4])
      // 1 USD in the first half hour leaves 6 for three hours.
      assert.equal(cost.reachedAt, at(nowMs + 3 * 3_600_000))
      assert.deepEqual(
        calls.map(({ provider, model, inFlight }) => [provider, model, inFlight]),
        [['openai', 'a/b', 2]],
      )
      assert.deepEqual(deliveries, { retrying: 1, nextAt: at(nowMs + 5_000) })
      const theirs = await stranger.data<Live>('getLive')
      assert.deepEqual([theirs.calls, theirs.deliveries.retrying], [[], 0])
      assert.equal((await nobody.refusal('getLive')).code, 'AUTH_REQUIRED')
    })

    test('shows limits and pauses of provider keys, with calls of its own account only', async () => {
      const lane = { provider: 'openai', model: null, limits: { concurrency: 8 }, paused: null }
      const paused = { model: null, untilMs: nowMs + 30_000, why: 'REFUSED' } as const
      await using people = await openPeople(open, {
        nowMs,
        server: unlimited,
        lanes: () => [
          { ...lane, key: 'eu' },
          { ...lane, key: 'us', limits: {}, paused },
        ],
        entries: [
          { model: { id: 'gpt' }, provider: 'openai' },
          { model: { id: 'flux' }, provider: 'fal' },
        ] as CatalogueEntry[],
      })
      const { db, me, stranger } = people
      const via = { deployment: 'eu' }
      await addCall(db, me.accountId, { provider: 'openai', createdAtMs: nowMs, via })
      await addCall(db, me.accountId, { provider: 'openai', createdAtMs: nowMs, via })
      await addCall(db, me.accountId, { provider: 'fal', createdAtMs: nowMs })
      const delay = (model: string, kind: CallDelay['kind'], untilMs: number | null) => ({
        ...{ kind, model, path: 'a', sinceMs: nowMs - 5_000, untilMs, attempts: 0, failures: 0 },
      })
      const begun = { attempts: 1, startedAtMs: nowMs - 9_000, completedAtMs: null }
      const node = { ...begun, taskId: null, costMicros: null, isCut: false, items: null }
      const asleep = (delayed: DelayedCall[]) =>
        addRun(db, me.accountId, 1, {
          ...{ status: 'RUNNING', completed_at: null, started_at: 1, wake_at: nowMs + 20_000 },
          nodes: packNodes([{ ...node, status: 'RUNNING', failedItems: 0, delayed }], 0),
        })
      await asleep([delay('gpt', 'LANE', nowMs + 20_000), delay('gpt', 'RETRY', nowMs + 1)])
      await asleep([delay('gpt', 'LANE', null), delay('flux', 'RATE_LIMIT', nowMs + 40_000)])
      const { lanes } = await me.data<Live>('getLive')
      assert.deepEqual(
        lanes.map((one) => [one.provider, one.waiting, one.oldestAt, one.nextAt]),
        [
          ['fal', 1, at(nowMs - 5_000), at(nowMs + 40_000)],
          ['openai', 2, at(nowMs - 5_000), at(nowMs + 20_000)],
        ],
      )
      assert.deepEqual(
        lanes[1]?.keys.map((key) => [key.name, key.inFlight, key.paused?.why, key.paused?.until]),
        [
          ['eu', 2, undefined, undefined],
          ['us', 0, 'REFUSED', at(nowMs + 30_000)],
        ],
      )
      const theirs = await stranger.data<Live>('getLive')
      assert.deepEqual(
        theirs.lanes.map((one) => [one.provider, one.waiting, one.keys.map((key) => key.inFlight)]),
        [['openai', 0, [0, 0]]],
      )
    })
  })
}

describe('when a limit will be reached', () => {
  const pace = { nowMs, paceMs: 1_800_000, paceMicros: 1_000_000, leftMicros: 2_000_000 }
  test('is not guessed from a few minutes, without spend, or for the next month', () => {
    assert.equal(reachedAtMs(pace), nowMs + 3_600_000)
    assert.equal(reachedAtMs({ ...pace, paceMs: 60_000 }), null)
    assert.equal(reachedAtMs({ ...pace, paceMicros: 0 }), null)
    assert.equal(reachedAtMs({ ...pace, leftMicros: null }), null)
    assert.equal(reachedAtMs({ ...pace, leftMicros: 0 }), null)
    assert.equal(reachedAtMs({ ...pace, leftMicros: 9e15 }), null)
  })
})
