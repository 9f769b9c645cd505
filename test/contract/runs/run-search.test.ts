import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sequencedUuid } from '#core/ids.ts'
import type { Db, Param } from '#store/db.ts'
import { insertRuns, type NewRun } from '#store/tables/new-runs.ts'
import { type RunFilter, searchRuns } from '#store/tables/run-search.ts'
import { runList } from '#store/tables/runs.ts'
import { takeNumbers } from '#store/tables/sequences.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { addWorkflow, chain, migrations, newAccount } from './setting.ts'

const startMs = Date.UTC(2026, 0, 1)
const minuteMs = 60_000

/** One run a minute, alternating between two workflows; returns them newest first. */
async function addRuns(db: Db, accountId: string, count: number) {
  const [odd, even] = [
    await addWorkflow(db, accountId, chain(1)),
    await addWorkflow(db, accountId, chain(1)),
  ]
  const rows: NewRun[] = Array.from({ length: count }, (_, i) => {
    const workflow = i % 2 === 0 ? even : odd
    const nowMs = startMs + i * minuteMs
    const seq = Math.floor(i / 2) + 1
    return {
      id: sequencedUuid(nowMs, seq),
      account_id: accountId,
      workflow_id: workflow.id,
      seq,
      spender: { keyId: null, limits: {}, accountSpendPerMonthMicros: null },
      workflow_name: i === 3 ? 'Überblick' : 'daily',
      workflow_version: 1,
      data_version: 1,
      called: null,
      node_count: 2,
      inputs: '{}',
      metadata: {},
      callback_url: null,
      max_cost_micros: null,
      idempotency_key: String(i),
      fingerprint: 'f',
      retry_of: null,
      created_at: nowMs,
      run_at: nowMs,
      deadline_at: nowMs,
    }
  })
  await db.transaction(async (tx) => {
    for (const { id } of [odd, even]) {
      const mine = rows.filter((row) => row.workflow_id === id)
      const last = { count: mine.length, nowMs: startMs }
      await takeNumbers(tx, accountId, runList(id), last)
      for (let at = 0; at < mine.length; at += 1_000) {
        await tx.run(insertRuns(db.dialect, mine.slice(at, at + 1_000)))
      }
    }
  })
  return { odd: odd.id, even: even.id, ids: rows.map((row) => row.id).reverse() }
}

/** Follows `next` to the end. */
async function all(db: Db, accountId: string, filter: RunFilter, limit = 200) {
  const found: string[] = []
  let requests = 0
  let position: string | null = null
  do {
    requests++
    const answer: Awaited<ReturnType<typeof searchRuns>> = await searchRuns(db, accountId, filter, {
      before: position,
      limit,
    })
    assert.ok(answer.rows.length <= limit)
    found.push(...answer.rows.map((row) => row.id))
    position = answer.next
  } while (position !== null)
  return { found, requests }
}

