// Lists and sums must stay quick on tables of any size: none of their statements may read a table
// from end to end, or sort more than the rows of one run or task.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Db, Param, Reader } from '#store/db.ts'
import { callsOfTask, listCalls } from '#store/tables/calls.ts'
import { findDelivery, listDeliveries } from '#store/tables/deliveries.ts'
import { triesOf } from '#store/tables/delivery-tries.ts'
import { modelsUsed, spendByDay } from '#store/tables/ledger.ts'
import {
  callsInFlight,
  countLiveRuns,
  countLiveTasks,
  countRetrying,
  shareByWorkflow,
} from '#store/tables/live-work.ts'
import { costsOfRuns } from '#store/tables/run-estimates.ts'
import { newPlaces } from '#store/tables/sign-in-places.ts'
import { scopeUse } from '#store/tables/spend-uses.ts'
import { searchTasks } from '#store/tables/task-search.ts'
import { pausedTriggers } from '#store/tables/triggers.ts'
import { usageBuckets, usageLeaders, usageTotal } from '#store/tables/usage.ts'
import { costOfWorkflows, lastRuns } from '#store/tables/workflow-activity.ts'
import { databases } from '../../support/databases.ts'
import { endRun } from '../deliveries/setting.ts'
import { addTask } from '../tasks/setting.ts'
import { addCall } from './ledger-rows.ts'
import { migrations } from './people.ts'

type Asked = { sql: string; params: readonly Param[] }

/** Answers, and notes what it was asked. */
function noting(db: Db): { reader: Reader; asked: Asked[] } {
  const asked: Asked[] = []
  const reader: Reader = {
    dialect: db.dialect,
    query(sql, params = []) {
      asked.push({ sql, params: [...params] })
      return db.query(sql, params)
    },
  }
  return { reader, asked }
}

async function planOf(db: Db, { sql, params }: Asked): Promise<string> {
  const word = db.kind === 'postgres' ? 'explain' : 'explain query plan'
  const rows = await db.query<Record<string, unknown>>(`${word} ${sql}`, params)
  return rows.map((row) => String(row['QUERY PLAN'] ?? row.detail)).join('\n')
}

/**
 * SQLite says SCAN for whatever it reads from end to end; our recursions and derived tables are
 * read so by design. PostgreSQL may read a whole index instead of its table: without a condition.
 */
function readsAll(kind: Db['kind'], plan: string): boolean {
  if (kind === 'sqlite') {
    return /SCAN (tasks|ledger|deliveries|delivery_tries|usage_quarters|spend_days|runs)\b/.test(
      plan,
    )
  }
  const nodes = plan.split('->')
  return nodes.some(
    (node) => /Seq Scan/.test(node) || (/Index.* Scan/.test(node) && !/Index Cond/.test(node)),
  )
}

const at = { before: null, limit: 50 }
const span = { fromMs: 0, toMs: 9e12 }
type Read = (db: Reader, account: string) => Promise<unknown>
const reads: Record<string, Read> = {
  'all tasks': (db, account) => searchTasks(db, account, {}, at),
  'tasks by everything': (db, account) =>
    searchTasks(db, account, { ...tasks, fromMs: 1, toMs: 9e12, q: 'some words' }, at),
  'a task by its identifier': (db, account) => searchTasks(db, account, { q: someId }, at),
  'attempts of a task': (db, account) => callsOfTask(db, account, someId),
  'calls of a run': (db, account) => listCalls(db, account, { runId: someId }, {}, at),
  'calls of a day': (db, account) =>
    listCalls(db, account, span, { model: 'm', keyId: null }, { ...at, before: [9e12, 'z'] }),
  'all deliveries': (db, account) => listDeliveries(db, account, { status: 'PENDING' }, at),
  'deliveries of a run': (db, account) => listDeliveries(db, account, { runId: someId }, at),
  'a delivery': (db, account) => findDelivery(db, account, someId),
  'attempts at a delivery': (db) => triesOf(db, someId),
  usage: (db, account) => usageTotal(db, account, span),
  'leaders of usage': (db, account) =>
    usageLeaders(db, account, span, { split: 'workflow', limit: 7 }),
  'buckets of usage': (db, account) =>
    usageBuckets(
      db,
      account,
      { ...span, offsetMs: 0 },
      { split: 'key', leaders: ['a', 'b'], unitMs: 1_000 },
    ),
  'runs to compare with their estimates': (db, account) =>
    costsOfRuns(db, account, { ...span, before: null }, 200),
  'last runs of workflows': (db, account) => lastRuns(db, account, [1, 2]),
  'cost of workflows': (db, account) => costOfWorkflows(db, account, [1, 2], 0),
  'live runs': (db, account) => countLiveRuns(db, account),
  'live runs by workflow': (db, account) => shareByWorkflow(db, account),
  'live tasks': (db, account) => countLiveTasks(db, account),
  'deliveries to be sent again': (db, account) => countRetrying(db, account),
  'calls in flight': (db, account) => callsInFlight(db, account),
  'spend by day': (db, account) => spendByDay(db, account, '2026-01-01'),
  'models used': (db, account) => modelsUsed(db, account, '2026-01-01'),
  'paused triggers': (db, account) => pausedTriggers(db, account, 10),
  'new places of a person': (db) => newPlaces(db, someId, 0),
  'what is spent': (db, account) =>
    scopeUse(db, account, { scope: 'account', target: '' }, Date.parse('2026-01-01')),
  'what a tag spent': (db, account) =>
    scopeUse(db, account, { scope: 'tag', target: 'x' }, Date.parse('2026-01-01')),
  'what a workflow spent': (db, account) =>
    scopeUse(db, account, { scope: 'workflow', target: '7' }, Date.parse('2026-01-01')),
}
const someId = '00000000-0000-7000-8000-000000000000'
const tasks = { kind: 'IMAGE', status: 'QUEUED', model: 'm', source: 'DIRECT' } as const

for (const { name, open } of databases) {
  describe(`plans of the console's reads on ${name}`, () => {
    test('none reads a whole table', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const account = crypto.randomUUID()
      await addTask(db, account)
      await addCall(db, account, { settledAtMs: 1 })
      await endRun(db, { accountId: account })
      for (const [what, read] of Object.entries(reads)) {
        const { reader, asked } = noting(db)
        await read(reader, account)
        assert.ok(asked.length > 0, what)
        for (const one of asked) {
          const plan = await planOf(db, one)
          assert.ok(!readsAll(name, plan), `${what}: ${one.sql}\n${plan}`)
        }
      }
    })

    test('lists are read in the order of their index', async () => {
      await using opened = await open({ migrations })
      const { db } = opened
      const account = crypto.randomUUID()
      await addTask(db, account)
      await addCall(db, account, { settledAtMs: 1 })
      await endRun(db, { accountId: account })
      const sorting = name === 'postgres' ? /Sort/ : /TEMP B-TREE/
      const names = ['all tasks', 'tasks by everything', 'all deliveries', 'calls of a day']
      for (const what of names) {
        const { reader, asked } = noting(db)
        await reads[what]?.(reader, account)
        for (const one of asked.filter(({ sql }) => sql.includes('order by'))) {
          const plan = await planOf(db, one)
          assert.doesNotMatch(plan, sorting, `${what}\n${plan}`)
        }
      }
    })
  })
}
