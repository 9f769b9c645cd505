import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { startTaskWorker } from '#engine/tasks/task-worker.ts'
import { keepLease } from '#engine/work/lease-keeper.ts'
import type { Provider } from '#providers/provider.ts'
import type { Db } from '#store/db.ts'
import { leasesIn } from '#store/engine/leases.ts'
import { requestCancel } from '#store/tables/cancel-run.ts'
import { findTask } from '#store/tables/tasks.ts'
import { databases } from '../../support/databases.ts'
import { addRun, addWorkflow, chain, until } from '../runs/setting.ts'
import { addTask, migrations, newAccount } from './setting.ts'
import { taskWorkerOf } from './task-worker.ts'

const ways: [string, (db: Db, accountId: string, runId: string) => Promise<unknown>][] = [
  [
    'was cancelled',
    (db, accountId, runId) =>
      db.transaction((tx) =>
        requestCancel(tx, accountId, runId, { reason: null, nowMs: Date.now() }),
      ),
  ],
  ['has failed', (db) => db.write(`update runs set node_errors = '[]'`)],
]

for (const { name, open } of databases) {
  describe(`the picture of a run that stopped, on ${name}`, () => {
    for (const [how, stop] of ways)
      test(`because it ${how} is not ordered by the worker that takes it over`, async () => {
        await using database = await open({ migrations })
        const { db } = database
        const accountId = newAccount()
        const workflow = await addWorkflow(db, accountId, chain(1))
        const runId = await addRun(db, accountId, workflow)
        const own = { model: 'm', run_id: runId, node_id: 'n', nowMs: Date.now() }
        const id = await addTask(db, accountId, own)
        // As a worker leaves them that had claimed both, and died before it sent anything.
        await db.write(`update runs set status = 'RUNNING', started_at = 1, owner = 'dead'`)
        await db.write(`update tasks set status = 'RUNNING', started_at = 1, owner = 'dead'`)
        await stop(db, accountId, runId)
        const ordered: unknown[] = []
        const provider: Provider = {
          name: 'p',
          async submit(request) {
            ordered.push(request)
            return { done: [] }
          },
        }
        await db.write(`update tasks set owner = null`)
        const keeper = await keepLease(leasesIn(db), {
          clock: systemClock,
          leaseMs: 60_000,
          onError: () => {},
        })
        const worker = await startTaskWorker({ ...taskWorkerOf(db, provider), keeper })
        const hasEnded = async () => (await findTask(db, accountId, id))?.completed_at !== null
        await until(async () => ordered.length > 0 || (await hasEnded()))
        await worker.stop()
        await keeper.release()
        const task = await findTask(db, accountId, id)
        assert.deepEqual([task?.status, ordered], ['CANCELLED', []])
      })
  })
}
