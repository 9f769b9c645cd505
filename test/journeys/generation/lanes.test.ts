import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort } from '../../support/free-port.ts'
import { respond } from '../../support/provider-doubles/openai-responses.ts'
import { type Body, type Call, P } from '../../support/server.ts'
import { openGateway, streamingModels } from '../compat/openai/setting.ts'
import { addWorkflow, graph, readRun, started } from '../runs/setting.ts'
import {
  assertFailure,
  attempts,
  chat,
  eventually,
  newCustomer,
  openBench,
  says,
  submitted,
} from './setting.ts'

const asking = (content: string, model = 'test/openai') => ({ model, messages: [says(content)] })

test('a chat that a vendor refused with 429 waits as long as it was asked to', async (t) => {
  const env = { PROVIDER_WAIT_SECONDS: '10' }
  const bench = await openGateway(t, { doubles: ['openai', 'anthropic'], env })
  const { openai } = bench.doubles
  const { accountId, key } = await newCustomer(bench)
  const busy = (headers: Record<string, string>) =>
    ({ do: 'refuse', status: 429, headers }) as const

  await t.test('and is answered, with both attempts in the ledger', async () => {
    openai.script('chat', busy({ 'retry-after-ms': '40' }), busy({ 'retry-after-ms': '40' }))
    const answer = await chat(bench, asking('Patience'), { key })
    assert.equal(answer.status, 200, answer.text)
    const rows = (await attempts(bench)).filter((row) => row.account_id === accountId)
    assert.deepEqual(
      rows.map(({ outcome }) => outcome),
      ['REJECTED', 'REJECTED', 'SUCCEEDED'],
    )
  })

  await t.test(
    'but not over ten seconds: it is told when, and nobody else asks before',
    async () => {
      openai.script('chat', busy({ 'retry-after': '60' }))
      const asked = openai.counts.chat
      for (const words of ['Refused', 'Not even sent']) {
        const refused = await chat(bench, asking(words), { key })
        assertFailure(refused, 503, 'PROVIDER_UNAVAILABLE')
        assert.ok(Number(refused.headers['retry-after']) > 50)
      }
      assert.equal(openai.counts.chat, asked + 1)
      // Another provider is not concerned.
      assert.equal((await chat(bench, asking('Hello', 'test/anthropic'), { key })).status, 200)
    },
  )

  await t.test('and a run sleeps until then: its node says why', async () => {
    const asked = openai.counts.chat
    const write = {
      id: 'write',
      type: 'text.generate',
      data: { model: 'test/openai', prompt: 'x' },
    }
    const runId = await started(bench, await addWorkflow(bench, graph([write])))
    const isAsleep = async () =>
      (await bench.db.query(`select 1 from runs where id = $1 and wake_at is not null`, [runId]))
        .length === 1
    await eventually(isAsleep, Boolean)
    const { status, nodes, retryAfterSeconds } = await readRun(bench, runId)
    const [{ status: nodeStatus, waitReason }] = nodes
    assert.deepEqual([status, nodeStatus, retryAfterSeconds], ['RUNNING', 'RUNNING', 15])
    const { kind, model, since, until } = waitReason
    assert.deepEqual({ kind, model }, { kind: 'RATE_LIMIT', model: 'test/openai' })
    assert.ok(Date.parse(until) - Date.parse(since) > 30_000, JSON.stringify(waitReason))
    assert.equal(openai.counts.chat, asked)
    const path = `${P}/workflow-runs/${runId}/cancel`
    const cancelled = await bench.call({ method: 'POST', path })
    assert.equal(cancelled.body.data.status, 'CANCELLED', cancelled.text)
    const [left] = (await readRun(bench, runId)).nodes
    assert.deepEqual([left.status, left.waitReason], ['CANCELLED', undefined])
  })
})

test('a task that its vendor put off says until when', async (t) => {
  const bench = await openBench(t, { doubles: ['fal'] })
  const headers = { 'retry-after': '60' }
  bench.doubles.fal.script('submit', { do: 'refuse', status: 429, headers })
  const taskId = await submitted(bench, 'image', { model: 'fal/flux-schnell' })
  const { status, waitReason } = await eventually(
    async () => (await bench.call(`${P}/tasks/${taskId}`)).body.data,
    (task) => task.waitReason !== undefined,
  )
  assert.equal(status, 'RUNNING')
  const { kind, model, since, until } = waitReason
  assert.deepEqual({ kind, model }, { kind: 'RATE_LIMIT', model: 'fal/flux-schnell' })
  assert.equal(Date.parse(until) - Date.parse(since), 60_000)
})

test('a node whose picture was put off says the same, and a reader with a tag is told', async (t) => {
  const bench = await openBench(t, { doubles: ['fal'] })
  const busyFor = (seconds: string) =>
    ({ do: 'refuse', status: 429, headers: { 'retry-after': seconds } }) as const
  bench.doubles.fal.script('submit', busyFor('30'), busyFor('50'))
  const data = { model: 'fal/flux-schnell', prompt: 'x' }
  const draw = { id: 'draw', type: 'image.generate', data }
  const runId = await started(bench, await addWorkflow(bench, graph([draw])))
  const path = `${P}/workflow-runs/${runId}`
  const { body, headers } = await eventually(
    () => bench.call(path),
    (answer) => answer.body.data.nodes[0].waitReason !== undefined,
  )
  const [{ taskId, waitReason }] = body.data.nodes
  assert.equal(waitReason.kind, 'RATE_LIMIT')
  for (const other of [`${P}/tasks/${taskId}`, `${path}/nodes/draw`])
    assert.deepEqual((await bench.call(other)).body.data.waitReason, waitReason)
  let tag = String(headers.etag)
  let shown = waitReason
  const look = async () => {
    const answer = await bench.call({ path, headers: { 'if-none-match': tag } })
    tag = String(answer.headers.etag)
    if (answer.status === 200) shown = answer.body.data.nodes[0].waitReason
    return shown
  }
  assert.deepEqual(await look(), waitReason)
  bench.clock.advance(31_000)
  const isLater = (reason: Body) =>
    reason && Date.parse(reason.until) > Date.parse(waitReason.until)
  assert.equal((await eventually(look, isLater)).kind, 'RATE_LIMIT')
})

