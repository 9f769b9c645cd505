// What a run makes of answers that are cut or empty, and what it holds back under a maxCost.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { databases } from '../../support/databases.ts'
import type { Body } from '../../support/server.ts'
import { attempts, openBench, testModels } from '../generation/setting.ts'
import { addWorkflow, ended, graph, run, submit } from './setting.ts'

const answers = (text: string, finish_reason: string) => ({
  do: 'say' as const,
  status: 200,
  body: {
    id: 'x',
    choices: [{ index: 0, message: { content: text }, finish_reason }],
    usage: { prompt_tokens: 10, completion_tokens: 5 },
  },
})
const answerMicros = 10 * 2 + 5 * 8

const node = (id: string, data: object = {}) => ({
  id,
  type: 'text.generate',
  data: { model: 'test/text', prompt: id, ...data },
})
const nodeCodes = ({ nodeErrors }: Body) => nodeErrors.map(({ code }: Body) => code)
const warnings = ({ nodes }: Body) =>
  nodes.map((one: Body) => one.warnings?.map(({ code }: Body) => code))

for (const { name: database } of databases) {
  describe(`an answer in a run on ${database}`, () => {
    test('that was cut is used, and its node says so', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models: testModels })
      bench.doubles.openai.script('chat', answers('Once upon', 'length'))
      const data = graph(
        [node('a'), { id: 'o', type: 'output' }, node('b', { prompt: undefined })],
        ['a -> o', 'a -> b.prompt'],
      )
      const result = await run(bench, data)
      assert.equal(result.status, 'COMPLETED', JSON.stringify(result.nodeErrors))
      assert.equal(result.outputs.o, 'Once upon')
      assert.deepEqual(warnings(result), [['ANSWER_CUT'], undefined, undefined])
      const { body } = await bench.call(`/api/ai-tools/v1/workflow-runs/${result.runId}/nodes/a`)
      assert.equal(body.data.outputs.text, 'Once upon')
      assert.equal(body.data.warnings[0].code, 'ANSWER_CUT')
    })

    test('that was cut marks the list it was made for', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models: testModels })
      bench.doubles.openai.script('chat', { do: 'answer' }, answers('Once upon', 'length'))
      const apply = { type: 'text.generate', data: { model: 'test/text' } }
      const list = {
        id: 'l',
        type: 'json.transform',
        data: { expression: '["x","y"]', outputType: 'list' },
      }
      const map = { id: 'm', type: 'flow.map', data: { apply, concurrency: 1 } }
      const start = { id: 's', type: 'input.text', data: { default: 'go' } }
      const result = await run(bench, graph([start, list, map], ['s -> l', 'l -> m']))
      assert.equal(result.status, 'COMPLETED', JSON.stringify(result.nodeErrors))
      assert.deepEqual(warnings(result), [undefined, undefined, ['ANSWER_CUT']])
    })

    test('that was cut in its JSON fails the node, even where the rest would parse', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models: testModels })
      bench.doubles.openai.script('chat', answers('12', 'length'))
      const result = await run(bench, graph([node('a', { responseFormat: 'json' })]))
      assert.equal(result.status, 'FAILED')
      assert.deepEqual(nodeCodes(result), ['TYPE_MISMATCH'])
      assert.match(result.nodeErrors[0].message, /cut off/)
    })

    for (const [what, said, code] of [
      ['empty', answers('', 'stop'), 'EMPTY_ANSWER'],
      ['blocked', answers('Once', 'content_filter'), 'CONTENT_REJECTED'],
    ] as const) {
      test(`that is ${what} fails the node, is paid, and is not asked for again`, async (t) => {
        const bench = await openBench(t, { database, doubles: ['openai'], models: testModels })
        bench.doubles.openai.always('chat', said)
        const result = await run(bench, graph([node('a')]))
        assert.equal(result.status, 'FAILED')
        assert.deepEqual(nodeCodes(result), [code])
        assert.equal(result.nodeErrors[0].retryable, false)
        assert.equal(bench.doubles.openai.counts.chat, 1)
        const [row] = await attempts(bench)
        assert.deepEqual([row?.outcome, row?.cost_micros], ['FAILED', answerMicros])
        assert.equal(result.cost.amount, answerMicros / 1e6)
      })
    }
  })

  describe(`a run with a maxCost on ${database}`, () => {
    const data = graph([node('a'), node('b'), node('c'), node('d')])
    /** A prompt of one letter with its framing, and at most 1,000 tokens of output. */
    const mostTokens = 1 + 32 + 2 * 16
    const mostMicros = mostTokens * 2 + 1_000 * 8

    test('never passes it, although each call uses as much as it may', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models: testModels })
      const said = answers('Hi', 'stop')
      const usage = { prompt_tokens: mostTokens, completion_tokens: 1_000 }
      bench.doubles.openai.always('chat', { ...said, body: { ...said.body, usage } })
      const workflowId = await addWorkflow(bench, data)
      const maxCost = (2 * mostMicros + 1) / 1e6
      const { runId } = (await submit(bench, workflowId, { maxCost })).body.data
      const result = await ended(bench, runId)
      assert.equal(result.status, 'FAILED')
      assert.ok(nodeCodes(result).includes('COST_LIMIT_REACHED'))
      assert.equal(result.cost.amount, (2 * mostMicros) / 1e6)
      for (const { body } of bench.doubles.openai.requests) {
        assert.equal((body as Body).max_tokens, 1_000)
      }
    })

    test('starts nothing that could pass it alone', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models: testModels })
      const workflowId = await addWorkflow(bench, graph([node('a')]))
      const maxCost = (mostMicros - 1) / 1e6
      const { runId } = (await submit(bench, workflowId, { maxCost })).body.data
      assert.deepEqual(nodeCodes(await ended(bench, runId)), ['COST_LIMIT_REACHED'])
      assert.equal(bench.doubles.openai.counts.chat, 0)
    })
  })
}
