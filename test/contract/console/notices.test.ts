import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { limitNotices, modelNotices } from '#api/console/notices/make-notices.ts'
import type { ServerFacts } from '#api/console/server-facts.ts'
import type { CatalogueEntry } from '#core/catalogue.ts'
import { claimFact } from '#store/tables/server-facts.ts'
import { databases } from '../../support/databases.ts'
import { addCall } from './ledger-rows.ts'
import { openPeople } from './people.ts'

type Notice = {
  noticeId: string
  kind: string
  at: string
  isRead: boolean
  subject: string | null
  percent?: number
  reason?: string
}
type Notices = { items: Notice[]; unread: number }

const nowMs = Date.UTC(2030, 4, 10, 12)
const unlimited = { limits: { spendPerMonth: null }, providers: [] as object[] } as ServerFacts

for (const { name, open } of databases) {
  describe(`notices on ${name}`, () => {
    test('say that a limit is nearly spent, once; and again when it is', async () => {
      await using people = await openPeople(open, { nowMs, server: unlimited })
      const { db, me, stranger } = people
      const body = { name: 'robot', limits: { spendPerMonth: 1 } }
      const key = await me.data<{ id: string }>('createApiKey', { body })
      await me.data('updateAccount', { body: { name: 'me', spendLimit: 10 } })
      assert.deepEqual(await me.data<Notices>('listNotices'), { items: [], unread: 0 })
      await addCall(db, me.accountId, { costMicros: 7_900_000, settledAtMs: nowMs - 1 })
      await addCall(db, me.accountId, { costMicros: 900_000, settledAtMs: nowMs, keyId: key.id })
      const first = await me.data<Notices>('listNotices')
      assert.deepEqual(
        first.items.map(({ subject, percent, isRead }) => [subject, percent, isRead]).sort(),
        [
          [null, 80, false],
          ['robot', 80, false],
        ],
      )
      const ids = first.items.map(({ noticeId }) => noticeId)
      const read = await me.data<Notices>('readNotices', { body: { ids: [...ids, 'nothing'] } })
      assert.deepEqual([read.unread, read.items.length], [0, 2])
      await addCall(db, me.accountId, { costMicros: 200_000, settledAtMs: nowMs, keyId: key.id })
      const more = await me.data<Notices>('listNotices')
      assert.deepEqual(
        more.items.filter((item) => !item.isRead).map(({ subject, percent }) => [subject, percent]),
        [['robot', 100]],
      )
      assert.deepEqual((await stranger.data<Notices>('listNotices')).items, [])
    })

    test('name triggers that paused themselves, until they go on', async () => {
      await using people = await openPeople(open, { nowMs, server: unlimited })
      const { db, me, stranger } = people
      await db.write(
        `insert into triggers (id, account_id, workflow_id, name, kind, enabled, version, settings,
           paused_at, paused_reason, created_at, updated_at)
         values ($1, $2, 7, 'Nightly', 'schedule', 1, 'latest', '{}', $3, 'FAILURES', 1, 1)`,
        [crypto.randomUUID(), me.accountId, nowMs],
      )
      const { items } = await me.data<Notices>('listNotices')
      assert.deepEqual(
        items.map(({ kind, subject, reason }) => [kind, subject, reason]),
        [['trigger-paused', 'Nightly', 'FAILURES']],
      )
      assert.deepEqual((await stranger.data<Notices>('listNotices')).items, [])
      await db.write('update triggers set paused_at = null')
      assert.deepEqual((await me.data<Notices>('listNotices')).items, [])
    })

    test('tell owners of the operating account, and nobody else, of a key that is refused', async () => {
      const key = { weight: 1, until: null, state: 'refused' }
      const refusedAt = new Date(nowMs).toISOString()
      const deployments = [
        { ...key, name: 'eu', refusedAt },
        { ...key, name: 'us', refusedAt: null, state: 'ready' },
      ]
      const server = { ...unlimited, providers: [{ id: 'openai', deployments }] } as ServerFacts
      await using people = await openPeople(open, { nowMs, server })
      const { db, me, stranger } = people
      assert.deepEqual((await me.data<Notices>('listNotices')).items, [])
      const [user] = await db.query<{ id: string }>('select id from users where account_id = $1', [
        me.accountId,
      ])
      await claimFact(db, 'owner', user?.id ?? '')
      const { items } = await me.data<Notices>('listNotices')
      assert.deepEqual(
        items.map(({ kind, subject, at }) => [kind, subject, at]),
        [['key-refused', 'openai/eu', refusedAt]],
      )
      assert.deepEqual((await stranger.data<Notices>('listNotices')).items, [])
      await db.write(`update users set role = 'editor' where account_id = $1`, [me.accountId])
      assert.deepEqual((await me.data<Notices>('listNotices')).items, [])
    })

    test('tell a person, and nobody else, of a sign-in from a new place', async () => {
      await using people = await openPeople(open, { nowMs, server: unlimited })
      const { clock, nobody: me, stranger } = people
      const body = { email: 'ada@example.com', password: 'correct horse battery' }
      const arrive = (operation: 'signUp' | 'signIn', ipAddress: string) =>
        me.data(operation, { body, ipAddress })
      await arrive('signUp', '198.51.100.1')
      await arrive('signIn', '198.51.100.1')
      assert.deepEqual((await me.data<Notices>('listNotices')).items, [])
      await arrive('signIn', '203.0.113.9')
      const firstMs = clock.at
      clock.at += 60_000
      await arrive('signIn', '203.0.113.9')
      const { items } = await me.data<Notices>('listNotices')
      assert.deepEqual(
        items.map(({ kind, subject, at }) => [kind, subject, Date.parse(at)]),
        [['sign-in', '203.0.113.9', firstMs]],
      )
      assert.deepEqual((await stranger.data<Notices>('listNotices')).items, [])
    })
  })
}

describe('a notice', () => {
  test('about a limit has the day on which it was reached, and counts a key for itself', () => {
    const spend = [
      { day: '2030-05-01', key_id: 'k', cost_micros: 50 },
      { day: '2030-05-02', key_id: '', cost_micros: 35 },
      { day: '2030-05-03', key_id: 'k', cost_micros: 20 },
    ]
    const limits = [
      { keyId: null, name: null, limit: 100 },
      { keyId: 'k', name: 'key', limit: 200 },
    ]
    const made = limitNotices(limits, spend)
    assert.deepEqual(
      made.map(({ noticeId, atMs }) => [noticeId, new Date(atMs).toISOString().slice(0, 10)]),
      [['limit account 2030-05 100', '2030-05-03']],
    )
  })

  test('about a model comes 90 days before its shutdown, if the account uses it', () => {
    const entry = {
      model: {
        ...{ id: 'a/b', name: 'B' },
        lifecycle: { status: 'retiring', shutdownAt: '2030-06-01', replacement: 'a/c' },
      },
    } as CatalogueEntry
    const on = (day: string, used = ['a/b']) =>
      modelNotices([entry], new Set(used), Date.parse(`${day}T00:00:00Z`)).map(
        ({ noticeId }) => noticeId,
      )
    assert.deepEqual(on('2030-01-01'), [])
    assert.deepEqual(on('2030-05-01'), ['model a/b 2030-06-01 soon'])
    assert.deepEqual(on('2030-05-01', ['x']), [])
    assert.deepEqual(on('2030-06-01'), ['model a/b 2030-06-01 over'])
    assert.deepEqual(on('2030-09-01'), [])
  })
})
