import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { maxCallsPerRun, newStep } from '#engine/runs/recorded-call.ts'
import type { RunDeps, RunWork } from '#engine/runs/run-deps.ts'

test('a run makes a hundred thousand calls at most; repeating one counts no further', () => {
  const deps = { clock: systemClock } as RunDeps
  const work = { row: { id: 'r' }, callCount: maxCallsPerRun - 1 } as RunWork
  const step = { path: 'a#0', kind: 'HTTP', attempt: 1 } as const
  assert.equal(newStep(deps, work, step).path, 'a#0')
  assert.equal(newStep(deps, work, { ...step, attempt: 2 }).attempts, 2)
  assert.throws(() => newStep(deps, work, { ...step, path: 'b#0' }), { code: 'EXPRESSION_LIMIT' })
})
