import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ended, graph, started } from '../../journeys/runs/setting.ts'
import { P } from '../../support/server.ts'
import { addWorkflow, at, dataOf, onBothDatabases, refusedAs } from './setting.ts'

const folder = mkdtempSync(join(tmpdir(), 'atelier-retry-'))
const MODELS_FILE = join(folder, 'models.json')
const pricing = { inputPerMillionTokens: 700, outputPerMillionTokens: 2_100 }
writeFileSync(MODELS_FILE, JSON.stringify({ models: [{ id: 'demo-text', pricing }] }))
after(() => rmSync(folder, { recursive: true }))

/** The first node is paid, the second fails, the third never ran. */
const failing = (firstPrompt = 'Who are you?') =>
  graph(
    [
      { id: 'first', type: 'text.generate', data: { model: 'demo-text', prompt: firstPrompt } },
      { id: 'broken', type: 'json.transform', data: { expression: '$error("no")' } },
      { id: 'words', type: 'text.template', data: { template: '{{x}}' } },
      { id: 'last', type: 'text.generate', data: { model: 'demo-text' } },
      { id: 'out', type: 'output' },
    ],
    ['first -> broken.input', 'broken -> words.x', 'words -> last.prompt', 'last -> out'],
  )

onBothDatabases(
  'what a retry would do',
  (on) => {
    test('it names what is reused and what will run, with the cost of the rest', async () => {
      const workflowId = await addWorkflow(on, failing())
      const runId = await started({ call: on.api }, workflowId, {})
      const run = await ended({ call: on.api }, runId)
      assert.equal(run.status, 'FAILED')
      const preview = (version: string, who = on.owner) =>
        dataOf(who, `/runs/${runId}/retry-preview?version=${version}`)
      const same = await preview('same')
      assert.deepEqual([same.reused, same.reusedCalls], [['first'], 1])
      assert.deepEqual(same.willRun, ['broken', 'words', 'last', 'out'])
      assert.equal(same.savedCost.amount, run.cost.amount)
      assert.ok(same.savedCost.amount > 0)
      const view = await dataOf(on.owner, `/runs/${runId}/view`)
      const whole = view.estimate
      assert.ok(same.estimate.estimatedCost > 0)
      assert.ok(same.estimate.estimatedCost < whole.estimatedCost)
      assert.deepEqual((await preview('newest')).reused, ['first'])

      // Another prompt: nothing of the old run can be used any more.
      const path = `${P}/workflows/${workflowId}`
      const json = { data: failing('Who am I?') }
      assert.equal((await on.api({ method: 'PUT', path, json })).status, 200)
      const newest = await preview('newest')
      assert.deepEqual([newest.reused, newest.reusedCalls, newest.workflowVersion], [[], 0, 2])
      assert.equal(newest.savedCost.amount, 0)
      assert.equal(newest.willRun.length, 5)
      assert.ok(newest.estimate.estimatedCost > same.estimate.estimatedCost)
      assert.deepEqual((await preview('same')).reused, ['first'])

      refusedAs(await at(on.stranger, `/runs/${runId}/retry-preview`), 404, 'RUN_NOT_FOUND')
      await on.api({ method: 'DELETE', path })
      const gone = await at(on.owner, `/runs/${runId}/retry-preview?version=newest`)
      refusedAs(gone, 404, 'WORKFLOW_NOT_FOUND')
      assert.deepEqual((await preview('same')).reused, ['first'])
    })
  },
  { MODELS_FILE },
)
