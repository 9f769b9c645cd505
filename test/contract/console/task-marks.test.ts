import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { addTask } from '../tasks/setting.ts'
import { addRun } from './ledger-rows.ts'
import { type List, openPeople, type Someone } from './people.ts'

type Task = { taskId: string; starred: boolean; promptPreview: string }

const listed = async (someone: Someone, query: Record<string, string> = {}) =>
  (await someone.data<List<Task>>('searchTasks', { query })).items
const bulk = (someone: Someone, action: string, ids: string[]) =>
  someone.data<{ count: number }>('bulkTasks', { body: { action, ids } })

for (const { name, open } of databases) {
  describe(`images and videos of an account on ${name}`, () => {
    test('are starred and found by their star, by their own account alone', async () => {
      await using people = await openPeople(open)
      const { db, me, stranger } = people
      const ids = [await addTask(db, me.accountId), await addTask(db, me.accountId)]
      const [first = ''] = ids
      assert.equal((await bulk(stranger, 'star', ids)).count, 0)
      assert.equal((await bulk(me, 'star', [first.toUpperCase()])).count, 1)
      assert.deepEqual(
        (await listed(me, { starred: 'true' })).map(({ taskId, starred }) => [taskId, starred]),
        [[first, true]],
      )
      assert.deepEqual(await me.data('countTasks', { query: { starred: 'true' } }), {
        total: 1,
        isExact: true,
      })
      await bulk(me, 'unstar', ids)
      assert.deepEqual(await listed(me, { starred: 'true' }), [])
      assert.equal((await listed(me)).length, 2)
    })

    test('are deleted with their prompts and files, but not while they are needed', async () => {
      await using people = await openPeople(open)
      const { db, me, stranger } = people
      people.services.api.mediaUrls = () => []
      const runId = await addRun(db, me.accountId, 1, { status: 'RUNNING', completed_at: null })
      const [ended, shared, unfinished, ofRun] = [
        await addTask(db, me.accountId, { request: JSON.stringify({ prompt: 'secret plans' }) }),
        await addTask(db, me.accountId),
        await addTask(db, me.accountId),
        await addTask(db, me.accountId, { run_id: runId, source: 'WORKFLOW' }),
      ]
      const media = await addMedia(people.db, me.accountId, 2)
      await db.write(
        `update tasks set status = 'COMPLETED', completed_at = 5, media = $2
         where id ${db.dialect.inList('$1', 'uuid')}`,
        [db.dialect.list([ended, shared, ofRun]), JSON.stringify([{ id: media[0] }])],
      )
      const all = [ended, shared, unfinished, ofRun]
      assert.equal((await bulk(stranger, 'delete', all)).count, 0)
      assert.equal((await bulk(me, 'delete', [ended, unfinished, ofRun])).count, 1)
      assert.equal((await bulk(me, 'delete', [ended])).count, 0)
      assert.deepEqual(
        (await listed(me)).map(({ taskId }) => taskId).sort(),
        [shared, unfinished, ofRun].sort(),
      )
      const gone = await me.refusal('getTaskDetail', { params: { taskId: ended } })
      assert.equal(gone.code, 'TASK_NOT_FOUND')
      assert.deepEqual(await me.data('countTasks'), { total: 3, isExact: true })
      const [row] = await db.query<{ request: string; media: string }>(
        'select request, media from tasks where id = $1',
        [ended],
      )
      assert.doesNotMatch(`${row?.request} ${row?.media}`, /secret/)
      assert.deepEqual(
        await db.query('select id from media where account_id = $1', [me.accountId]),
        [{ id: media[1] }],
      )
      // Another record still refers to the bytes.
      assert.deepEqual(await db.query('select refs, state from media_blobs'), [
        { refs: 1, state: 'LIVE' },
      ])
    })
  })
}

/** Records that share one blob. */
async function addMedia(db: Parameters<typeof addTask>[0], accountId: string, count: number) {
  const ids = Array.from({ length: count }, () => crypto.randomUUID())
  await db.write(
    `insert into media_blobs (name, hash, state, refs, created_at, mime_type, size_bytes)
     values ('b', 'h', 'LIVE', $1, 1, 'image/png', 1)`,
    [count],
  )
  for (const id of ids)
    await db.write(`insert into media (id, account_id, blob, created_at) values ($1, $2, 'b', 1)`, [
      id,
      accountId,
    ])
  return ids
}
