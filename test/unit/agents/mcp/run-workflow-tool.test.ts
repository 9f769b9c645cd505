import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RouteAnswer } from '#agents/mcp/route-call.ts'
import { patienceMs, runWorkflowTool } from '#agents/mcp/run-workflow-tool.ts'

const runId = '0192a000-0000-7000-8000-000000000000'
const answer = (status: number, data: object): RouteAnswer => ({
  status,
  headers: {},
  body: JSON.stringify({ success: status < 400, data }),
})
const submitted = answer(202, { runId, status: 'QUEUED', retryAfterSeconds: 1 })
const running = (completed: number, retryAfterSeconds = 2) =>
  answer(200, {
    runId,
    status: 'RUNNING',
    completedAt: null,
    retryAfterSeconds,
    progress: { total: 5, completed, skipped: 1, failed: 0 },
  })
const completed = answer(200, {
  runId,
  status: 'COMPLETED',
  completedAt: 'then',
  retryAfterSeconds: 0,
  outputs: { o: 1 },
  progress: { total: 5, completed: 4, skipped: 1, failed: 0 },
})

/** Routes with scripted answers, the last one repeated, on a clock that only waiting advances. */
function setting(...answers: RouteAnswer[]) {
  const asked: string[] = []
  const waits: number[] = []
  let nowMs = 0
  const told: [number, number, string][] = []
  const call = {
    workflowId: 7,
    inputs: { in: 'x' },
    idempotencyKey: 'k',
    onProgress: async (...progress: [number, number, string]) => void told.push(progress),
    signal: new AbortController().signal,
  }
  const run = (change: Partial<Parameters<typeof runWorkflowTool>[2]> = {}) =>
    runWorkflowTool(
      async ({ method, path, headers, body }) => {
        asked.push(`${method} ${path} ${headers['idempotency-key'] ?? ''} ${body ?? ''}`.trim())
        const next = answers.length > 1 ? answers.shift() : answers[0]
        assert.ok(next)
        return next
      },
      {
        nowMs: () => nowMs,
        wait: async (ms) => {
          waits.push(ms)
          nowMs += ms
        },
      },
      { ...call, ...change },
    )
  return { run, asked, waits, told, nowMs: () => nowMs }
}

const bodyOf = (result: Awaited<ReturnType<typeof runWorkflowTool>>) => result?.structuredContent

test('without a progress token the answer is the handle of the run, after one request', async () => {
  const { run, asked } = setting(submitted)
  assert.deepEqual(bodyOf(await run({ onProgress: undefined })), JSON.parse(submitted.body))
  assert.deepEqual(asked, ['POST /api/ai-tools/v1/workflows/7/runs k {"inputs":{"in":"x"}}'])
})

test('the run is polled as often as advised, and progress is reported only when there is some', async () => {
  const { run, waits, told, asked } = setting(
    submitted,
    running(0),
    running(0, 5),
    running(2),
    running(1),
    completed,
  )
  assert.deepEqual(bodyOf(await run()), JSON.parse(completed.body))
  assert.deepEqual(waits, [1000, 2000, 5000, 2000, 2000])
  assert.deepEqual(told, [
    [1, 5, 'RUNNING'],
    [3, 5, 'RUNNING'],
  ])
  assert.equal(asked.at(-1), `GET /api/ai-tools/v1/workflow-runs/${runId}`)
})

test('a run that takes too long is answered in its current state', async () => {
  const { run, nowMs } = setting(submitted, running(1, 15))
  assert.deepEqual(bodyOf(await run()), JSON.parse(running(1, 15).body))
  assert.ok(nowMs() <= patienceMs)
})

test('a run that can no longer be read is answered in its last known state', async () => {
  const refused = answer(503, {})
  assert.deepEqual(bodyOf(await setting(submitted, refused).run()), JSON.parse(submitted.body))
  const later = setting(submitted, running(2), refused)
  assert.deepEqual(bodyOf(await later.run()), JSON.parse(running(2).body))
})

test('a refused submission is an error and is not followed', async () => {
  const { run, asked } = setting(answer(422, {}))
  assert.equal((await run())?.isError, true)
  assert.equal(asked.length, 1)
})

test('a workflow that does not exist is not a tool', async () => {
  assert.equal(await setting(answer(404, {})).run(), null)
})

test('a cancelled run is a failed tool call', async () => {
  const cancelled = answer(200, { runId, status: 'CANCELLED', completedAt: 'then' })
  assert.equal((await setting(submitted, cancelled).run())?.isError, true)
})
