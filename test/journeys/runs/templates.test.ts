import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { listTemplates } from '#graph/templates/list-templates.ts'
import { P, startServer } from '../../support/server.ts'
import { addWorkflow, ended, started } from './setting.ts'

test('every template runs on the demo provider and gives what its schema promises', async () => {
  await using server = await startServer()
  const ajv = new Ajv2020({ strict: false })
  ajvFormats.default(ajv)
  await Promise.all(
    listTemplates().map(async ({ id, data, sampleInputs }) => {
      const workflowId = await addWorkflow(server, data, id)
      const result = await ended(
        server,
        await started(server, workflowId, { inputs: sampleInputs }),
      )
      assert.equal(result.status, 'COMPLETED', `${id}: ${JSON.stringify(result.nodeErrors)}`)
      const { body } = await server.call(`${P}/workflows/${workflowId}/schema`)
      assert.ok(ajv.validate(body.data.outputSchema, result.outputs), `${id}: ${ajv.errorsText()}`)
      assert.equal(result.cost.amount, 0)
    }),
  )
})
