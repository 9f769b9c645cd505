import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatBytes } from '#console/lib/bytes.ts'
import { newId } from '#console/lib/ids.ts'
import { mediaPath } from '#console/lib/media-path.ts'
import { formatMoney } from '#console/lib/money.ts'
import { formatDuration, relativeTime } from '#console/lib/time.ts'
import { chartScale, seriesColour } from '#console/ui/chart-scale.ts'
import { acceptsType } from '#console/ui/file-types.ts'

test('an amount shows two decimals, and more only where two would hide it', () => {
  const shown = [0, 12.5, 1, 0.25, 0.01, 0.004, 0.000123, 0.000001, -0.02].map((amount) =>
    formatMoney(amount, 'USD', 'en'),
  )
  assert.deepEqual(shown, [
    '$0.00',
    '$12.50',
    '$1.00',
    '$0.25',
    '$0.01',
    '$0.004',
    '$0.00012',
    '$0.000001',
    '-$0.02',
  ])
})

test('times are shown relative to now', () => {
  const now = Date.parse('2026-06-01T12:00:00Z')
  const told = (offset: number) => relativeTime(now + offset, now, 'en')
  assert.equal(told(-20_000), 'just now')
  assert.equal(told(-119_000), '1 minute ago')
  assert.equal(told(-3 * 3_600_000), '3 hours ago')
  assert.equal(told(2 * 86_400_000), 'in 2 days')
  assert.equal(told(30_000), 'in a moment')
})

test('durations keep the two units that matter', () => {
  assert.deepEqual([85, 4_200, 59_960, 185_000, 7_800_000].map(formatDuration), [
    '85 ms',
    '4.2 s',
    '1 min 00 s',
    '3 min 05 s',
    '2 h 10 min',
  ])
})

test('sizes are shown in binary units', () => {
  assert.deepEqual([0, 900, 1024, 5_400_000].map(formatBytes), [
    '0 B',
    '900 B',
    '1.0 KiB',
    '5.1 MiB',
  ])
})

test('ids are UUIDs of version 4, each another', () => {
  const ids = Array.from({ length: 100 }, newId)
  assert.equal(new Set(ids).size, 100)
  for (const id of ids)
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

test('media is shown from this host; other addresses stay', () => {
  assert.equal(mediaPath('https://ai.example.com/media/x?sig=1'), '/media/x?sig=1')
  assert.equal(mediaPath('https://example.com/cat.png'), 'https://example.com/cat.png')
  assert.equal(mediaPath('data:image/png;base64,AA=='), 'data:image/png;base64,AA==')
})

test('an axis ends at a round number that holds the highest bar', () => {
  assert.deepEqual(chartScale(13), { top: 15, ticks: [0, 5, 10, 15] })
  assert.deepEqual(chartScale(0.3), { top: 0.3, ticks: [0, 0.1, 0.2, 0.3] })
  assert.deepEqual(chartScale(0), { top: 1, ticks: [0, 1] })
})

test('the eighth series and "other" share the grey', () => {
  assert.equal(seriesColour(0, 'a'), 'var(--series-1)')
  assert.equal(seriesColour(7, 'h'), 'var(--series-other)')
  assert.equal(seriesColour(1, 'other'), 'var(--series-other)')
})

test('files are accepted by type, family and extension', () => {
  const png = { name: 'a.PNG', type: 'image/png' }
  const json = { name: 'flow.json', type: '' }
  assert.ok(acceptsType('image/*', png))
  assert.ok(acceptsType('.json, application/json', json))
  assert.ok(!acceptsType('video/*', png))
  assert.ok(acceptsType('', png))
})
