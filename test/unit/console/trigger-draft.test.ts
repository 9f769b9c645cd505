import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Template, Trigger } from '#console/api/types.ts'
import {
  intervalOf,
  rhythmOf,
  timeOf,
  withRhythm,
  withTime,
  withWeekday,
} from '#console/shared/triggers/schedule-text.ts'
import {
  bodyOf,
  changesOf,
  previewOf,
  problemIn,
  problemsFrom,
  problemsOf,
} from '#console/shared/triggers/trigger-body.ts'
import {
  defaultName,
  draftOf,
  emptyDraft,
  suggestedDraft,
} from '#console/shared/triggers/trigger-draft.ts'

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

const stored = {
  ...{ triggerId: 't', workflowId: 1, name: 'hook', kind: 'WEBHOOK', inputs: {}, mapping: null },
  ...{ overlap: 'allow', catchUp: 'last', respond: 'accepted', cron: null, timeZone: null },
  ...{ at: null, everySeconds: null, startAt: null, endAt: null, jitterSeconds: null },
  ...{ version: 'latest', maxCost: null, callbackUrl: null, metadata: {}, dedupe: null },
  pauseAfterFailures: 10,
  verify: { method: 'hmac', credentials: ['a', 'b'], header: 'x-sig', prefix: 'v1=' },
} as unknown as Trigger

test('a change sends what was changed and nothing else', () => {
  assert.deepEqual(changesOf(draftOf(stored), stored), {})
  assert.deepEqual(changesOf({ ...draftOf(stored), name: 'other' }, stored), { name: 'other' })
  assert.deepEqual(changesOf({ ...draftOf(stored), secrets: ['b', ''] }, stored).verify, {
    ...{ method: 'hmac', credentials: ['b'], header: 'x-sig', prefix: 'v1=' },
    ...{ algorithm: 'sha256', encoding: 'hex' },
  })
  const timed = {
    ...{ ...stored, kind: 'SCHEDULE', verify: null, everySeconds: 5400 },
    ...{ startAt: '2027-01-01T00:00:30Z', endAt: '2028-01-01T00:00:59Z', jitterSeconds: 30 },
  } as Trigger
  assert.deepEqual(changesOf(draftOf(timed), timed), {}, 'seconds that no control shows stay')
  assert.deepEqual(changesOf({ ...draftOf(timed), every: '2', unit: '3600' }, timed), {
    everySeconds: 7200,
  })
})

test('every setting of the contract is sent', () => {
  const draft = {
    ...{ ...emptyDraft('7'), isInterval: true, every: '2', unit: '60' as const },
    ...{ startAt: '2030-01-01T09:00', endAt: '2031-01-01T09:00', jitterSeconds: '30' },
    ...{ catchUp: 'all' as const, overlap: 'queue' as const, version: '3', maxCost: '0.5' },
    ...{ pauseAfterFailures: '3', callbackUrl: ' https://a.example ', metadata: '{"a":1}' },
    inputs: { who: 'team' },
  }
  assert.deepEqual(problemsOf(draft), {})
  assert.deepEqual(bodyOf(draft), {
    ...{ name: 'Interval', kind: 'SCHEDULE', inputs: { who: 'team' }, overlap: 'queue' },
    ...{ version: 3, maxCost: 0.5, pauseAfterFailures: 3, callbackUrl: 'https://a.example' },
    ...{ metadata: { a: 1 }, everySeconds: 120, catchUp: 'all', jitterSeconds: 30 },
    startAt: new Date('2030-01-01T09:00').toISOString(),
    endAt: new Date('2031-01-01T09:00').toISOString(),
  })
  assert.equal(previewOf({ ...draft, every: '0.5' }), null)
  const hook = { ...emptyDraft('7'), kind: 'WEBHOOK' as const, dedupe: 'header' as const }
  assert.deepEqual(bodyOf({ ...hook, dedupeBy: 'x-id' }).dedupe, { header: 'x-id' })
  assert.deepEqual(intervalOf(5400), { every: '90', unit: '60' })
})

test('what is missing is said at its field', () => {
  assert.deepEqual(Object.keys(problemsOf(emptyDraft(null))), ['workflowId'])
  const hook = { ...emptyDraft('1'), kind: 'WEBHOOK' as const, method: 'hmac' as const }
  assert.deepEqual(Object.keys(problemsOf(hook)), ['verify.credentials.0', 'verify.header'])
  const wrong = { ...emptyDraft('1'), hasWrongInput: true, metadata: '[1]', maxCost: 'x' }
  assert.deepEqual(Object.keys(problemsOf(wrong)).sort(), ['inputs', 'maxCost', 'metadata'])
  const found = problemsFrom([{ path: '/verify/credentials/1', message: '"b" is not stored' }])
  assert.equal(problemIn(found, 'verify'), '"b" is not stored')
  assert.equal(problemIn(found, 'version'), undefined)
})

test('a template suggests its trigger, and what has no name gets one', () => {
  const trigger = { kind: 'SCHEDULE', name: 'Every Monday', cron: '0 9 * * 1', overlap: 'skip' }
  const draft = suggestedDraft('7', { trigger } as Pick<Template, 'trigger'>)
  assert.deepEqual(
    [draft.cron, draft.overlap, bodyOf(draft).name],
    [...['0 9 * * 1', 'skip', 'Every Monday']],
  )
  assert.equal(defaultName(draft), 'Every Monday')
  assert.equal(defaultName({ ...draft, cron: '*/5 * * * *' }), 'Schedule')
})
