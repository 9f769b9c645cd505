import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loopsIn } from '#api/console/runs/loops.ts'
import { type NodeProgress, newNode } from '#core/run-nodes.ts'
import type { StepHead } from '#store/tables/steps.ts'

const node = (status: NodeProgress['status'], items: number | null): NodeProgress => ({
  ...newNode(),
  ...{ status, items },
})
const step = (path: string, isEnded: boolean) =>
  ({ path, ended_at: isEnded ? 5 : null }) as StepHead

test('an item is done once all its calls have ended, and only lists that are worked on are told', () => {
  const steps = [
    ...[step('each[0]/write#0', true), step('each[0]/check#0', true)],
    ...[step('each[1]/write#0', true), step('each[1]/check#0', false)],
    ...[step('each[2]/inner[7]/write#0', true), step('other[0]#0', true), step('each#0', true)],
  ]
  const nodes = [node('RUNNING', 200), node('COMPLETED', 3), node('RUNNING', null)]
  assert.deepEqual(loopsIn(['each', 'other', 'plain'], nodes, steps), {
    loops: { each: { done: 2, total: 200 } },
  })
  assert.deepEqual(loopsIn(['other'], [node('COMPLETED', 3)], steps), {})
})
