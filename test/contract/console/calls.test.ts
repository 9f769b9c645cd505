import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { addCall, addRun } from './ledger-rows.ts'
import { type List, openPeople, refusedAt, tampered } from './people.ts'

type Call = {
  id: string
  outcome: string
  units: object
  unitPrice: object | null
  cost: { amount: number } | null
  taskId: string | null
  runId: string | null
  workflowId: number | null
  settledAt: string | null
}

const ids = (calls: readonly Call[]) => calls.map(({ id }) => id)
const noon = Date.UTC(2029, 5, 15, 12)
const hourMs = 3_600_000

for (const { name, open } of databases) {
  describe(`calls on ${name}`, () => {
    test('the calls of a day are every settled one once, newest first, by cursors', async () => {
      await using people = await openPeople(open)
      const { db, me } = people
      const made: string[] = []
      // Some are settled in the same millisecond.
      for (const ms of [0, 0, 0, 1, 2, 2, 9]) {
        made.push(await addCall(db, me.accountId, { settledAtMs: noon + ms }))
      }
      await addCall(db, me.accountId, { createdAtMs: noon })
      await addCall(db, me.accountId, { settledAtMs: noon + 12 * hourMs })
      await addCall(db, me.accountId, { settledAtMs: noon - 12 * hourMs - 1 })
      const query = { day: '2029-06-15', size: '2' }
      const seen = await me.all<Call>('listCalls', query)
      assert.deepEqual(ids(seen).sort(), made.toSorted())
      assert.deepEqual(
        seen.map(({ settledAt }) => settledAt),
        seen
          .map(({ settledAt }) => settledAt)
          .toSorted()
          .toReversed(),
      )
      const first = await me.data<List<Call>>('listCalls', { query })
      await addCall(db, me.accountId, { settledAtMs: noon + 100 })
      const { items } = await me.data<List<Call>>('listCalls', {
        query: { ...query, cursor: first.next ?? '' },
      })
      assert.deepEqual(ids(items), ids(seen.slice(2, 4)))
    })

    test('a day is the day of its time zone', async () => {
      await using people = await openPeople(open)
      const { db, me } = people
      const late = await addCall(db, me.accountId, { settledAtMs: Date.UTC(2029, 5, 15, 23) })
      const found = async (query: Record<string, string>) =>
        ids((await me.data<List<Call>>('listCalls', { query })).items)
      assert.deepEqual(await found({ day: '2029-06-15' }), [late])
      assert.deepEqual(await found({ day: '2029-06-15', tz: 'Asia/Kolkata' }), [])
      assert.deepEqual(await found({ day: '2029-06-16', tz: 'Asia/Kolkata' }), [late])
      const from = '2029-06-15T23:00:00Z'
      assert.deepEqual(await found({ from }), [late])
      assert.deepEqual(await found({ from: '2029-06-15T22:00:00Z', to: from }), [])
    })

    test('a run and a task show their calls, under way ones too', async () => {
      await using people = await openPeople(open)
      const { db, me, stranger } = people
      const runId = await addRun(db, me.accountId, 7)
      const taskId = crypto.randomUUID()
      const priced = await addCall(db, me.accountId, {
        runId,
        nodeId: 'n',
        taskId,
        createdAtMs: 5,
        settledAtMs: noon,
        unitPrice: '{"currency":"USD","perImage":0.04}',
        units: { images: 2 },
        costMicros: 80_000,
      })
      const open2 = await addCall(db, me.accountId, { runId, createdAtMs: 9 })
      await addCall(db, me.accountId, { settledAtMs: noon })
      const of = (query: Record<string, string>) => me.data<List<Call>>('listCalls', { query })
      assert.deepEqual(ids((await of({ runId })).items), [open2, priced])
      const [call] = (await of({ taskId: taskId.toUpperCase() })).items
      assert.deepEqual(
        [call?.id, call?.units, call?.unitPrice, call?.cost, call?.runId, call?.workflowId],
        [
          priced,
          { images: 2 },
          { currency: 'USD', perImage: 0.04 },
          { amount: 0.08, currency: 'USD' },
          runId,
          7,
        ],
      )
      assert.equal((await of({ runId })).items[0]?.outcome, 'PENDING')
      assert.deepEqual(ids(await me.all<Call>('listCalls', { runId, size: '1' })), [open2, priced])
      for (const requestId of [priced, `chatcmpl-${priced}`, `msg_${priced.toUpperCase()}`])
        assert.deepEqual(ids((await of({ requestId })).items), [priced])
      assert.deepEqual((await of({ requestId: crypto.randomUUID() })).items, [])
      const queries: Record<string, string>[] = [
        { runId },
        { taskId },
        { requestId: priced },
        { day: '2029-06-15' },
      ]
      for (const query of queries) {
        const theirs = await stranger.data<List<Call>>('listCalls', { query })
        assert.deepEqual(theirs, { items: [], next: null })
      }
    })

    test('filters by model, key and workflow, and by having none', async () => {
      await using people = await openPeople(open)
      const { db, me } = people
      const keyId = crypto.randomUUID()
      const runId = await addRun(db, me.accountId, 12)
      const settledAtMs = noon
      const a = await addCall(db, me.accountId, { settledAtMs, model: 'a', keyId })
      const b = await addCall(db, me.accountId, { settledAtMs: noon + 1, model: 'b', runId })
      const found = async (query: Record<string, string>) =>
        ids(await me.all<Call>('listCalls', { day: '2029-06-15', ...query }))
      assert.deepEqual(await found({ model: 'a' }), [a])
      assert.deepEqual(await found({ keyId: keyId.toUpperCase() }), [a])
      assert.deepEqual(await found({ keyId: 'none' }), [b])
      assert.deepEqual(await found({ workflowId: '12' }), [b])
      assert.deepEqual(await found({ workflowId: 'none' }), [a])
      assert.deepEqual(await found({ workflowId: '12', model: 'a' }), [])
    })

    test('a rare match among many costs several answers, each of bounded work', async () => {
      await using people = await openPeople(open)
      const { db, me } = people
      const wanted = await addCall(db, me.accountId, { settledAtMs: noon, model: 'needle' })
      const text = name === 'postgres' ? 'cast(gen_random_uuid() as text)' : 'hex(randomblob(16))'
      await db.write(
        `insert into ledger (attempt, account_id, operation, provider, model, reserved_micros,
           outcome, created_at, settled_at)
         with recursive n(i) as (select 1 union all select i + 1 from n where i < 10100)
         select ${text}, account_id, operation, provider, 'hay', 0, outcome, created_at,
           settled_at + i / 3
         from ledger, n where attempt = $1`,
        [wanted],
      )
      const query = { day: '2029-06-15', model: 'needle' }
      const first = await me.data<List<Call>>('listCalls', { query })
      assert.deepEqual(first.items, [])
      assert.ok(first.next)
      const second = await me.data<List<Call>>('listCalls', {
        query: { ...query, cursor: first.next },
      })
      assert.deepEqual([ids(second.items), second.next], [[wanted], null])
      const hay = await me.all<Call>('listCalls', { day: '2029-06-15', model: 'hay', size: '200' })
      assert.equal(new Set(ids(hay)).size, 10_100)
    })

    test('what is no question is a bad request that says where', async () => {
      await using people = await openPeople(open)
      const { db, me, stranger } = people
      const unacceptable: [string, Record<string, string>][] = [
        ['day', {}],
        ['day', { tz: 'UTC' }],
        ['day', { day: '2029-02-30' }],
        ['day', { day: '0001-01-01' }],
        ['day', { day: '2029-06-15', runId: crypto.randomUUID() }],
        ['tz', { day: '2029-06-15', tz: 'Mars/Phobos' }],
        ['tz', { day: '2029-06-15', tz: '+05:30' }],
        ['tz', { day: '2029-06-15', tz: 'UTC\u0000' }],
        ['runId', { runId: 'x' }],
        ['keyId', { day: '2029-06-15', keyId: 'x' }],
        ['workflowId', { day: '2029-06-15', workflowId: '0' }],
        ['model', { day: '2029-06-15', model: '\u0000' }],
        ['cursor', { day: '2029-06-15', cursor: 'AAAA' }],
      ]
      for (const [field, query] of unacceptable) {
        const refused = await refusedAt(me, 'listCalls', { query })
        assert.deepEqual(refused, [400, 'INVALID_REQUEST', `/query/${field}`])
      }
      for (const ms of [1, 2]) await addCall(db, me.accountId, { settledAtMs: noon + ms })
      const query = { day: '2029-06-15', size: '1' }
      const { next } = await me.data<List<Call>>('listCalls', { query })
      assert.ok(next)
      const bad = [400, 'INVALID_REQUEST', '/query/cursor']
      const changed = { query: { ...query, cursor: tampered(next) } }
      assert.deepEqual(await refusedAt(me, 'listCalls', changed), bad)
      const stolen = { query: { ...query, cursor: next } }
      assert.deepEqual(await refusedAt(stranger, 'listCalls', stolen), bad)
      assert.equal((await people.nobody.refusal('listCalls', { query })).code, 'AUTH_REQUIRED')
    })
  })
}
