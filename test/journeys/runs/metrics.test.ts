import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { request } from 'undici'
import { startReceiver } from '../../contract/deliveries/receiver.ts'
import { P, startServer } from '../../support/server.ts'
import { eventually } from '../generation/setting.ts'
import { addWorkflow, ended, graph, started, until } from './setting.ts'

const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })

test('metrics count ended runs by status with their durations, waits, and webhook attempts by result', async () => {
  const port = await freePort()
  await using receiver = await startReceiver()
  await using server = await startServer({
    METRICS_LISTEN: `127.0.0.1:${port}`,
    OUTBOUND_ALLOW: '127.0.0.1/32',
  })
  const read = async () => (await request(`http://127.0.0.1:${port}/metrics`)).body.text()
  const good = await addWorkflow(server, graph([]))
  const bad = await addWorkflow(
    server,
    graph([{ id: 'x', type: 'json.transform', data: { input: 1, expression: '$error("no")' } }]),
  )
  // One answer for each of three runs; later requests succeed.
  receiver.script({ status: 410 }, { status: 500 }, 'hang-up')
  const callbackUrl = receiver.url
  for (let i = 0; i < 3; i++) await ended(server, await started(server, good, { callbackUrl }))
  await receiver.arrived(3)
  await ended(server, await started(server, bad, { callbackUrl }))
  const over = { id: 'x', type: 'wait.delay', data: { until: '2001-01-01T00:00:00Z' } }
  await ended(server, await started(server, await addWorkflow(server, graph([over]))))
  const results = ['disabled', 'refused', 'unreachable', 'delivered']
  const counted = (text: string, result: string) =>
    Number(new RegExp(`atelier_webhook_attempts_total{result="${result}"} (\\d+)`).exec(text)?.[1])
  const text = await eventually(read, (seen) => results.every((one) => counted(seen, one) > 0))
  assert.equal(counted(text, 'disabled'), 1)
  const name = 'atelier_run_duration_seconds'
  assert.match(text, new RegExp(`# TYPE ${name} histogram`))
  assert.match(text, /atelier_waits_ended_total{kind="DELAY",outcome="PASSED"} 1/)
  assert.match(text, new RegExp(`${name}_count{status="COMPLETED"} 4`))
  assert.match(text, new RegExp(`${name}_count{status="FAILED"} 1`))
  assert.match(text, new RegExp(`${name}_bucket{status="COMPLETED",le="60"} 4`))
})

test('a run that was cancelled before a worker claimed it is counted', async () => {
  const port = await freePort()
  await using receiver = await startReceiver()
  await using server = await startServer({
    METRICS_LISTEN: `127.0.0.1:${port}`,
    OUTBOUND_ALLOW: '127.0.0.1/32',
    MAX_ACTIVE_RUNS: '1',
  })
  receiver.script('hold')
  const data = { method: 'GET', url: receiver.url }
  const workflowId = await addWorkflow(server, graph([{ id: 'x', type: 'http.request', data }]))
  const active = await started(server, workflowId)
  await until(server, active, (run) => run.status === 'RUNNING')
  const waiting = await started(server, workflowId)
  const cancel = async (runId: string) => {
    const path = `${P}/workflow-runs/${runId}/cancel`
    return (await server.call({ method: 'POST', path })).body.data.status
  }
  assert.equal(await cancel(waiting), 'CANCELLED')
  const text = await (await request(`http://127.0.0.1:${port}/metrics`)).body.text()
  assert.match(text, /atelier_run_duration_seconds_count{status="CANCELLED"} 1/)
  await cancel(active)
  await ended(server, active)
})
