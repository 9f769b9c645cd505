import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Db } from '#store/db.ts'
import { keepDraftGraph } from '#store/tables/draft-graphs.ts'
import { deleteOldVersions } from '#store/tables/old-versions.ts'
import { listVersions } from '#store/tables/versions.ts'
import { deleteWorkflow } from '#store/tables/workflow-ends.ts'
import { findGraph, updateWorkflow } from '#store/tables/workflows.ts'
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
  test(`${name}: a graph beyond the newest 50 goes when no run needs it`, async () => {
    await using database = await open({ migrations })
    const { db } = database
    const accountId = newAccount()
    const workflow = await addWorkflow(db, accountId, chain(1))
    const { id } = workflow
    // 54 versions: the first four fall out, on days 50 to 53.
    for (let day = 1; day < 54; day++) await save(db, accountId, id, day * dayMs)
    const deleted = await addWorkflow(db, accountId, chain(1))
    await deleteWorkflow(db, { accountId, id: deleted.id, ifVersion: null, nowMs: dayMs })
    const again = { retry_of: randomUUID(), data_version: 1 }
    await addRun(db, accountId, workflow, again)
    const called = [[id, 2] as const, [id, 33] as const]
    const other = await addWorkflow(db, accountId, chain(1))
    await addRun(db, accountId, other, { ...again, called })
    const kept = () =>
      Promise.all([1, 2, 3, 4, 5, 54].map(async (v) => (await findGraph(db, id, v)) !== undefined))

    assert.equal(await deleteOldVersions(db, 59.5 * dayMs, 1), 1)
    assert.equal(await deleteOldVersions(db, 59.5 * dayMs, 100), 1)
    assert.equal(await deleteOldVersions(db, 59.5 * dayMs, 100), 0)
    assert.deepEqual(await kept(), [true, true, false, true, true, true])
    assert.equal(await findGraph(db, deleted.id, 1), undefined)

    // One that sleeps has no retry, and may be older than everything else.
    await db.write(`update runs set retry_of = null, slept_epoch = 1`)
    assert.equal(await deleteOldVersions(db, 59.5 * dayMs, 100), 0)
    // Its record is kept from its end on, and nothing could be shown of it without its graph.
    await db.write(`update runs set completed_at = ${59 * dayMs}`)
    assert.equal(await deleteOldVersions(db, 59.5 * dayMs, 100), 0)

    await db.write('delete from runs')
    assert.equal(await deleteOldVersions(db, 1000 * dayMs, 100), 3)
    assert.deepEqual(await kept(), [false, false, false, false, true, true])
    assert.notEqual(await findGraph(db, other.id, 1), undefined)
    await deleteWorkflow(db, { accountId, id, ifVersion: null, nowMs: 60 * dayMs })
    assert.equal(await deleteOldVersions(db, 1000 * dayMs, 100), 50)
  })

  test(`${name}: the graph of a draft that was run has a number of its own until its runs go`, async () => {
    await using database = await open({ migrations })
    const { db } = database
    const accountId = newAccount()
    const { id } = await addWorkflow(db, accountId, chain(1))
    const author = { userId: null, keyId: null }
    const keep = (text: string, day: number, owner = accountId) =>
      keepDraftGraph(db, {
        ...{ accountId: owner, workflowId: id, data: text, author, nowMs: day * dayMs },
        ...{ nodeCount: 2, connectionCount: 1 },
      })
    assert.equal(await keep(data, 1, newAccount()), undefined)
    const first = await keep(data, 1)
    assert.equal(await keep(data, 10), first, 'the same graph is kept once')
    const second = await keep(`${data} `, 10)
    assert.ok(first && second && second < first && first < 0)
    assert.equal((await findGraph(db, id, first))?.text, data)
    assert.equal((await listVersions(db, accountId, id)).length, 1)
    await save(db, accountId, id, 11 * dayMs)

    assert.equal(await deleteOldVersions(db, 16 * dayMs, 100), 0, 'used again on day 10')
    assert.equal(await deleteOldVersions(db, 18 * dayMs, 100), 2)
    const today = Math.floor(Date.UTC(2027, 0, 1) / dayMs)
    const third = await keep(data, today)
    assert.ok(third && third < second, 'a number is not given twice')
  })

  test(`${name}: a version saved before its counts were kept is counted from its graph`, async () => {
    await using database = await open({ migrations })
    const { db } = database
    const accountId = newAccount()
    const { id } = await addWorkflow(db, accountId, chain(3))
    await db.write('update workflow_versions set node_count = null, connection_count = null')
    const [version] = await listVersions(db, accountId, id)
    const graph = chain(3)
    assert.deepEqual(
      [version?.node_count, version?.connection_count, version?.author_user],
      [graph.nodes.length, graph.connections.length, null],
    )
  })
}
