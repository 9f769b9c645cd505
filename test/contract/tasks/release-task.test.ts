import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createCatalogue } from '#core/catalogue.ts'
import { systemClock } from '#core/clock.ts'
import { createCircuitBreaker } from '#engine/calls/circuit-breaker.ts'
import { createPictureMemory } from '#engine/calls/picture-memory.ts'
import { releaseTask } from '#engine/tasks/release-task.ts'
import type { TaskDeps } from '#engine/tasks/task-work.ts'
import { type Db, StoreUnavailable } from '#store/db.ts'
import { tasksIn } from '#store/engine/tasks.ts'
import { claimStatement } from '#store/tables/claims.ts'
import { findTask, type TaskRow, taskClaims } from '#store/tables/tasks.ts'
import { databases } from '../../support/databases.ts'
import { noKeys } from '../../support/no-keys.ts'
import { noLanes, noLimits } from '../../support/no-lanes.ts'
import { addTask, migrations, newAccount } from './setting.ts'

const clock = { ...systemClock, nowMs: () => 10_000 }

/** A task in the hands of a worker that could not go on with it. */
async function stuckTask(db: Db) {
  const accountId = newAccount()
  const id = await addTask(db, accountId)
  const told: string[] = []
  const deps: TaskDeps = {
    tasks: tasksIn(db),
    clock,
    catalogue: createCatalogue([]),
    providers: new Map(),
    providerWith: () => undefined,
    providerKeys: noKeys,
    breaker: createCircuitBreaker(clock),
    lanes: noLimits,
    gate: noLanes,
    loadImage: () => Promise.reject(new Error('no pictures here')),
    pictures: createPictureMemory(),
    storeOutputs: () => Promise.reject(new Error('no store here')),
    random: () => 0.5,
    onEnded: (_kind, status) => told.push(status),
    onError: () => told.push('logged'),
    onQuarantined: (kind) => told.push(`quarantined ${kind}`),
  }
  const claim = async (nowMs: number): Promise<TaskRow | undefined> => {
    const planned = { owner: 'w', queue: accountId, limit: 1, room: 1 }
    const times = [nowMs, nowMs + 1e9, nowMs + 1e9]
    const [stored] = await db.writeAll(() => [claimStatement(db, taskClaims, planned, times)])
    const [row] = taskClaims.selection.read(stored)
    return row
  }
  const release = (row: TaskRow, error: Error) => {
    const { signal } = new AbortController()
    const claim = { id, owner: 'w', epoch: row.epoch }
    const work = {
      row,
      claim,
      request: { prompt: 'x' },
      signal,
      lost: signal,
      stopping: signal,
      isCertain: () => true,
    }
    return releaseTask(deps, work, error)
  }
  return { told, claim, release, read: () => findTask(db, accountId, id) }
}

for (const { name, open } of databases) {
  describe(`tasks that cannot go on, on ${name}`, () => {
    test('one that no worker can go on with fails after five times, and the log says it once', async () => {
      await using database = await open({ migrations })
      const task = await stuckTask(database.db)
      for (let attempt = 1; attempt <= 5; attempt++) {
        const row = await task.claim(attempt * 1_000_000)
        assert.ok(row, `attempt ${attempt}`)
        await task.release(row, new Error('unforeseen'))
      }
      assert.deepEqual(task.told, ['logged', 'FAILED', 'quarantined task'])
      assert.equal(await task.claim(9_000_000), undefined)
      const ended = await task.read()
      assert.equal(ended?.status, 'FAILED')
      assert.equal(ended?.error?.code, 'QUARANTINED')
    })

    test('a store that is away does not count', async () => {
      await using database = await open({ migrations })
      const task = await stuckTask(database.db)
      for (let attempt = 1; attempt <= 6; attempt++) {
        const row = await task.claim(attempt * 1_000_000)
        assert.ok(row, `attempt ${attempt}`)
        await task.release(row, new StoreUnavailable('away'))
      }
      const waiting = await task.read()
      assert.deepEqual([waiting?.status, waiting?.releases], ['RUNNING', 0])
    })
  })
}
