import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDemoOptions } from '#providers/demo/options.ts'

test('options are read, each where it is given', () => {
  assert.deepEqual(parseDemoOptions(''), {})
  assert.deepEqual(parseDemoOptions(' delayMs=500 , failEvery = 3 '), {
    delayMs: 500,
    failEvery: 3,
  })
  assert.deepEqual(parseDemoOptions('failEvery=1,failAs=lost'), {
    failEvery: 1,
    failAs: 'lost',
  })
})

test('a bad option is named with what it may be', () => {
  const cases: [string, RegExp][] = [
    ['delayMs=soon', /delayMs must be a whole number from 0 to 600000, not "soon"/],
    ['delayMs=-1', /delayMs must be/],
    ['delayMs=700000', /delayMs must be/],
    ['delayMs', /delayMs must be/],
    ['failEvery=0', /failEvery must be a whole number from 1/],
    ['failAs=often', /failAs must be one of busy, content, lost, not "often"/],
    ['speed=9', /"speed=9" is not one of delayMs=…, failEvery=…, failAs=…/],
    ['delayMs=1,delayMs=2', /delayMs is given twice/],
    ['toString=1', /is not one of/],
  ]
  for (const [text, message] of cases) assert.throws(() => parseDemoOptions(text), message, text)
})
