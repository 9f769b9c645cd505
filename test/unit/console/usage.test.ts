import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Usage, UsageSeries } from '#console/api/types.ts'
import { knownZone, todayIn, usageQuery, usageSearch } from '#console/screens/usage/address.ts'
import { changeWords, estimateError, usageCsv } from '#console/screens/usage/measure.ts'

test('an address is read, and what it does not know is dropped', () => {
  assert.deepEqual(
    usageSearch({ range: '7d', split: 'key', measure: 'calls', tz: 'Europe/Berlin', junk: 1 }),
    { range: '7d', split: 'key', measure: 'calls', tz: 'Europe/Berlin' },
  )
  assert.deepEqual(usageSearch({ range: '3y', from: 'yesterday', tz: '<script>', at: '' }), {})
})

test('ranges end today in the chosen zone', () => {
  const now = Date.parse('2026-11-15T23:30:00Z')
  assert.equal(todayIn('UTC', now), '2026-11-15')
  assert.equal(todayIn('Asia/Tokyo', now), '2026-11-16')
  const days = (search: Parameters<typeof usageQuery>[0]) => {
    const { from, to, by } = usageQuery(search, { tz: 'UTC', today: '2026-11-15' })
    return { from, to, by }
  }
  assert.deepEqual(days({}), { from: '2026-10-17', to: '2026-11-15', by: 'day' })
  assert.deepEqual(days({ range: '7d' }), { from: '2026-11-09', to: '2026-11-15', by: 'day' })
  assert.deepEqual(days({ range: '12mo' }), { from: '2025-12-01', to: '2026-11-15', by: 'month' })
  assert.deepEqual(days({ from: '2026-01-31', to: '2026-02-02' }), {
    from: '2026-01-31',
    to: '2026-02-02',
    by: 'day',
  })
  // A custom range that ends before it begins is ignored.
  assert.equal(days({ from: '2026-02-02', to: '2026-01-31' }).to, '2026-11-15')
})

test('an unknown zone falls back to one that exists', () => {
  assert.equal(knownZone('Europe/Berlin'), 'Europe/Berlin')
  assert.doesNotThrow(() => new Intl.DateTimeFormat('en', { timeZone: knownZone('Moon/Base') }))
})

test('changes and errors are said in words that need no colour', () => {
  assert.equal(changeWords(112, 100), '12% more than in the previous period')
  assert.equal(changeWords(50, 100), '50% less than in the previous period')
  assert.equal(changeWords(3, 0), 'none in the previous period')
  assert.equal(estimateError(1.1, 1), '+10.0%')
  assert.equal(estimateError(0.5, 1), '−50.0%')
  assert.equal(estimateError(0, 0), 'exact')
  assert.equal(estimateError(1, 0), null)
})

test('the CSV holds every number, and no name becomes a formula', () => {
  const one = (key: string, label: string): UsageSeries => ({
    key,
    label,
    calls: 2,
    failed: 1,
    inputTokens: 10,
    cachedInputTokens: 4,
    cacheWriteTokens: 3,
    outputTokens: 20,
    reasoningTokens: 7,
    images: 0,
    videoSeconds: 0,
    cost: { amount: 0.25, currency: 'USD' },
    ownKeysCost: { amount: 0.1, currency: 'USD' },
  })
  const { key: _, label: __, ...counts } = one('', '')
  const usage: Usage = {
    from: '2026-11-14',
    to: '2026-11-15',
    tz: 'UTC',
    by: 'day',
    split: 'key',
    series: [],
    savedCost: { amount: 0, currency: 'USD' },
    total: counts,
    previous: { from: '', to: '', ...counts },
    estimates: [],
    estimatesNext: null,
    buckets: [
      {
        key: '2026-11-15',
        label: '',
        startsAt: '',
        endsAt: '',
        series: [one('a', '=1+1'), one('b', 'say "hi", twice')],
      },
    ],
  }
  assert.equal(
    usageCsv(usage),
    'day,key,name,calls,failed,inputTokens,outputTokens,images,videoSeconds,cost USD,cachedInputTokens,cacheWriteTokens,reasoningTokens,own keys USD\r\n' +
      "2026-11-15,a,'=1+1,2,1,10,20,0,0,0.25,4,3,7,0.1\r\n" +
      '2026-11-15,b,"say ""hi"", twice",2,1,10,20,0,0,0.25,4,3,7,0.1\r\n',
  )
})
