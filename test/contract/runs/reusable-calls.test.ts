import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { sequencedUuid } from '#core/ids.ts'
import type { EndedStep } from '#core/step-states.ts'
import type { Db, Param } from '#store/db.ts'
import { reuseIn } from '#store/engine/reuse.ts'
import { openSteps } from '#store/journals/step-log.ts'
import { insertRuns } from '#store/tables/new-runs.ts'
import { findReusable, spoilCalls } from '#store/tables/reusable-calls.ts'
import { putSteps, stepsInRows } from '#store/tables/steps.ts'
import { registerWorker } from '#store/tables/workers.ts'
import { databases } from '../../support/databases.ts'
import { addRun, addWorkflow, chain, migrations, newAccount, rowOf } from './setting.ts'

const key = 'the same request'
const step = (run_id: string, ended_at: number, reuse = key): EndedStep => ({
  ...{ run_id, path: `${reuse}#0`, kind: 'TEXT', status: 'DONE', attempts: 1, task_id: null },
  ...{ started_at: ended_at - 1, ended_at, result: '"answer"', error: null, cost_micros: 5 },
  reuse,
})

const hourMs = 3_600_000

/** Runs of a new account that were made an hour ago, and what becomes of them. */
async function olderRuns(db: Db, count: number) {
  const account = newAccount()
  const workflow = await addWorkflow(db, account, chain(1))
  const worker = newAccount()
  await registerWorker(db, worker, hourMs)
  const madeAt = Date.now() - hourMs
  const first = await addRun(db, account, workflow, { nowMs: madeAt, isNotified: false })
  const row = await rowOf(db, first)
  const copies = Array.from({ length: count - 1 }, (_, i) => {
    const id = sequencedUuid(madeAt, i + 2)
    return { ...row, id, seq: i + 2, idempotency_key: id }
  })
  await db.writeAll(() => [insertRuns(db.dialect, copies)])
  const runs = [first, ...copies.map(({ id }) => id)]
  const set = (columns: string, ids: readonly string[]) =>
    db.writeAll(() => [
      { sql: `update runs set ${columns} where id = $1`, rows: ids.map((id) => [id]) },
    ])
  const claim = `owner = '${worker}', epoch = epoch + 1, wake_at = null,
    started_at = coalesce(started_at, ${db.dialect.nowMs})`
  return {
    account,
    runs,
    claim: (...ids: string[]) => set(claim, ids),
    release: (...ids: string[]) => set('owner = null', ids),
    sleep: (...ids: string[]) =>
      set(
        `owner = null, slept_epoch = epoch, slept_at = ${db.dialect.nowMs},
          wake_at = ${db.dialect.nowMs} + ${hourMs}`,
        ids,
      ),
    end: (...ids: string[]) => set(`owner = null, completed_at = ${db.dialect.nowMs}`, ids),
    answer: (id: string, reuse: string) =>
      db.writeAll(() => [putSteps(db.dialect, [step(id, Date.now(), reuse)])]),
  }
}

/** Accounts with a run each, whose call ended then. */
async function accountsWithCalls(db: Db, ...endedAt: number[]) {
  const made: { accountId: string; runId: string }[] = []
  for (const at of endedAt) {
    const accountId = newAccount()
    const runId = await addRun(db, accountId, await addWorkflow(db, accountId, chain(1)))
    await db.writeAll(() => [putSteps(db.dialect, [step(runId, at)])])
    await reuseIn(db, stepsInRows(db), systemClock).find(accountId, { key, sinceMs: 0 })
    made.push({ accountId, runId })
  }
  return made
}

