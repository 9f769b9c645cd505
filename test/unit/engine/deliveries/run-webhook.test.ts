import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type EndedRun, runWebhook, withoutQuery } from '#core/run-webhook.ts'

const limit = 64 * 1024
const run: EndedRun = {
  runId: '00000000-0000-7000-8000-000000000001',
  accountId: '00000000-0000-7000-8000-000000000002',
  workflowId: 3,
  status: 'FAILED',
  outputs: { text: '' },
  nodeErrors: [{ nodeId: 'n', code: 'PROVIDER_ERROR' }],
  metadata: { order: 1 },
  cost: { amount: 1.5, currency: 'USD' },
  createdAtMs: 0,
  completedAtMs: 1_500,
  inFlightTaskMayComplete: true,
  callbackUrl: 'https://hook.example.com/?token=secret',
}
const bodyOf = (change: Partial<EndedRun>) => runWebhook({ ...run, ...change }, 'https://x/r').body

test('each way to end has its type', () => {
  const statuses = ['COMPLETED', 'FAILED', 'CANCELLED'] as const
  assert.deepEqual(
    statuses.map((status) => runWebhook({ ...run, status }, '').type),
    ['workflow.run.completed', 'workflow.run.failed', 'workflow.run.cancelled'],
  )
})

test('the body holds the run and neither its account nor the callback address', () => {
  assert.deepEqual(JSON.parse(bodyOf({})), {
    type: 'workflow.run.failed',
    timestamp: '1970-01-01T00:00:01.500Z',
    data: {
      runId: run.runId,
      workflowId: 3,
      status: 'FAILED',
      outputs: { text: '' },
      nodeErrors: run.nodeErrors,
      metadata: { order: 1 },
      cost: { amount: 1.5, currency: 'USD' },
      createdAt: '1970-01-01T00:00:00.000Z',
      completedAt: '1970-01-01T00:00:01.500Z',
      inFlightTaskMayComplete: true,
      runUrl: 'https://x/r',
    },
  })
})

test('a body of exactly 64 KiB is whole; one byte more leaves results out and says so', () => {
  const room = limit - Buffer.byteLength(bodyOf({}))
  // Two bytes each: the limit counts bytes, not characters.
  const fits = 'é'.repeat(Math.floor(room / 2)) + 'x'.repeat(room % 2)
  assert.equal(Buffer.byteLength(bodyOf({ outputs: { text: fits } })), limit)
  assert.equal(JSON.parse(bodyOf({ outputs: { text: fits } })).data.truncated, undefined)
  const { data } = JSON.parse(bodyOf({ outputs: { text: `${fits}x` } }))
  assert.equal(data.truncated, true)
  assert.ok(!('outputs' in data) && !('nodeErrors' in data))
  assert.deepEqual([data.runUrl, data.metadata], ['https://x/r', { order: 1 }])
})

test('many errors are left out like large outputs', () => {
  const nodeErrors = Array.from({ length: 200 }, () => ({ message: 'x'.repeat(500) }))
  assert.equal(JSON.parse(bodyOf({ nodeErrors })).data.truncated, true)
})

test('an address is shown without query and fragment', () => {
  assert.equal(withoutQuery('https://a.example/b?c=1?d#e'), 'https://a.example/b')
  assert.equal(withoutQuery('https://a.example/b#e?f'), 'https://a.example/b')
  assert.equal(withoutQuery('https://a.example/b'), 'https://a.example/b')
})
