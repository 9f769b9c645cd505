import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { type Body, P } from '../../support/server.ts'
import { openBench, testModels } from '../generation/setting.ts'
import { addWorkflow, ended, graph, started } from './setting.ts'

const text = (id: string, mode?: string) => ({
  id,
  type: 'text.generate',
  data: { model: 'test/text' },
  ...(mode ? { mode } : {}),
})

const statuses = (run: Body) =>
  Object.fromEntries(run.nodes.map(({ nodeId, status }: Body) => [nodeId, status]))

/** topic -> draft -> polish -> out, and draft -> aside -> join beside topic -> join -> joined */
const forked = ({ polish, aside }: { polish?: string; aside?: string }) =>
  graph(
    [
      { id: 'topic', type: 'input.text', data: { required: true } },
      text('draft'),
      text('polish', polish),
      { id: 'out', type: 'output' },
      text('aside', aside),
      { id: 'behind', type: 'output' },
      { id: 'join', type: 'flow.merge', data: { mode: 'list' } },
      { id: 'joined', type: 'output' },
    ],
    [
      'topic -> draft.prompt',
      'draft -> polish.prompt',
      'polish -> out',
      'topic -> aside.prompt',
      'aside -> behind',
      'aside -> join',
      'topic -> join',
      'join -> joined',
    ],
  )

for (const { name: database } of databases) {
  describe(`nodes that are left out of runs on ${database}`, () => {
    test('a muted node is skipped with what needs it, a bypassed one passes its input on', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models: testModels })
      const workflowId = await addWorkflow(bench, forked({ polish: 'bypass', aside: 'mute' }))
      const stored = await bench.call(`${P}/workflows/${workflowId}`)
      const modes = stored.body.data.data.nodes.map(({ mode }: Body) => mode ?? null)
      assert.deepEqual(modes, [null, null, 'bypass', null, 'mute', null, null, null])

      const run = await ended(bench, await started(bench, workflowId, { inputs: { topic: 'tea' } }))
      assert.equal(run.status, 'COMPLETED', JSON.stringify(run.nodeErrors))
      assert.deepEqual(statuses(run), {
        topic: 'COMPLETED',
        draft: 'COMPLETED',
        polish: 'SKIPPED',
        out: 'COMPLETED',
        aside: 'SKIPPED',
        behind: 'SKIPPED',
        join: 'COMPLETED',
        joined: 'COMPLETED',
      })
      assert.equal(bench.doubles.openai.requests.length, 1, 'only the draft is paid for')
      const draft = await bench.call(`${P}/workflow-runs/${run.runId}/nodes/draft`)
      assert.deepEqual(run.outputs, { out: draft.body.data.outputs.text, joined: ['tea'] })

      // Called from another workflow, its output that may be missing is an optional port.
      const caller = graph(
        [
          { id: 'word', type: 'input.text', data: { required: true } },
          { id: 'call', type: 'workflow.call', data: { workflowId } },
          { id: 'result', type: 'output' },
          { id: 'missing', type: 'output' },
        ],
        ['word -> call.topic', 'call.out -> result', 'call.behind -> missing'],
      )
      const outer = await ended(
        bench,
        await started(bench, await addWorkflow(bench, caller), { inputs: { word: 'milk' } }),
      )
      assert.equal(outer.status, 'COMPLETED', JSON.stringify(outer.nodeErrors))
      assert.deepEqual(Object.keys(outer.outputs), ['result'])
    })
  })
}
