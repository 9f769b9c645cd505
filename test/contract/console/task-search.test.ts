import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { toSearchText } from '#core/search-text.ts'
import type { NewTask } from '#store/tables/tasks.ts'
import { databases } from '../../support/databases.ts'
import { addTask } from '../tasks/setting.ts'
import { type List, openPeople, refusedAt, type Someone, tampered } from './people.ts'

type Task = { taskId: string; promptPreview: string; createdAt: string; model: string }
type Detail = Task & {
  prompt: string
  promptTruncated: boolean
  parameters: object
  inputImage: { url: string } | null
  keyId: string | null
  keyName: string | null
  attempts: { id: string; outcome: string }[]
}

const at = (ms: number) => new Date(ms).toISOString()
const prompted = (prompt: string): Partial<NewTask> => ({
  prompt_preview: prompt.slice(0, 200),
  search_text: toSearchText(prompt),
  request: JSON.stringify({ prompt }),
})
const ids = (tasks: readonly Task[]) => tasks.map(({ taskId }) => taskId)
const search = (someone: Someone, query: Record<string, string>) =>
  someone.data<List<Task>>('searchTasks', { query })

for (const { name, open } of databases) {
  describe(`task search on ${name}`, () => {
    test('an unfiltered list is every task once, newest first, by cursors', async () => {
      await using people = await openPeople(open)
      const { db, me } = people
      const made: string[] = []
      for (let i = 0; i < 11; i++) made.push(await addTask(db, me.accountId, { nowMs: i }))
      const seen = await me.all<Task>('searchTasks', { size: '4' })
      assert.deepEqual(ids(seen), made.toReversed())
      const exact = await search(me, { size: '11' })
      assert.deepEqual([exact.items.length, exact.next], [11, null])
    })

    test('tasks are counted with and without filters, for their own account', async () => {
      await using people = await openPeople(open)
      const { db, me, stranger } = people
      for (let i = 0; i < 4; i++)
        await addTask(db, me.accountId, { nowMs: i, ...prompted(i % 2 ? 'A boat' : 'A pier') })
      const count = (someone: Someone, query: Record<string, string>) =>
        someone.data('countTasks', { query })
      assert.deepEqual(await count(me, {}), { total: 4, isExact: true })
      assert.deepEqual(await count(me, { q: 'boat' }), { total: 2, isExact: true })
      assert.deepEqual(await count(me, { q: 'boat', from: at(2) }), { total: 1, isExact: true })
      assert.deepEqual(await count(stranger, { q: 'boat' }), { total: 0, isExact: true })
    })

    test('an unchanged list has an unchanged answer, so that polling it costs little', async () => {
      await using people = await openPeople(open)
      const { db, me } = people
      for (let i = 0; i < 3; i++) await addTask(db, me.accountId, { nowMs: i })
      const [once, again] = [await search(me, { size: '2' }), await search(me, { size: '2' })]
      assert.ok(once.next)
      assert.deepEqual(again, once)
    })

    test('tasks that arrive between two answers are neither doubled nor missed', async () => {
      await using people = await openPeople(open)
      const { db, me } = people
      const made: string[] = []
      for (let i = 0; i < 6; i++) made.push(await addTask(db, me.accountId, { nowMs: i }))
      const first = await search(me, { size: '3' })
      await addTask(db, me.accountId, { nowMs: 100 })
      const second = await search(me, { size: '3', cursor: first.next ?? '' })
      assert.deepEqual(ids([...first.items, ...second.items]), made.toReversed())
      assert.equal(second.next, null)
    })

    test('filters by kind, status, model and source hold together', async () => {
      await using people = await openPeople(open)
      const { db, me } = people
      const video = await addTask(db, me.accountId, { kind: 'VIDEO', model: 'clips' })
      const image = await addTask(db, me.accountId, { model: 'pictures' })
      const run = crypto.randomUUID()
      const ofRun = await addTask(db, me.accountId, {
        source: 'WORKFLOW',
        run_id: run,
        node_id: 'n',
        model: 'pictures',
      })
      await db.write(`update tasks set status = 'FAILED' where id = $1`, [ofRun])
      const found = async (query: Record<string, string>) => ids((await search(me, query)).items)
      assert.deepEqual(await found({ kind: 'VIDEO' }), [video])
      assert.deepEqual(await found({ model: 'pictures' }), [ofRun, image])
      assert.deepEqual(await found({ model: 'pictures', source: 'DIRECT' }), [image])
      assert.deepEqual(await found({ status: 'FAILED' }), [ofRun])
      assert.deepEqual(await found({ status: 'FAILED', kind: 'VIDEO' }), [])
    })

    test('a span of time takes its first moment and leaves its last', async () => {
      await using people = await openPeople(open)
      const { db, me } = people
      const made = new Map<number, string>()
      for (const nowMs of [10, 20, 20, 30, 40]) {
        made.set(nowMs + made.size, await addTask(db, me.accountId, { nowMs }))
      }
      const [t10, t20, t20b, t30, t40] = [...made.values()]
      const found = async (query: Record<string, string>) => ids((await search(me, query)).items)
      assert.deepEqual(await found({ from: at(20), to: at(40) }), [t30, t20b, t20])
      assert.deepEqual(await found({ from: at(41) }), [])
      assert.deepEqual(await found({ to: at(10) }), [])
      assert.deepEqual(await found({ from: at(0), to: at(11) }), [t10])
      assert.deepEqual(await found({ from: at(31) }), [t40])
    })

    test('a submission whose answer was lost is found by its prompt and time', async () => {
      await using people = await openPeople(open)
      const { db, me } = people
      const prompt = 'Ein Fuchs,\n  der 100% „GRÜßE“ sagt_und\\geht'
      const old = await addTask(db, me.accountId, { nowMs: 1_000, ...prompted(prompt) })
      await addTask(db, me.accountId, { nowMs: 2_000, ...prompted('another') })
      const lost = await addTask(db, me.accountId, { nowMs: 3_000, ...prompted(prompt) })
      const found = async (query: Record<string, string>) => ids((await search(me, query)).items)
      assert.deepEqual(await found({ q: prompt, from: at(2_500) }), [lost])
      assert.deepEqual(await found({ q: 'fuchs, DER 100% „grüße“' }), [lost, old])
      // Signs that mean something to a database are only themselves here.
      assert.deepEqual(await found({ q: '100_' }), [])
      assert.deepEqual(await found({ q: '%' }), [lost, old])
      assert.deepEqual(await found({ q: '_und\\geht' }), [lost, old])
      assert.equal((await found({ q: ' \u0000 ' })).length, 3)
    })

    test('an identifier, or its beginning, finds its task', async () => {
      await using people = await openPeople(open)
      const { db, me, stranger } = people
      const [a, b] = [
        await addTask(db, me.accountId, { nowMs: Date.UTC(2026, 1, 1) }),
        await addTask(db, me.accountId, { nowMs: Date.UTC(2029, 1, 1) }),
      ]
      assert.deepEqual(ids((await search(me, { q: a.toUpperCase() })).items), [a])
      assert.deepEqual(ids((await search(me, { q: b.slice(0, 8) })).items), [b])
      assert.deepEqual(ids((await search(me, { q: a, kind: 'VIDEO' })).items), [])
      assert.deepEqual((await search(stranger, { q: a })).items, [])
    })

    test('a rare match among many costs several answers, each of bounded work', async () => {
      await using people = await openPeople(open)
      const { db, me } = people
      const wanted = await addTask(db, me.accountId, prompted('a needle'))
      const rows = 10_500
      await db.write(
        `insert into tasks (id, account_id, seq, kind, status, model, prompt_preview, request,
           source, created_at, reserved_micros, stage, attempts, epoch, run_at, deadline_at)
         with recursive n(i) as (select 2 union all select i + 1 from n where i < ${rows})
         select ${name === 'postgres' ? 'gen_random_uuid()' : 'lower(hex(randomblob(16)))'},
           account_id, i, kind, status, model, 'hay', request, source, created_at, 0, stage, 0, 0,
           run_at, deadline_at
         from tasks, n where id = $1`,
        [wanted],
      )
      await db.write(`update account_sequences set last_seq = ${rows} where account_id = $1`, [
        me.accountId,
      ])
      const first = await search(me, { q: 'needle' })
      assert.deepEqual(first.items, [])
      assert.ok(first.next)
      const second = await search(me, { q: 'needle', cursor: first.next })
      assert.deepEqual([ids(second.items), second.next], [[wanted], null])
    })

    test('a task shows its whole prompt, its parameters, its key and its attempts', async () => {
      await using people = await openPeople(open)
      const { db, me, stranger, nobody } = people
      const key = await me.data<{ id: string }>('createApiKey', { body: { name: 'CI' } })
      const prompt = `${'long '.repeat(100)}prompt`
      const taskId = await addTask(db, me.accountId, {
        ...prompted(prompt),
        key_id: key.id,
        request: JSON.stringify({
          prompt,
          aspectRatio: '16:9',
          quality: 'high',
          image: { url: 'https://pictures.example/a.png' },
        }),
      })
      for (const [n, outcome] of ['REJECTED', 'SUCCEEDED'].entries()) {
        await db.write(
          `insert into ledger (attempt, account_id, task_id, operation, provider, model,
             reserved_micros, outcome, created_at, settled_at, units, cost_micros)
           values ($1, $2, $3, 'image', 'p', 'm', 0, $4, $5, $5, '{"images":1}', 7)`,
          [`${taskId}:${n}`, me.accountId, taskId, outcome, n],
        )
      }
      const detail = await me.data<Detail>('getTaskDetail', { params: { taskId } })
      assert.deepEqual([detail.prompt, detail.promptTruncated], [prompt, false])
      assert.deepEqual(detail.parameters, { imageAspectRatio: '16:9', imageQuality: 'high' })
      assert.deepEqual(detail.inputImage, { url: 'https://pictures.example/a.png' })
      assert.deepEqual([detail.keyId, detail.keyName], [key.id, 'CI'])
      assert.deepEqual(
        detail.attempts.map(({ outcome }) => outcome),
        ['REJECTED', 'SUCCEEDED'],
      )
      const strangers = await stranger.refusal('getTaskDetail', { params: { taskId } })
      const none = { params: { taskId: crypto.randomUUID() } }
      const nobodys = await stranger.refusal('getTaskDetail', none)
      assert.deepEqual(
        [strangers.status, strangers.code, strangers.message],
        [404, nobodys.code, nobodys.message],
      )
      assert.equal((await nobody.refusal('searchTasks')).code, 'AUTH_REQUIRED')
      assert.equal(
        (await nobody.refusal('getTaskDetail', { params: { taskId } })).code,
        'AUTH_REQUIRED',
      )
    })

    test('a prompt longer than a page can show is cut and says so', async () => {
      await using people = await openPeople(open)
      const prompt = 'x'.repeat(300_000)
      const taskId = await addTask(people.db, people.me.accountId, prompted(prompt))
      const detail = await people.me.data<Detail>('getTaskDetail', { params: { taskId } })
      assert.deepEqual([detail.prompt.length, detail.promptTruncated], [262_144, true])
    })

    test('a stranger sees no tasks, and nobody uses the cursor of another', async () => {
      await using people = await openPeople(open)
      const { db, me, stranger } = people
      for (let i = 0; i < 4; i++) await addTask(db, me.accountId)
      assert.deepEqual(await search(stranger, {}), { items: [], next: null })
      const { next } = await search(me, { size: '2' })
      assert.ok(next)
      const bad = [400, 'INVALID_REQUEST', '/query/cursor']
      const queries = [{ cursor: tampered(next) }, { cursor: 'x' }, { cursor: '' }]
      for (const query of [...queries, { cursor: next, kind: 'IMAGE' }]) {
        assert.deepEqual(await refusedAt(me, 'searchTasks', { query }), bad, JSON.stringify(query))
      }
      assert.deepEqual(await refusedAt(stranger, 'searchTasks', { query: { cursor: next } }), bad)
      // How many are wanted may change from one answer to the next.
      assert.equal((await search(me, { cursor: next, size: '1' })).items.length, 1)
    })

    test('what is no filter is a bad request that names it', async () => {
      await using people = await openPeople(open)
      const unacceptable: [string, Record<string, string>][] = [
        ['kind', { kind: 'TEXT' }],
        ['status', { status: 'done' }],
        ['source', { source: 'direct' }],
        ['from', { from: 'yesterday' }],
        ['to', { to: '2031-12-31T23:59:60Z' }],
        ['size', { size: '201' }],
        ['q', { q: 'x'.repeat(501) }],
        ['model', { model: '' }],
        ['model', { model: 'a\u0000b' }],
      ]
      for (const [field, query] of unacceptable) {
        const refused = await refusedAt(people.me, 'searchTasks', { query })
        assert.deepEqual(refused, [400, 'INVALID_REQUEST', `/query/${field}`])
      }
    })
  })
}
