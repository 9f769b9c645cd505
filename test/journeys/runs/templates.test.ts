import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { scopes } from '#core/scopes.ts'
import { listTemplates } from '#graph/templates/list-templates.ts'
import { signUp } from '../../support/console.ts'
import { type Body, P, startServer } from '../../support/server.ts'
import { addWorkflow, type Caller, started, until } from './setting.ts'

test('every template runs on the demo provider and gives what its schema promises', async () => {
  await using server = await startServer({ SIGN_UP: 'open' })
  const key = await (await signUp(server)).newKey({ scopes: [...scopes, 'waits:answer'] })
  const me: Caller = {
    call: (call) => server.call(typeof call === 'string' ? { path: call, key } : { key, ...call }),
  }
  const ajv = new Ajv2020({ strict: false })
  ajvFormats.default(ajv)
  await Promise.all(
    listTemplates().map(async ({ id, data, sampleInputs }) => {
      const workflowId = await addWorkflow(me, data, id)
      const runId = await started(me, workflowId, { inputs: sampleInputs })
      if (JSON.stringify(data).includes('"wait.approval"')) await approve(me, runId)
      // All films are drawn side by side.
      const result = await until(me, runId, (run) => run.completedAt !== null, 600_000)
      assert.equal(result.status, 'COMPLETED', `${id}: ${JSON.stringify(result.nodeErrors)}`)
      const { body } = await me.call(`${P}/workflows/${workflowId}/schema`)
      assert.ok(ajv.validate(body.data.outputSchema, result.outputs), `${id}: ${ajv.errorsText()}`)
      assert.equal(result.cost.amount, 0)
    }),
  )
})

async function approve(me: Caller, runId: string) {
  const { waitingFor }: Body = await until(me, runId, ({ waitingFor }) => waitingFor !== undefined)
  const path = `${P}/workflow-runs/${runId}/waits/${waitingFor[0].waitId}`
  const { status, text } = await me.call({ method: 'POST', path, json: { decision: 'approve' } })
  assert.equal(status, 200, text)
}
