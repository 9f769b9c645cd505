import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTimeZone, type TimeZone } from '#core/time-zone.ts'
import { type CronRule, readCron } from '#core/triggers/cron.ts'
import { cronWords, shiftedDays } from '#core/triggers/cron-words.ts'

test('a schedule reads as a sentence', () => {
  const words: Record<string, string> = {
    '0 9 * * *': 'Every day at 09:00',
    '30 8 * * 1-5': 'Every Monday to Friday at 08:30',
    '0 9,17 * * 7': 'Every Sunday at 09:00, 17:00',
    '0 9 * * 1': 'Every Monday at 09:00',
    '0 9 * * 1,4': 'Every Monday, Thursday at 09:00',
    '0 9 1 * 1': 'At 09:00 on day 1 of the month or on Monday',
    '*/15 * * * *': 'Each hour, every 15 minutes every day',
    '0 0 1 1 *': 'At 00:00 on day 1 of the month in month 1',
    '0 */2 * * SAT': 'At minute 0, every 2 hours on Saturday',
  }
  for (const [cron, sentence] of Object.entries(words)) assert.equal(cronWords(cron), sentence)
})

test('days on which the clocks change are named if they move or double a firing', () => {
  const of = (cron: string) =>
    shiftedDays(
      readCron(cron) as CronRule,
      openTimeZone('Europe/Berlin') as TimeZone,
      Date.UTC(2026, 0, 1),
    )
  assert.deepEqual(of('30 2 * * *'), [
    '2026-03-29: 02:30 does not exist, fires 03:00',
    '2026-10-25: 02:30 comes twice, fires the first time',
  ])
  assert.deepEqual(of('30 9 * * *'), [])
  assert.deepEqual(of('30 2 * * 1'), [])
  assert.deepEqual(of('30 */2 * * *'), [])
})
