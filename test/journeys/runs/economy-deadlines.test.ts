// `deadlineAt` of a run replaces every time limit of its work: of its pictures, in their queue and
// while they are made, and of calls that are put off. And nothing keeps it from ending then.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { databases } from '../../support/databases.ts'
import {
  type BenchOptions,
  eventually,
  openBench,
  submitted,
  testModels,
} from '../generation/setting.ts'
import { addWorkflow, ended, graph, readRun, started } from './setting.ts'

const hours = (count: number) => count * 3_600_000
const draw = { type: 'image.generate', data: { model: 'fal/flux-schnell', prompt: 'A door' } }
const write = { type: 'text.generate', data: { model: 'test/text', prompt: 'x' } }

async function open(t: TestContext, options: BenchOptions) {
  const bench = await openBench(t, { models: testModels, ...options })
  /** A run of one node that has a day. */
  const begin = async (
    node: { type: string; data: Record<string, unknown> },
    deadlineMs = hours(24),
  ) => {
    const flow = await addWorkflow(bench, graph([{ id: 'a', ...node }]))
    const deadlineAt = new Date(Date.now() + deadlineMs).toISOString()
    return started(bench, flow, { lane: 'economy', deadlineAt })
  }
  const sleepsUntil = async (runId: string) => {
    const [row] = await eventually(
      () =>
        bench.db.query<{ wake_at: number | null }>('select wake_at from runs where id = $1', [
          runId,
        ]),
      ([run]) => run?.wake_at != null,
    )
    return Number(row?.wake_at)
  }
  return { bench, begin, sleepsUntil }
}

for (const { name: database } of databases) {
  test(`a picture of a run with a deadline may take longer than others, on ${database}`, async (t) => {
    const env = { TASK_IMAGE_TIMEOUT_SECONDS: '1' }
    const { bench, begin } = await open(t, { database, doubles: ['fal'], env })
    bench.doubles.fal.plan('running', 'succeeded')
    const run = await ended(bench, await begin(draw))
    assert.equal(run.status, 'COMPLETED', JSON.stringify(run.nodeErrors))
  })

  test(`and wait longer for its turn, on ${database}`, async (t) => {
    const env = { MAX_TASKS_IN_FLIGHT: '1' }
    const { bench, begin } = await open(t, { database, doubles: ['fal'], env })
    const { fal } = bench.doubles
    fal.plan('succeeded')
    fal.script('submit', { do: 'hold' })
    await submitted(bench, 'image', { model: 'fal/flux-schnell' })
    await fal.arrived('submit', 1)
    const late = await submitted(bench, 'image', { model: 'fal/flux-schnell' })
    const runId = await begin(draw)
    await eventually(
      () => readRun(bench, runId),
      ({ nodes }) => nodes[0].taskId != null,
    )
    bench.clock.advance(hours(2))
    await eventually(
      async () => (await bench.call(`/api/ai-tools/v1/tasks/${late}`)).body.data.status,
      (status) => status === 'FAILED',
    )
    fal.release()
    const run = await ended(bench, runId)
    assert.equal(run.status, 'COMPLETED', JSON.stringify(run.nodeErrors))
  })

  test(`a call of such a run is put off until shortly before it, on ${database}`, async (t) => {
    const env = { PROVIDER_WAIT_SECONDS: '10' }
    const { bench, begin, sleepsUntil } = await open(t, { database, doubles: ['openai'], env })
    const headers = { 'retry-after': '7200' }
    bench.doubles.openai.always('chat', { do: 'refuse', status: 429, headers })
    const runId = await begin(write)
    assert.ok((await sleepsUntil(runId)) > Date.now() + hours(1.9))
    const { nodes } = await readRun(bench, runId)
    assert.equal(nodes[0].waitReason.kind, 'RATE_LIMIT')
    const near = await ended(bench, await begin(write, hours(1)))
    assert.match(near.nodeErrors[0].message, /asks to wait until/)
  })

  test(`a run that waits for a person wakes at its deadline, on ${database}`, async (t) => {
    const { begin, sleepsUntil } = await open(t, { database })
    const deadlineMs = hours(1)
    const data = { title: 'May I?', value: 'x', expiresAfterSeconds: 90_000 }
    const before = Date.now()
    const wakesAtMs = await sleepsUntil(await begin({ type: 'wait.approval', data }, deadlineMs))
    assert.ok(Math.abs(wakesAtMs - before - deadlineMs) < 60_000, `${wakesAtMs - before}`)
  })
}
