import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { request } from 'undici'
import { P, startServer } from '../../support/server.ts'
import { chat, ended, eventually, openBench, says, submitted } from '../generation/setting.ts'
import { openProxiedBench } from '../outages/setting.ts'
import { graph, run } from '../runs/setting.ts'

const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })

test('metrics count requests by operation and status, on an address of their own', async (t) => {
  const port = await freePort()
  const server = await startServer({ METRICS_LISTEN: `127.0.0.1:${port}` })
  t.after(server.stop)
  await server.call(`${P}/models`)
  await server.call(`${P}/models`)
  await server.call({ path: `${P}/models`, key: null })
  const text = await (await request(`http://127.0.0.1:${port}/metrics`)).body.text()
  const name = 'atelier_http_request_duration_seconds'
  assert.match(text, new RegExp(`# TYPE ${name} histogram`))
  assert.match(text, new RegExp(`${name}_count{operation="listModels",status="200"} 2`))
  assert.match(
    text,
    new RegExp(`${name}_bucket{operation="listModels",status="401",le="\\+Inf"} 1`),
  )
  assert.match(text, /process_cpu_seconds_total/)
  assert.equal((await server.call({ path: '/metrics', key: null })).status, 404)
})

test('metrics tell what waits, what calls took and cost, and who works', async (t) => {
  const port = await freePort()
  const bench = await openBench(t, { env: { METRICS_LISTEN: `127.0.0.1:${port}` } })
  await chat(bench, { model: 'demo-text', messages: [says('Hello')] })
  await ended(bench, await submitted(bench, 'image', { model: 'demo-image', prompt: 'A gate' }))
  const words = [{ id: 'g', type: 'text.generate', data: { model: 'demo-text', prompt: 'Hello' } }]
  await run(bench, graph([...words, { id: 'out', type: 'output' }], ['g -> out']))
  const text = await (await request(`http://127.0.0.1:${port}/metrics`)).body.text()
  for (const line of [
    'atelier_queue_waiting{kind="runs"} 0',
    'atelier_queue_oldest_seconds{kind="deliveries"} 0',
    'atelier_workers 1',
    'atelier_database_up 1',
    'atelier_writable{store="database"} 1',
    'atelier_writable{store="chats"} 1',
    'atelier_writable{store="media"} 1',
    'atelier_webhooks_retrying 0',
    'atelier_provider_call_duration_seconds_count{provider="embedded",outcome="SUCCEEDED"} 3',
    'atelier_step_duration_seconds_count{kind="TEXT",status="DONE"} 1',
  ])
    assert.ok(text.includes(`${line}\n`), `${line}\n${text}`)
  assert.match(text, /atelier_tokens_total\{model="demo-text",kind="input"\} [1-9]/)
  assert.match(text, /atelier_lease_left_seconds [1-9]/)
})

test('a worker tells over the address of its metrics how it is', async (t) => {
  const port = await freePort()
  const bench = await openProxiedBench(t, {
    env: { ROLE: 'worker', METRICS_LISTEN: `127.0.0.1:${port}` },
  })
  const state = async (path: string) =>
    (await request(`http://127.0.0.1:${port}${path}`)).statusCode
  assert.deepEqual([await state('/healthz'), await state('/readyz')], [200, 200])
  bench.proxy.shut()
  await eventually(
    () => state('/readyz'),
    (status) => status === 503,
  )
  assert.equal(await state('/healthz'), 200)
  const text = await (await request(`http://127.0.0.1:${port}/metrics`)).body.text()
  assert.match(text, /atelier_database_up 0/)
  assert.match(text, /atelier_database_connections\{state="in_use"\} \d/)
})

test('what alerts watch for an increase is there before the first', async (t) => {
  const port = await freePort()
  const server = await startServer({ METRICS_LISTEN: `127.0.0.1:${port}` })
  t.after(server.stop)
  const text = await (await request(`http://127.0.0.1:${port}/metrics`)).body.text()
  // Prometheus sees no increase in a series that begins with 1.
  const alerts = readFileSync(
    new URL('../../../deploy/prometheus/alerts.yaml', import.meta.url),
    'utf8',
  )
  const watched = [...alerts.matchAll(/increase\((\w+)/g)].map(([, name]) => name)
  assert.deepEqual(watched, ['atelier_quarantined_total'])
  for (const kind of ['run', 'task'])
    assert.ok(text.includes(`atelier_quarantined_total{kind="${kind}"} 0\n`), text)
})

test('the dashboard and the alerts ask for metrics that exist', async (t) => {
  const port = await freePort()
  const server = await startServer({ METRICS_LISTEN: `127.0.0.1:${port}` })
  t.after(server.stop)
  const text = await (await request(`http://127.0.0.1:${port}/metrics`)).body.text()
  const known = new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name))
  // Only of a pool of connections.
  known.add('atelier_database_connections')
  const files = ['grafana/atelier.json', 'prometheus/alerts.yaml'].map((path) =>
    readFileSync(new URL(`../../../deploy/${path}`, import.meta.url), 'utf8'),
  )
  const asked = files.flatMap((file) => [...file.matchAll(/\b(?:atelier|nodejs|process)_\w+/g)])
  assert.ok(asked.length > 20)
  const missing = asked
    .map(([name]) => name.replace(/_(?:bucket|count|sum)$/, ''))
    .filter((name) => !known.has(name))
  assert.deepEqual(missing, [])
})
