import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ListedRun } from '#console/api/types.ts'
import { outcomeWords } from '#console/canvas/run/outcome-words.ts'

const error = { nodeId: 'ask', code: 'VALUE_MISSING', message: 'no topic' }
const told = (status: ListedRun['status'], nodeErrors: object[] = []) =>
  outcomeWords({ status, nodeErrors: nodeErrors as ListedRun['nodeErrors'] }, () => 'Ask')

test('a run that failed is told as one that failed, in the status too', () => {
  assert.deepEqual(told('FAILED', [error]), {
    status: 'Run failed',
    alert: 'Run failed: Ask, no topic',
  })
  assert.deepEqual(told('FAILED'), { status: 'Run failed', alert: 'Run failed' })
})

test('a run that completed or was cancelled needs no alert', () => {
  assert.deepEqual(told('COMPLETED'), { status: 'Run completed', alert: '' })
  assert.deepEqual(told('CANCELLED', [error]), { status: 'Run cancelled', alert: '' })
})
