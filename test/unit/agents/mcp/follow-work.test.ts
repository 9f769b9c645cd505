import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followWork, patienceMs, reportWaiting } from '#agents/mcp/follow-work.ts'
import type { RouteAnswer } from '#agents/mcp/route-call.ts'

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

/** A clock that only waiting advances. */
function openClock() {
  const waits: number[] = []
  let nowMs = 0
  const time = {
    nowMs: () => nowMs,
    isStopping: () => false,
    wait: async (ms: number, signal: AbortSignal) => {
      signal.throwIfAborted()
      waits.push(ms)
      nowMs += ms
    },
  }
  return { time, waits }
}

/** Routes with scripted answers, the last one repeated. */
function setting(kind: 'run' | 'task', accepted: RouteAnswer, ...answers: RouteAnswer[]) {
  const asked: string[] = []
  const told: unknown[] = []
  const { time, waits } = openClock()
  const follow = () =>
    followWork(
      async ({ method, path }) => {
        asked.push(`${method} ${path}`)
        const next = answers.length > 1 ? answers.shift() : answers[0]
        assert.ok(next)
        return next
      },
      time,
      {
        work: { kind, id: runId },
        report: async (progress) => void told.push(progress),
        signal: new AbortController().signal,
      },
      accepted,
    )
  return { follow, asked, waits, told, time }
}

test('a run is polled as often as advised, and progress is reported only when there is some', async () => {
  const { follow, waits, told, asked } = setting(
    'run',
    submitted,
    running(0),
    running(0, 5),
    running(2),
    running(1),
    completed,
  )
  assert.deepEqual(await follow(), completed)
  assert.deepEqual(waits, [1000, 2000, 5000, 2000, 2000])
  assert.deepEqual(told, [
    { progress: 1, total: 5, message: 'RUNNING' },
    { progress: 3, total: 5, message: 'RUNNING' },
  ])
  assert.equal(asked.at(-1), `GET /api/ai-tools/v1/workflow-runs/${runId}`)
})

test('of a task the seconds are reported, because nothing else is known', async () => {
  const task = (status: string, completedAt: string | null) =>
    answer(200, { taskId: runId, status, completedAt, retryAfterSeconds: 2 })
  const { follow, told, asked } = setting(
    'task',
    answer(200, { taskId: runId, status: 'QUEUED', retryAfterSeconds: 1 }),
    task('QUEUED', null),
    task('RUNNING', null),
    task('FAILED', 'then'),
  )
  assert.deepEqual(await follow(), task('FAILED', 'then'))
  assert.deepEqual(told, [
    { progress: 0, message: 'QUEUED' },
    { progress: 1, message: 'QUEUED' },
    { progress: 3, message: 'RUNNING' },
  ])
  assert.equal(asked.at(-1), `GET /api/ai-tools/v1/tasks/${runId}`)
})

test('a run that takes too long is answered in its current state', async () => {
  const { follow, time } = setting('run', submitted, running(1, 15))
  assert.deepEqual(await follow(), running(1, 15))
  assert.ok(time.nowMs() <= patienceMs)
})

test('a run that can no longer be read is answered in its last known state', async () => {
  const refused = answer(503, {})
  const first = setting('run', submitted, refused)
  assert.deepEqual(await first.follow(), submitted)
  const later = setting('run', submitted, running(2), refused)
  assert.deepEqual(await later.follow(), running(2))
})

test('a run that has ended is read once', async () => {
  const { follow, asked, told } = setting('run', completed, running(1))
  assert.deepEqual(await follow(), completed)
  assert.deepEqual([asked, told], [[], []])
})

test('a call without an answer yet reports the seconds it has taken, and stops with the answer', async () => {
  const { time, waits } = openClock()
  const call = Promise.withResolvers<string>()
  const told: number[] = []
  const report = async ({ progress }: { progress: number }) => {
    told.push(progress)
    if (told.length === 3) call.resolve('answer')
  }
  assert.equal(await reportWaiting(time, report, call.promise), 'answer')
  assert.deepEqual(told.slice(0, 3), [10, 20, 30])
  const failing = reportWaiting(time, report, Promise.reject(new Error('refused')))
  await assert.rejects(failing, /refused/)
  const before = waits.length
  assert.equal(await reportWaiting(time, undefined, Promise.resolve(1)), 1)
  assert.equal(waits.length, before, 'nobody asked for it')
})

test('a server that stops answers with the state that it knows last', async () => {
  const { follow, asked, time } = setting('run', submitted, running(0), running(1), completed)
  time.isStopping = () => asked.length === 2
  assert.deepEqual(await follow(), running(1))
})
