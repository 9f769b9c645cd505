import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EndedStep } from '#core/step-states.ts'
import type { Db } from '#store/db.ts'
import { catchUp, findReusable, spoilCalls } from '#store/tables/reusable-calls.ts'
import { putSteps } from '#store/tables/steps.ts'
import { databases } from '../../support/databases.ts'
import { addRun, addWorkflow, chain, migrations, newAccount } from './setting.ts'

const key = 'the same request'
const step = (run_id: string, ended_at: number): EndedStep => ({
  ...{ run_id, path: 'n#0', kind: 'TEXT', status: 'DONE', attempts: 1, task_id: null },
  ...{ started_at: ended_at - 1, ended_at, result: '"answer"', error: null, cost_micros: 5 },
  reuse: key,
})

/** Accounts with a run each, whose call ended then. */
async function accountsWithCalls(db: Db, ...endedAt: number[]) {
  const made: { accountId: string; runId: string }[] = []
  for (const at of endedAt) {
    const accountId = newAccount()
    const runId = await addRun(db, accountId, await addWorkflow(db, accountId, chain(1)))
    await db.writeAll(() => [putSteps(db.dialect, [step(runId, at)])])
    await catchUp(db, accountId, { nowMs: Date.now(), seen: new Set() })
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
        db.writeAll(() => spoilCalls(accountId, [{ runId: one.runId, path: 'n#0' }]))
      await spoil(one.accountId)
      assert.equal(await find(one, 0), null)
      assert.ok(await find(other, 0))
    })
  })
}
