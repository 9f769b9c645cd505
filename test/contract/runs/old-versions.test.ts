import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Db } from '#store/db.ts'
import { deleteOldVersions } from '#store/old-versions.ts'
import { deleteWorkflow, findGraph, updateWorkflow } from '#store/workflows.ts'
import { databases } from '../../support/databases.ts'
import { addRun, addWorkflow, chain, migrations, newAccount } from './setting.ts'

const dayMs = 24 * 3_600_000
const data = JSON.stringify(chain(1))

const save = (db: Db, accountId: string, id: number, nowMs: number) =>
  updateWorkflow(db, {
    accountId,
    id,
    ifVersion: null,
    graph: { data, nodeCount: 2, connectionCount: 1 },
    nowMs,
  })

for (const { name, open } of databases) {
  test(`${name}: a replaced graph goes when no run needs it; one in use never does`, async () => {
    await using database = await open({ migrations })
    const { db } = database
    const accountId = newAccount()
    const workflow = await addWorkflow(db, accountId, chain(1))
    const { id } = workflow
    for (const day of [1, 2, 3, 20]) await save(db, accountId, id, day * dayMs)
    const deleted = await addWorkflow(db, accountId, chain(1))
    await deleteWorkflow(db, { accountId, id: deleted.id, ifVersion: null, nowMs: dayMs })
    const again = { retry_of: randomUUID(), data_version: 1 }
    await addRun(db, accountId, workflow, again)
    const called = JSON.stringify([
      [id, 2],
      [id, 33],
    ])
    const other = await addWorkflow(db, accountId, chain(1))
    await addRun(db, accountId, other, { ...again, called })
    const kept = () =>
      Promise.all([1, 2, 3, 4, 5].map(async (v) => (await findGraph(db, id, v)) !== undefined))

    assert.equal(await deleteOldVersions(db, 11 * dayMs, 1), 1)
    assert.equal(await deleteOldVersions(db, 11 * dayMs, 100), 1)
    assert.equal(await deleteOldVersions(db, 11 * dayMs, 100), 0)
    assert.deepEqual(await kept(), [true, true, false, true, true])
    assert.equal(await findGraph(db, deleted.id, 1), undefined)

    await db.write('delete from runs')
    assert.equal(await deleteOldVersions(db, 100 * dayMs, 100), 3)
    assert.deepEqual(await kept(), [false, false, false, false, true])
    assert.notEqual(await findGraph(db, other.id, 1), undefined)
  })
}