for (const { name, open } of databases) {
  describe(`answers that may be reused, on ${name}`, () => {
    test('are those of the account, and of no other', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const made = await accountsWithCalls(db, 1_000, 2_000)
      const finding = made.map(({ accountId }) => findReusable(db, accountId, { key, sinceMs: 0 }))
      const found = await Promise.all(finding)
      assert.deepEqual(
        found.map((call) => call?.runId),
        made.map(({ runId }) => runId),
      )
      assert.equal(await findReusable(db, newAccount(), { key, sinceMs: 0 }), null)
    })

    test('are no older than asked, and not those that a node could not use', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const [one, other] = await accountsWithCalls(db, 1_000, 1_000)
      assert.ok(one && other)
      const find = (of: typeof one, sinceMs: number) =>
        findReusable(db, of.accountId, { key, sinceMs })
      assert.equal((await find(one, 1_000))?.atMs, 1_000)
      assert.equal(await find(one, 1_001), null)
      const spoil = (accountId: string) =>
        db.writeAll(() => spoilCalls(accountId, [{ runId: one.runId, path: `${key}#0` }]))
      await spoil(one.accountId)
      assert.equal(await find(one, 0), null)
      assert.ok(await find(other, 0))
    })

    test('are those of runs that have slept or queued for long, however many do', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const { account, runs, claim, sleep, end, release, answer } = await olderRuns(db, 1_050)
      const [ended = '', woken = '', awake = '', begun = '', queued = '', ...others] = runs
      const released = others.pop() ?? ''
      await claim(ended, woken, awake, released, ...others)
      await answer(woken, 'before')
      await sleep(ended, woken, awake, ...others)
      const reuse = reuseIn(db, stepsInRows(db), systemClock)
      const find = async (asked: string) =>
        (await reuse.find(account, { key: asked, sinceMs: 0 }))?.runId
      assert.equal(await find('before'), woken)
      await claim(ended, woken, awake, begun, queued)
      await answer(ended, 'of one that ended')
      await answer(woken, 'of one that sleeps again')
      await answer(awake, 'of one that goes on')
      await answer(begun, 'of one that has begun and ended')
      await answer(queued, 'of one that has begun')
      await answer(released, 'of one that was released')
      await end(ended, begun)
      await sleep(woken)
      await release(released)
      for (const as of ['its process', 'another process']) {
        const looking = as === 'its process' ? reuse : reuseIn(db, stepsInRows(db), systemClock)
        const at = async (asked: string) =>
          (await looking.find(account, { key: asked, sinceMs: 0 }))?.runId
        assert.equal(await at('of one that ended'), ended, as)
        assert.equal(await at('of one that sleeps again'), woken, as)
        assert.equal(await at('of one that goes on'), awake, as)
        assert.equal(await at('of one that has begun and ended'), begun, as)
        assert.equal(await at('of one that has begun'), queued, as)
        assert.equal(await at('of one that was released'), released, as)
      }
    })

    test('are found by whoever sees the end of their run, before that is answered', async () => {
      await using database = await open({ migrations })
      const { db } = database
      const account = newAccount()
      const run = await addRun(db, account, await addWorkflow(db, account, chain(1)))
      const steps = await openSteps({ db, clock: systemClock, onError: () => {} })
      const reuse = reuseIn(db, steps, systemClock)
      const ended = step(run, Date.now())
      const begun = { status: 'STARTED', ended_at: null, result: null, error: null } as const
      const record = steps.record([{ ...ended, ...begun, cost_micros: null }], [ended])
      await db.writeAll(() => [
        ...record.statements,
        { sql: 'update runs set completed_at = 1, epoch = 1 where id = $1', rows: [[run]] },
      ])
      const found = reuse.find(account, { key, sinceMs: 0 })
      // Whatever it does without an answer, it has done by then.
      await db.query('select 1')
      await db.write('update runs set epoch = 1')
      record.settle(true)
      const first = await found
      assert.equal((await reuse.find(account, { key, sinceMs: 0 }))?.runId, run)
      assert.equal(first?.runId, run)
      await steps.close()
    })
  })
}

test('PostgreSQL looks for runs that have rested in the index, however many sleep', async () => {
  const database = await databases.find(({ name }) => name === 'postgres')?.open({ migrations })
  assert.ok(database)
  await using _ = database
  const { db } = database
  const { account, runs, claim, sleep } = await olderRuns(db, 3_000)
  await claim(...runs)
  await sleep(...runs)
  await db.write('update runs set slept_at = slept_at - 600000')
  await db.write('analyze runs')
  const plans: string[] = []
  const explained: Db = {
    ...db,
    async query<Row>(sql: string, params?: readonly Param[]) {
      const lines = await db.query<Record<string, string>>(`explain ${sql}`, params)
      plans.push(lines.map((line) => Object.values(line)[0]).join('\n'))
      return db.query<Row>(sql, params)
    },
  }
  await reuseIn(db, stepsInRows(db), systemClock).find(account, { key, sinceMs: 0 })
  await reuseIn(explained, stepsInRows(db), systemClock).find(account, { key, sinceMs: 0 })
  const planWith = (index: string) =>
    plans.find((plan) => new RegExp(`${index}\\b`).test(plan)) ?? ''
  assert.match(planWith('runs_rested'), /Index Cond: [^\n]*COALESCE/)
  assert.match(planWith('runs_owned'), /Index Cond: [^\n]*owner = [^\n]*account_id = /)
  assert.equal(plans.filter((plan) => /Seq Scan on (runs|steps)/.test(plan)).length, 0)
})