test('a node that waits for room under a spend limit says so', async (t) => {
  const pricing = { inputPerMillionTokens: 0, outputPerMillionTokens: 10 }
  const models = { models: [{ id: 'test/dear', provider: 'local', kind: 'TEXT', pricing }] }
  const bench = await openBench(t, { doubles: ['openai'], models })
  // Room for one call, which reserves about 0.041 USD.
  const { key } = await newCustomer(bench, { spendLimit: 0.042 })
  bench.doubles.openai.script('chat', { do: 'hold' })
  const asked = { ...asking('Hello', 'test/dear'), maxTokens: 4_096 }
  const first = chat(bench, asked, { key })
  await bench.doubles.openai.arrived('chat', 1)
  const data = { model: 'test/dear', prompt: 'x', maxTokens: 4_096 }
  const own = {
    call: (call: Call | string) =>
      bench.call({ key, ...(typeof call === 'string' ? { path: call } : call) }),
  }
  const runId = await started(
    own,
    await addWorkflow(own, graph([{ id: 'write', type: 'text.generate', data }])),
  )
  const [{ status, waitReason }] = await eventually(
    async (): Promise<Body> => (await readRun(own, runId)).nodes,
    ([node]) => node.waitReason !== undefined,
  )
  const { kind, model } = waitReason
  assert.deepEqual([status, kind, model], ['RUNNING', 'BUDGET', 'test/dear'])
  assert.equal(bench.doubles.openai.counts.chat, 1)
  bench.doubles.openai.release()
  assert.equal((await first).status, 200)
  const run = await eventually(
    (): Promise<Body> => readRun(own, runId),
    ({ completedAt }) => completedAt !== null,
  )
  assert.deepEqual([run.status, run.nodes[0].waitReason], ['COMPLETED', undefined])
})

test('a provider key with a limit in MODELS_FILE never has more calls under way', async (t) => {
  const vectors = { id: 'test/vectors', provider: 'openai', kind: 'EMBEDDING' }
  const models = {
    models: [...streamingModels.models, vectors],
    limits: [{ provider: 'openai', concurrency: 2 }],
  }
  const port = await freePort()
  const env = { PROVIDER_WAIT_SECONDS: '10', METRICS_LISTEN: `127.0.0.1:${port}` }
  const bench = await openGateway(t, { doubles: ['openai'], models, env })
  const { openai } = bench.doubles
  openai.script('chat', { do: 'hold' }, { do: 'hold' })
  const answers = Array.from({ length: 6 }, (_, index) => chat(bench, asking(`Chat ${index}`)))
  await openai.arrived('chat', 2)
  // Vectors take the same lane.
  const json = { model: 'test/vectors', input: 'Hello' }
  const embedding = bench.call({ method: 'POST', path: '/v1/embeddings', json })
  const metrics = await eventually(
    async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
    (text) => text.includes('lane_waiting{provider="openai",model="test/vectors",kind="people"} 1'),
  )
  for (const line of [
    'atelier_lane_waiting{provider="openai",model="openai-model",kind="people"} 4',
    'atelier_lane_in_flight{provider="openai",model="openai-model"} 2',
  ])
    assert.ok(metrics.includes(line), metrics)
  assert.match(
    metrics,
    /atelier_lane_oldest_seconds{provider="openai",model="openai-model"} 0*\.?\d/,
  )
  // A chat elsewhere comes and goes, and still no third one was sent.
  assert.equal((await chat(bench, asking('Demo', 'demo-text'))).status, 200)
  assert.deepEqual([openai.counts.chat, openai.counts.call], [2, 0])
  openai.release()
  for (const { status, text } of await Promise.all(answers)) assert.equal(status, 200, text)
  assert.equal((await embedding).status, 200)
  assert.equal(openai.counts.accepted, 7)
})

test('what a vendor reports to be nearly used up holds without being set', async (t) => {
  const env = { PROVIDER_WAIT_SECONDS: '1' }
  const bench = await openGateway(t, { doubles: ['openai'], env })
  const { openai } = bench.doubles
  const headers = {
    'x-ratelimit-limit-requests': '2',
    'x-ratelimit-remaining-requests': '0',
    'x-ratelimit-reset-requests': '60s',
  }
  const body = respond({ model: 'openai-model', input: 'Hello' }).body
  openai.always('chat', { do: 'say', status: 200, body, headers })
  const statuses: number[] = []
  for (const words of ['Learns', 'Has room', 'Does not'])
    statuses.push((await chat(bench, asking(words))).status)
  assert.deepEqual([...statuses, openai.counts.chat], [200, 200, 503, 2])
})
