import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { P } from '../../support/server.ts'
import { assertFailure, chat, eventually, generate, says } from '../generation/setting.ts'
import { openProxiedBench } from './setting.ts'

const hello = { model: 'demo-text', messages: [says('Hello')] }
const picture = { model: 'demo-image', messages: [says('A blue door')] }

describe('a database that keeps its connections open but does not respond', () => {
  test('leaves no caller without an answer, and work continues when it is back', async (t) => {
    const bench = await openProxiedBench(t, { env: { HANDLER_TIMEOUT_SECONDS: '3' } })
    const before = await generate(bench, 'image', picture)
    assert.equal(before.status, 200, before.text)
    bench.proxy.stall()
    const [list, task, talk, ready] = await Promise.all([
      bench.call(`${P}/tasks`),
      generate(bench, 'image', picture),
      chat(bench, hello),
      bench.call('/readyz'),
    ])
    assertFailure(list, 503, 'SERVICE_UNAVAILABLE')
    assertFailure(talk, 503, 'SERVICE_UNAVAILABLE')
    assert.ok([500, 503].includes(task.status), task.text)
    assert.equal(ready.status, 503)
    assert.equal((await bench.call('/healthz')).status, 200)
    bench.proxy.resume()
    await eventually(
      () => bench.call('/readyz'),
      ({ status }) => status === 200,
    )
    const after = await eventually(
      () => generate(bench, 'image', picture),
      ({ status }) => status === 200,
    )
    const ended = await eventually(
      () => bench.call(`${P}/tasks/${after.body.taskId}`),
      ({ body }) => body.data?.completedAt != null,
      60_000,
    )
    assert.equal(ended.body.data.status, 'COMPLETED')
    assert.equal((await chat(bench, hello)).status, 200)
  })
})
