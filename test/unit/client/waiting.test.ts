import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AtelierError } from '../../../src/client/client.ts'
import { cut, ok, scriptedClient } from './scripted.ts'

const run = (status: string, retryAfterSeconds: number) =>
  ok({ runId: 'r', status, retryAfterSeconds })

test('a wait reads at the advised interval until the run ends, and shows each state', async () => {
  const { client, sleptMs } = scriptedClient([
    run('QUEUED', 1),
    run('RUNNING', 5),
    run('CANCEL_REQUESTED', 15),
    run('CANCELLED', 0),
  ])
  const shown: string[] = []
  const ended = await client.runs.wait('r', { onProgress: ({ status }) => shown.push(status) })
  assert.equal(ended.status, 'CANCELLED')
  assert.deepEqual(shown, ['QUEUED', 'RUNNING', 'CANCEL_REQUESTED', 'CANCELLED'])
  assert.deepEqual(sleptMs, [1_000, 5_000, 15_000])
})

test('a wait takes the Retry-After header where the record has no number', async () => {
  const { client, sleptMs } = scriptedClient([
    ok({ status: 'RUNNING' }, { 'retry-after': '4' }),
    ok({ status: 'COMPLETED' }),
  ])
  await client.tasks.wait('t')
  assert.deepEqual(sleptMs, [4_000])
})

test('a wait goes on through a restart of the server', async () => {
  const outage = Array.from({ length: 19 }, () => cut())
  const { client, sleptMs } = scriptedClient([run('RUNNING', 1), ...outage, run('COMPLETED', 0)])
  assert.equal((await client.runs.wait('r')).status, 'COMPLETED')
  assert.ok(sleptMs.reduce((sum, ms) => sum + ms) > 60_000)
})

test('submitAndWait submits once, waits as the submission advises, and gives the run', async () => {
  const { client, seen, sleptMs } = scriptedClient([
    ok({ runId: 'r', status: 'QUEUED', retryAfterSeconds: 2 }),
    run('COMPLETED', 0),
  ])
  const ended = await client.runs.submitAndWait(7, { inputs: {} }, { idempotencyKey: 'k' })
  assert.equal(ended.status, 'COMPLETED')
  assert.deepEqual(sleptMs, [2_000])
  assert.deepEqual(
    seen.map(({ method, url }) => `${method} ${new URL(url).pathname.split('/v1')[1]}`),
    ['POST /workflows/7/runs', 'GET /workflow-runs/r'],
  )
})

test('a wait that fails says which run and which key it was for', async () => {
  const outage = Array.from({ length: 20 }, () => cut())
  const { client } = scriptedClient([
    ok({ runId: 'r', status: 'QUEUED', retryAfterSeconds: 1 }),
    ...outage,
  ])
  await assert.rejects(client.runs.submitAndWait(7, {}, { idempotencyKey: 'k' }), (error) => {
    const { code, runId, idempotencyKey } = error as AtelierError
    assert.deepEqual(
      { code, runId, idempotencyKey },
      { code: 'CONNECTION_LOST', runId: 'r', idempotencyKey: 'k' },
    )
    return true
  })
})

test("a wait ends with the caller's reason when its signal aborts", async () => {
  const stop = new AbortController()
  const { client, seen } = scriptedClient([run('RUNNING', 1), run('RUNNING', 1)])
  const reason = new Error('enough')
  const work = client.runs.wait('r', { signal: stop.signal, onProgress: () => stop.abort(reason) })
  await assert.rejects(work, reason)
  assert.equal(seen.length, 1)
})

test("the client's own signal ends every call, before and during it", async () => {
  const stop = new AbortController()
  const { client, seen } = scriptedClient(
    [
      () => {
        stop.abort(new Error('closing'))
        throw new DOMException('aborted', 'AbortError')
      },
    ],
    { signal: stop.signal },
  )
  const request = { model: 'm', messages: [] }
  await assert.rejects(client.images.generate(request), /closing/)
  await assert.rejects(client.images.generate(request), /closing/)
  assert.equal(seen.length, 1)
})