for (const { name, open } of databases) {
  describe(`searching runs on ${name}`, () => {
    let database: TestDatabase
    const accountId = newAccount()
    let runs: Awaited<ReturnType<typeof addRuns>>
    before(async () => {
      database = await open({ migrations })
      runs = await addRuns(database.db, accountId, 10_500)
      await addRuns(database.db, newAccount(), 10)
    })
    after(() => database.close())

    test('all of an account come newest first, each once, whatever the size', async () => {
      for (const limit of [199, 200]) {
        const { found } = await all(database.db, accountId, {}, limit)
        assert.deepEqual(found, runs.ids)
      }
    })

    test('those of a workflow, in a span of time', async () => {
      const fromMs = startMs + 100 * minuteMs
      const filter = { workflowId: runs.even, fromMs, toMs: startMs + 200 * minuteMs }
      const { found, requests } = await all(database.db, accountId, filter, 20)
      const wanted = runs.ids.filter((_, i) => {
        const age = runs.ids.length - 1 - i
        return age % 2 === 0 && age >= 100 && age < 200
      })
      assert.deepEqual(found, wanted)
      assert.equal(requests, 3)
      const span = await all(database.db, accountId, { fromMs, toMs: fromMs + minuteMs })
      assert.deepEqual(span.found, [runs.ids.at(-101)])
    })

    test('what is rare is found by going on, a bounded piece at a time', async () => {
      const { found, requests } = await all(database.db, accountId, { q: 'überBLICK' })
      assert.deepEqual(found, [runs.ids.at(-4)])
      assert.equal(requests, 2)
      const none = await all(database.db, accountId, { status: 'FAILED' })
      assert.deepEqual(none.found, [])
      const active = await searchRuns(
        database.db,
        accountId,
        { status: 'ACTIVE' },
        { before: null, limit: 3 },
      )
      assert.deepEqual(
        active.rows.map((row) => row.id),
        runs.ids.slice(0, 3),
      )
    })

    test('those that sleep are WAITING; those that work, end or have ended are not', async () => {
      const [asleep = '', working, cancelled] = runs.ids
      const changes: [status: string, wakeAtMs: number | null, id: string | undefined][] = [
        ['RUNNING', 9e12, asleep],
        ['RUNNING', null, working],
        ['CANCEL_REQUESTED', 9e12, cancelled],
      ]
      const set = (status: string, wakeAtMs: number | null, id: string | undefined) =>
        database.db.write('update runs set status = $1, wake_at = $2 where id = $3', [
          ...[status, wakeAtMs, id ?? null],
        ])
      for (const change of changes) await set(...change)
      const { found } = await all(database.db, accountId, { status: 'WAITING' })
      for (const [, , id] of changes) await set('QUEUED', null, id)
      assert.deepEqual(found, [asleep])
      const named = await all(database.db, accountId, { status: 'WAITING', q: asleep })
      assert.deepEqual(named.found, [])
    })

    test('an identifier is found at once, or by its beginning', async () => {
      const id = runs.ids.at(-1) ?? ''
      const whole = await all(database.db, accountId, { q: ` ${id.toUpperCase()} ` })
      assert.deepEqual(whole, { found: [id], requests: 1 })
      const other = await all(database.db, accountId, { q: id, workflowId: runs.odd })
      assert.deepEqual(other.found, [])
      const newest = runs.ids[0] ?? ''
      const begun = await all(database.db, accountId, { q: newest.slice(0, 18) })
      assert.deepEqual(begun.found, [newest])
      assert.deepEqual((await all(database.db, newAccount(), { q: id })).found, [])
    })

    test('both lists are read by their index', async () => {
      const seen: { sql: string; params: readonly Param[] }[] = []
      const watched: Db = {
        ...database.db,
        query: (sql, params = []) => {
          seen.push({ sql, params })
          return database.db.query(sql, params)
        },
      }
      const fromMs = startMs + 50 * minuteMs
      const toMs = startMs + 90 * minuteMs
      await searchRuns(watched, accountId, { fromMs, toMs }, { before: null, limit: 5 })
      const ofWorkflow = { workflowId: runs.odd, toMs }
      await searchRuns(watched, accountId, ofWorkflow, { before: null, limit: 5 })
      const plans = await Promise.all(
        seen
          .filter(({ sql }) => sql.includes('from runs') || sql.includes('join runs'))
          .map(async ({ sql, params }) => {
            const words = name === 'sqlite' ? 'explain query plan' : 'explain'
            return JSON.stringify(await database.db.query(`${words} ${sql}`, params))
          }),
      )
      assert.equal(plans.length, 5)
      for (const plan of plans) {
        assert.match(plan, /runs_by_account|runs_by_workflow|runs_pkey|sqlite_autoindex_runs/, plan)
        assert.doesNotMatch(plan, /SCAN runs|Seq Scan on runs|TEMP B-TREE FOR ORDER BY/, plan)
      }
    })
  })
}
