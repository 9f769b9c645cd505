import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { outcomeLost, settleAttempts } from '#store/tables/ledger.ts'
import type { Settlement } from '#store/tables/settlement.ts'
import { databases } from '../../support/databases.ts'
import { addCall, addRun, type Entry } from './ledger-rows.ts'
import { openPeople, type People, refusedAt, type Someone } from './people.ts'

type Counts = {
  calls: number
  failed: number
  inputTokens: number
  cachedInputTokens: number
  cacheWriteTokens: number
  outputTokens: number
  reasoningTokens: number
  images: number
  videoSeconds: number
  cost: { amount: number }
  ownKeysCost: { amount: number }
}
type Series = Counts & { key: string; label: string }
type Usage = {
  from: string
  to: string
  tz: string
  series: Series[]
  buckets: { key: string; label: string; startsAt: string; endsAt: string; series: Series[] }[]
  total: Counts
  previous: Counts & { from: string; to: string }
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const usageOf = (someone: Someone, query: Record<string, string>) =>
  someone.data<Usage>('getUsage', { query })

type LedgerRow = {
  model: string
  key_id: string | null
  workflow_id: number | null
  outcome: string
  units: string
  cost_micros: number | null
  credential: string | null
  settled_at: number
}

/** The oracle: a sum over the rows of the ledger, with dates by an independent calendar. */
async function ledgerSums(
  { db }: People,
  accountId: string,
  nameOf: (row: LedgerRow, date: string) => string,
  zone: string,
) {
  const rows = await db.query<LedgerRow>(
    'select * from ledger where account_id = $1 and settled_at is not null',
    [accountId],
  )
  const calendar = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' })
  const sums = new Map<string, number[]>()
  for (const row of rows) {
    const name = nameOf(row, calendar.format(row.settled_at))
    const units = JSON.parse(row.units)
    const counts = [
      1,
      row.outcome === 'SUCCEEDED' ? 0 : 1,
      units.inputTokens ?? 0,
      units.cachedInputTokens ?? 0,
      units.cacheWriteTokens ?? 0,
      units.outputTokens ?? 0,
      units.reasoningTokens ?? 0,
      units.images ?? 0,
      (units.videoSeconds ?? 0) * 1_000,
      row.cost_micros ?? 0,
      row.credential === null ? 0 : (row.cost_micros ?? 0),
    ]
    const known = sums.get(name)
    sums.set(
      name,
      counts.map((count, index) => count + (known?.[index] ?? 0)),
    )
  }
  return sums
}

const numbersOf = (counts: Counts) => [
  counts.calls,
  counts.failed,
  counts.inputTokens,
  counts.cachedInputTokens,
  counts.cacheWriteTokens,
  counts.outputTokens,
  counts.reasoningTokens,
  counts.images,
  Math.round(counts.videoSeconds * 1_000),
  Math.round(counts.cost.amount * 1_000_000),
  Math.round(counts.ownKeysCost.amount * 1_000_000),
]

const sorted = (sums: Iterable<readonly [string, number[]]>) =>
  [...sums].sort(([a], [b]) => (a < b ? -1 : 1))

for (const { name, open } of databases) {
  describe(`usage on ${name}`, () => {
    test('equals the ledger, by day of any zone and by model, key or workflow', async () => {
      await using people = await openPeople(open, { nowMs: Date.UTC(2029, 10, 20) })
      const { db, me } = people
      const keys = [null, crypto.randomUUID(), crypto.randomUUID()]
      const runs = [null, await addRun(db, me.accountId, 3), await addRun(db, me.accountId, 4)]
      const outcomes = ['SUCCEEDED', 'FAILED', 'REJECTED', 'UNKNOWN'] as const
      const entries = fc.array(
        fc.record({
          model: fc.constantFrom('x', 'y', 'z'),
          keyId: fc.constantFrom(...keys),
          runId: fc.constantFrom(...runs),
          credential: fc.constantFrom(undefined, 'mine'),
          outcome: fc.constantFrom(...outcomes),
          costMicros: fc.option(fc.integer({ min: 0, max: 9_999_999 })),
          units: fc.record(
            {
              inputTokens: fc.nat(100_000),
              cachedInputTokens: fc.nat(100_000),
              cacheWriteTokens: fc.nat(100_000),
              outputTokens: fc.nat(100_000),
              reasoningTokens: fc.nat(100_000),
              images: fc.nat(4),
              videoSeconds: fc.nat(60),
            },
            { requiredKeys: [] },
          ),
          // Around the days on which clocks change in Europe and America.
          settledAtMs: fc.integer({
            min: Date.UTC(2029, 9, 26),
            max: Date.UTC(2029, 10, 6),
          }),
        }),
        { minLength: 40, maxLength: 60 },
      )
      const [history] = fc.sample(entries, { numRuns: 1, seed: 7 })
      for (const entry of history ?? []) await addCall(db, me.accountId, entry as Entry)
      await addCall(db, me.accountId, { createdAtMs: Date.UTC(2029, 9, 30), reservedMicros: 9 })
      const columns = {
        model: (row: LedgerRow) => row.model,
        key: (row: LedgerRow) => row.key_id ?? 'none',
        workflow: (row: LedgerRow) => String(row.workflow_id ?? 'none'),
      }
      for (const tz of ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu']) {
        for (const [split, keyOf] of Object.entries(columns)) {
          const query = { from: '2029-10-20', to: '2029-11-15', tz, split }
          const usage = await usageOf(me, query)
          const seen = usage.buckets.flatMap((bucket) =>
            bucket.series.map((one) => [`${bucket.key} ${one.key}`, numbersOf(one)] as const),
          )
          const expected = await ledgerSums(
            people,
            me.accountId,
            (row, date) => `${date} ${keyOf(row)}`,
            tz,
          )
          assert.deepEqual(sorted(seen), sorted(expected), `${tz} ${split}`)
          const all = await ledgerSums(people, me.accountId, () => '', tz)
          assert.deepEqual(numbersOf(usage.total), all.get(''))
          const bySeries = await ledgerSums(people, me.accountId, keyOf, tz)
          assert.deepEqual(
            sorted(usage.series.map((one) => [one.key, numbersOf(one)] as const)),
            sorted(bySeries),
          )
        }
      }
    })

    test('a call given up for lost and then answered counts as answered', async () => {
      await using people = await openPeople(open)
      const { db, me, clock } = people
      const price = { unitPrice: '{}', reservedMicros: 900 }
      const attempt = await addCall(db, me.accountId, {
        ...price,
        model: 'late',
        credential: 'mine',
      })
      const settle = (settlement: Settlement) =>
        db.transaction((tx) => settleAttempts(tx, [settlement]))
      await settle(outcomeLost({ attempt, ...price }, clock.at - dayMs))
      const lost = await usageOf(me, {})
      assert.deepEqual([lost.total.failed, lost.total.cost.amount], [1, 0.0009])
      const units = { inputTokens: 5 }
      await settle({ attempt, outcome: 'SUCCEEDED', units, costMicros: 7, nowMs: clock.at })
      const usage = await usageOf(me, {})
      assert.deepEqual(numbersOf(usage.total), [1, 0, 5, 0, 0, 0, 0, 0, 0, 7, 7])
      assert.deepEqual(
        usage.buckets.filter(({ series }) => series.length > 0).map(({ key }) => key),
        ['2030-01-01'],
      )
    })

    test('a bar leads to as many calls as it counts', async () => {
      await using people = await openPeople(open)
      const { db, me } = people
      for (let i = 0; i < 20; i++) {
        const settledAtMs = Date.UTC(2029, 9, 27, 12) + i * 4 * hourMs
        await addCall(db, me.accountId, { settledAtMs, model: i % 3 ? 'a' : 'b' })
      }
      const tz = 'Europe/Berlin'
      const usage = await usageOf(me, { from: '2029-10-26', to: '2029-11-01', tz })
      let bars = 0
      for (const { key: day, series, startsAt, endsAt } of usage.buckets) {
        for (const { key: model, calls } of series) {
          bars += 1
          const listed = await me.all('listCalls', { day, tz, model })
          assert.equal(listed.length, calls)
          const spanned = await me.all('listCalls', { from: startsAt, to: endsAt, model })
          assert.deepEqual(spanned, listed)
        }
      }
      assert.ok(bars > 5)
      assert.equal(usage.total.calls, 20)
    })

    test('seven series and the others, dearest first, each with its name', async () => {
      await using people = await openPeople(open)
      const { db, me, clock } = people
      const { id: keyId } = await me.data<{ id: string }>('createApiKey', { body: { name: 'CI' } })
      for (let i = 1; i <= 9; i++) {
        const entry = { model: `m${i}`, costMicros: i * 1_000_000, settledAtMs: clock.at }
        await addCall(db, me.accountId, { ...entry, keyId: i > 3 ? keyId : null })
      }
      const models = await usageOf(me, {})
      assert.deepEqual(
        models.series.map(({ key, label, cost }) => [key, label, cost.amount]),
        [
          ['m9', 'm9', 9],
          ['m8', 'm8', 8],
          ['m7', 'm7', 7],
          ['m6', 'm6', 6],
          ['m5', 'm5', 5],
          ['m4', 'm4', 4],
          ['m3', 'm3', 3],
          ['(other)', 'Other', 3],
        ],
      )
      assert.deepEqual(models.buckets.at(-1)?.series, models.series)
      const keys = await usageOf(me, { split: 'key' })
      assert.deepEqual(
        keys.series.map(({ key, label }) => [key, label]),
        [
          [keyId, 'CI'],
          ['none', 'No key'],
        ],
      )
    })

    test('every bucket is there, the days on which clocks change too', async () => {
      await using people = await openPeople(open)
      const { db, me } = people
      // 2:30 comes twice in Berlin on 2029-10-28.
      for (const ms of [0, hourMs]) {
        await addCall(db, me.accountId, { settledAtMs: Date.UTC(2029, 9, 28, 0, 30) + ms })
      }
      const tz = 'Europe/Berlin'
      const days = await usageOf(me, { from: '2029-10-27', to: '2029-10-29', tz })
      assert.deepEqual(
        days.buckets.map(({ key, startsAt, series }) => [key, startsAt, series[0]?.calls]),
        [
          ['2029-10-27', '2029-10-26T22:00:00.000Z', undefined],
          ['2029-10-28', '2029-10-27T22:00:00.000Z', 2],
          ['2029-10-29', '2029-10-28T23:00:00.000Z', undefined],
        ],
      )
      const range = { from: '2029-10-28', to: '2029-10-28', tz, by: 'hour' }
      const hours = await usageOf(me, range)
      assert.equal(hours.buckets.length, 25)
      assert.deepEqual(
        hours.buckets
          .filter(({ series }) => series.length > 0)
          .map(({ key, label }) => [key, label]),
        [
          ['2029-10-28T02:00+02:00', '2029-10-28 02:00'],
          ['2029-10-28T02:00+01:00', '2029-10-28 02:00'],
        ],
      )
      const months = await usageOf(me, { from: '2029-09-15', to: '2030-01-02', by: 'month' })
      assert.deepEqual(
        months.buckets.map(({ key, series }) => [key, series[0]?.calls]),
        [
          ['2029-09', undefined],
          ['2029-10', 2],
          ['2029-11', undefined],
          ['2029-12', undefined],
          ['2030-01', undefined],
        ],
      )
    })

    test('the previous period is as long and ends where this begins', async () => {
      await using people = await openPeople(open)
      const { db, me, stranger, nobody, clock } = people
      const spent = (daysAgo: number, costMicros: number) =>
        addCall(db, me.accountId, { settledAtMs: clock.at - daysAgo * dayMs, costMicros })
      await spent(0, 1)
      await spent(29, 10)
      await spent(30, 100)
      await spent(59, 1_000)
      await spent(60, 10_000)
      const usage = await usageOf(me, {})
      assert.deepEqual([usage.from, usage.to], ['2029-12-03', '2030-01-01'])
      assert.deepEqual([usage.previous.from, usage.previous.to], ['2029-11-03', '2029-12-02'])
      assert.deepEqual([usage.total.cost.amount, usage.previous.cost.amount], [0.000011, 0.0011])
      const theirs = await usageOf(stranger, {})
      assert.deepEqual([theirs.total.calls, theirs.previous.calls, theirs.series], [0, 0, []])
      assert.equal((await nobody.refusal('getUsage')).code, 'AUTH_REQUIRED')
    })

    test('what is no range is a bad request that says where', async () => {
      await using people = await openPeople(open)
      const unacceptable: [string, Record<string, string>][] = [
        ['from', { from: '2029-02-30' }],
        ['from', { from: '1999-12-31' }],
        ['from', { from: '2030-01-02', to: '2030-01-01' }],
        ['from', { from: '2029-01-01', to: '2030-01-02' }],
        ['from', { from: '2029-01-01', to: '2029-02-01', by: 'hour' }],
        ['to', { to: 'today' }],
        ['tz', { tz: 'Nowhere' }],
        ['tz', { tz: '../../etc/passwd' }],
        ['by', { by: 'week' }],
        ['split', { split: 'provider' }],
      ]
      for (const [field, query] of unacceptable) {
        const refused = await refusedAt(people.me, 'getUsage', { query })
        assert.deepEqual(refused, [400, 'INVALID_REQUEST', `/query/${field}`])
      }
      const leap = await usageOf(people.me, { from: '2028-01-01', to: '2028-12-31' })
      assert.equal(leap.buckets.length, 366)
    })
  })
}
