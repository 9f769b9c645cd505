import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type CatalogueEntry, createCatalogue } from '#core/catalogue.ts'
import { systemClock } from '#core/clock.ts'
import type { TaskDeps, TaskWork } from '#engine/tasks/task-work.ts'
import {
  recordFailure,
  recordIntent,
  recordJob,
  recordRefusal,
  recordResult,
} from '#engine/tasks/task-writes.ts'
import { CommitUnknown, type Db } from '#store/db.ts'
import { tasksIn } from '#store/engine/tasks.ts'
import { claimOf, claimStatement } from '#store/tables/claims.ts'
import { outcomeOf } from '#store/tables/ledger.ts'
import { findTask, taskClaims } from '#store/tables/tasks.ts'
import { databases } from '../../support/databases.ts'
import { spendUse } from '../../support/spend-use.ts'
import { addTask, migrations, newAccount } from './setting.ts'

const entry = {
  model: {
    ...{ id: 'm', name: 'm', provider: 'p', kind: 'IMAGE', description: '', enabled: true },
    ...{ capabilities: { inputModalities: ['text'] }, pricing: { currency: 'USD', perImage: 1 } },
  },
  ...{ provider: 'p', providerModel: 'm', fallbacks: [] },
} satisfies CatalogueEntry as CatalogueEntry

/** Every transaction is made or not, and each time nobody learns which. */
function losingAnswers(db: Db, commits: 'made' | 'undone'): Db {
  let isLost = false
  return {
    ...db,
    async transaction(work, options) {
      isLost = !isLost
      if (!isLost) return db.transaction(work, options)
      const unknown = new CommitUnknown('the answer was lost')
      if (commits === 'undone') throw unknown
      await db.transaction(work, options)
      throw unknown
    },
  }
}

async function openWork(db: Db): Promise<TaskWork> {
  const accountId = newAccount()
  await addTask(db, accountId)
  const nowMs = systemClock.nowMs()
  const planned = { owner: 'w', queue: accountId, limit: 1, room: 1 }
  const times = [nowMs, nowMs + 60_000, nowMs + 60_000]
  const [stored] = await db.writeAll(() => [claimStatement(db, taskClaims, planned, times)])
  const [row] = taskClaims.selection.read(stored)
  assert.ok(row)
  const { signal } = new AbortController()
  const signals = { signal, lost: signal, stopping: signal, isCertain: () => true }
  return { row, claim: claimOf(row, 'w'), request: { prompt: 'x' }, ...signals }
}

for (const { name, open } of databases) {
  for (const commits of ['made', 'undone'] as const) {
    describe(`writes of a task on ${name} whose commits were ${commits} without an answer`, () => {
      test('are looked up and made once, so that the task goes on as it is known', async () => {
        await using opened = await open({ migrations })
        const { db } = opened
        const deps = {
          ...{ tasks: tasksIn(losingAnswers(db, commits)), clock: systemClock, onEnded() {} },
          catalogue: createCatalogue([entry]),
        } as unknown as TaskDeps
        const work = await openWork(db)
        const { id, account_id } = work.row
        await recordIntent(deps, work, { entry })
        assert.equal(await outcomeOf(db, `${id}:1`), 'PENDING')
        await recordRefusal(deps, work)
        assert.equal(await outcomeOf(db, `${id}:1`), 'REJECTED')
        await recordIntent(deps, work, { entry })
        await recordJob(deps, work, { v: 1, provider: 'p', id: 'job' })
        assert.equal((await findTask(db, account_id, id))?.stage, 'SUBMITTED')
        const result = { media: '[]', error: null, units: { images: 1 }, costMicros: 1_000_000 }
        await recordResult(deps, work, result)
        const task = await findTask(db, account_id, id)
        assert.deepEqual([task?.status, task?.cost_micros], ['COMPLETED', 1_000_000])
        assert.equal(await outcomeOf(db, `${id}:2`), 'SUCCEEDED')
      })
    })
  }
}

for (const { name, open } of databases) {
  test(`a task whose model is gone by now may have been billed what was reserved, on ${name}`, async () => {
    await using opened = await open({ migrations })
    const { db } = opened
    const base = { tasks: tasksIn(db), clock: systemClock, onEnded() {} }
    const work = await openWork(db)
    const { id, account_id } = work.row
    work.row.reserved_micros = 1_000_000
    const before = { ...base, catalogue: createCatalogue([entry]) } as unknown as TaskDeps
    await recordIntent(before, work, { entry })
    const after = { ...base, catalogue: createCatalogue([]) } as unknown as TaskDeps
    const error = { code: 'PROVIDER_UNAVAILABLE', message: 'gone', retryable: false } as const
    await recordFailure(after, work, error, 'UNKNOWN')
    const task = await findTask(db, account_id, id)
    assert.deepEqual([task?.status, task?.cost_micros], ['FAILED', 1_000_000])
    const { spentMicros, heldMicros } = await spendUse(db, account_id, {
      keyId: null,
      fromDay: '2000-01-01',
    })
    assert.deepEqual({ spentMicros, heldMicros }, { spentMicros: 1_000_000, heldMicros: 0 })
  })
}
