import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Trigger } from '#console/api/types.ts'
import {
  bodyOf,
  changesOf,
  draftOf,
  emptyDraft,
  problemsOf,
  rhythmOf,
  timeOf,
  withRhythm,
  withTime,
  withWeekday,
} from '#console/screens/triggers/trigger-draft.ts'

test('choices and the five fields edit one string', () => {
  assert.equal(withRhythm('30 8 * * *', 'week'), '30 8 * * 1')
  assert.equal(withRhythm('30 8 * * 1', 'hour'), '30 * * * *')
  assert.equal(withTime('0 9 * * 1-5', '17:05'), '5 17 * * 1-5')
  assert.equal(withTime('0 * * * *', '17:05'), '5 * * * *')
  assert.equal(withWeekday('0 9 * * 1', '0'), '0 9 * * 0')
  for (const rhythm of ['hour', 'day', 'weekday', 'week', 'month'] as const) {
    assert.equal(rhythmOf(withRhythm('15 7 * * *', rhythm)), rhythm)
  }
  for (const cron of ['*/5 * * * *', '0 9,17 * * *', '0 9 1 1 *', '', '0 9 * * 1,3']) {
    assert.equal(rhythmOf(cron), 'custom')
  }
  assert.equal(timeOf('*/5 * * * *'), '09:00')
})

test('a change sends what was changed, and leaves what the form does not show', () => {
  const trigger = {
    ...{ triggerId: 't', workflowId: 1, name: 'hook', kind: 'WEBHOOK', inputs: {}, mapping: null },
    ...{ overlap: 'allow', respond: 'accepted', cron: null, timeZone: null, at: null },
    verify: { method: 'hmac', credentials: ['a', 'b'], header: 'x-sig' },
  } as unknown as Trigger
  assert.deepEqual(changesOf(draftOf(trigger), trigger), {})
  assert.deepEqual(changesOf({ ...draftOf(trigger), name: 'other' }, trigger), { name: 'other' })
})

test('what is missing is said at its field', () => {
  const draft = { ...emptyDraft(null), inputs: '[1]' }
  assert.deepEqual(Object.keys(problemsOf(draft)).sort(), ['inputs', 'name', 'workflowId'])
  const hook = { ...emptyDraft('1'), name: 'x', kind: 'WEBHOOK' as const, method: 'github' }
  assert.deepEqual(Object.keys(problemsOf(hook)), ['credential'])
  assert.deepEqual(bodyOf({ ...hook, credential: 'c' }).verify, {
    method: 'github',
    credentials: ['c'],
  })
})
