import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { P } from '../../support/server.ts'
import { assertFailure, generate, newCustomer, says } from '../generation/setting.ts'
import { graph } from '../runs/setting.ts'
import { openProxiedBench } from './setting.ts'

const picture = { model: 'demo-image', messages: [says('A blue door')] }
const template = {
  name: 'kept',
  data: graph(
    [
      { id: 'in', type: 'input.text' },
      { id: 'out', type: 'output' },
    ],
    ['in -> out'],
  ),
}

// Without a worker and with rare signs of life, so that only commits of requests are cut.
const env = { ROLE: 'api', LEASE_SECONDS: '3600' }

describe('a request whose commit was not answered', () => {
  test('is answered with what was made, once', async (t) => {
    const bench = await openProxiedBench(t, { env })
    const { proxy, direct } = bench
    proxy.cutAtCommit('forwarded')
    const made = await generate(bench, 'image', picture)
    assert.equal(made.status, 200, made.text)
    const tasks = (await bench.call(`${P}/tasks`)).body.data
    assert.deepEqual([tasks.total, tasks.items[0].taskId], [1, made.body.taskId])

    proxy.cutAtCommit('forwarded')
    const workflow = await bench.call({ method: 'POST', path: `${P}/workflows`, json: template })
    assert.equal(workflow.status, 200, workflow.text)
    assert.equal((await bench.call(`${P}/workflows`)).body.data.total, 1)

    const { workflowId } = workflow.body.data
    proxy.cutAtCommit('forwarded')
    const run = await bench.call({
      method: 'POST',
      path: `${P}/workflows/${workflowId}/runs`,
      headers: { 'idempotency-key': randomUUID() },
      json: { inputs: { in: 'words' } },
    })
    assert.equal(run.status, 202, run.text)
    const runs = await direct.query('select id from runs')
    assert.deepEqual(runs, [{ id: run.body.data.runId }])

    const customer = await newCustomer(bench)
    proxy.cutAtCommit('forwarded')
    const key = await customer.ask('POST', '/api-keys', { name: 'second' })
    const listed = await bench.call({ path: `${P}/tasks`, key: key.body.data.key })
    assert.equal(listed.status, 200, listed.text)
  })

  test('is told that nothing was started if that is so', async (t) => {
    const bench = await openProxiedBench(t, { env })
    bench.proxy.cutAtCommit('withheld')
    const { retryable } = assertFailure(
      await generate(bench, 'image', picture),
      503,
      'SERVICE_UNAVAILABLE',
    )
    assert.equal(retryable, true)
    assert.equal((await bench.call(`${P}/tasks`)).body.data.total, 0)
  })

  test('is told that the outcome is unknown, and how to find out, if nobody can say', async (t) => {
    const bench = await openProxiedBench(t, { env: { ...env, HANDLER_TIMEOUT_SECONDS: '3' } })
    const { proxy } = bench
    proxy.cutAtCommit('forwarded', proxy.shut)
    const answer = await generate(bench, 'image', picture)
    const { retryable, message, details } = assertFailure(answer, 500, 'OUTCOME_UNKNOWN')
    assert.equal(retryable, false)
    assert.match(message, /List your tasks/)
    assert.ok(details.requestId)
    proxy.open()
    assert.equal((await bench.call(`${P}/tasks`)).body.data.total, 1)
  })
})
