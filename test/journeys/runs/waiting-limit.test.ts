// An account may have only so many runs asleep, whichever way a graph can wait.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { signUp } from '../../support/console.ts'
import { databases } from '../../support/databases.ts'
import { P, startServer } from '../../support/server.ts'
import { type Env, newPlace } from '../backup/setting.ts'
import { callerOf } from '../triggers/hook-setting.ts'
import { addWorkflow, ended, graph, started, submit, until } from './setting.ts'

const settings = { SECRET_KEY: Buffer.alloc(32, 7).toString('base64'), SIGN_UP: 'open' }

const asking = graph(
  [
    { id: 'in', type: 'input.text' },
    { id: 'ask', type: 'wait.approval', data: { title: 'Fine?' } },
    { id: 'out', type: 'output' },
  ],
  ['in -> ask.value', 'ask.approved -> out'],
)
const echo = graph(
  [
    { id: 'in', type: 'input.text' },
    { id: 'out', type: 'output' },
  ],
  ['in -> out'],
)
const calling = (workflowId: number) =>
  graph(
    [
      { id: 'in', type: 'input.json' },
      {
        ...{ id: 'each', type: 'flow.map' },
        data: { apply: { type: 'workflow.call', data: { workflowId } } },
      },
    ],
    ['in -> each.items'],
  )

async function fallAsleep(place: Env) {
  await using server = await startServer(place)
  const key = await (await signUp(server)).newKey()
  const on = callerOf(server, key)
  const workflowId = await addWorkflow(on, asking)
  const runId = await started(on, workflowId, { inputs: { in: 'a' } })
  await until(on, runId, ({ retryAfterSeconds }) => retryAfterSeconds === 15)
  return { key, workflowId, runId }
}

describe('with as many sleeping runs as an account may have', () => {
  for (const { name } of databases) {
    test(`further graphs that can wait are refused, and others are not (${name})`, async (t) => {
      const place = { ...settings, ...(await newPlace(t, name)) }
      const { key, workflowId, runId } = await fallAsleep(place)
      // The count of a server may be ten seconds old; this one begins with it.
      await using server = await startServer({ ...place, MAX_WAITING_RUNS: '1' })
      const on = callerOf(server, key)
      const nested = await addWorkflow(on, calling(workflowId))
      for (const [id, inputs] of [
        [workflowId, { in: 'b' }],
        [nested, { in: ['b'] }],
      ] as const) {
        const refused = await submit(on, id, { inputs })
        assert.deepEqual([refused.status, refused.body.error.code], [429, 'QUOTA_EXCEEDED'])
        assert.equal(refused.body.error.retryable, true)
        assert.ok(Number(refused.headers['retry-after']) >= 1)
      }
      const other = await started(on, await addWorkflow(on, echo), { inputs: { in: 'c' } })
      assert.deepEqual((await ended(on, other)).outputs, { out: 'c' })
      const cancelled = await on.call({
        method: 'POST',
        path: `${P}/workflow-runs/${runId}/cancel`,
      })
      assert.equal(cancelled.body.data.status, 'CANCELLED')
    })
  }
})
