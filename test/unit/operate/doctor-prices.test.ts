import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkPrices } from '../../../src/operate/doctor/prices.ts'

const fal = new Set(['fal'])

test('the doctor says when shipped prices have not been looked at for 60 days', () => {
  assert.equal(checkPrices(fal, Date.parse('2026-11-20'))[0]?.level, 'ok')
  const [late] = checkPrices(fal, Date.parse('2027-03-01'))
  assert.equal(late?.level, 'warn')
  assert.match(late?.message ?? '', /fal\/[\w.-]+ was last seen on 2026-/)
  assert.match(late?.advice ?? '', /MODELS_FILE/)
})

test('the doctor says nothing of prices where no provider with shipped prices is in use', () => {
  assert.deepEqual(checkPrices(new Set(), Date.parse('2027-03-01')), [])
})
