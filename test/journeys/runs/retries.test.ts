import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { databases } from '../../support/databases.ts'
import { type Body, P } from '../../support/server.ts'
import { type Bench, openBench, testModels } from '../generation/setting.ts'
import { addWorkflow, ended, graph, run, started } from './setting.ts'

const text = (id: string, data: object = {}) => ({
  id,
  type: 'text.generate',
  data: { model: 'test/text', ...data },
})
const call = (id: string, workflowId: number) => ({
  id,
  type: 'workflow.call',
  data: { workflowId },
})

async function retried(bench: Bench, runId: string, json: object = {}): Promise<Body> {
  const answer = await bench.call({
    method: 'POST',
    path: `${P}/workflow-runs/${runId}/retry`,
    headers: { 'idempotency-key': randomUUID() },
    json,
  })
  assert.equal(answer.status, 202, answer.text)
  return ended(bench, answer.body.data.runId)
}

const says = (content: string) =>
  ({
    do: 'say',
    status: 200,
    body: {
      id: 'x',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    },
  }) as const

const refused = { do: 'refuse', status: 400 } as const

const prompts = (bench: Bench): string[] =>
  bench.doubles.openai.requests.map(({ body }) => (body as Body).messages.at(-1).content)

for (const { name: database } of databases) {
  describe(`a retry on ${database}`, () => {
    test('on the newest version asks again for what a workflow two calls down gave before it was edited', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models: testModels })
      const third = await addWorkflow(bench, graph([text('t', { prompt: 'before' })]))
      const second = await addWorkflow(bench, graph([call('c', third)]))
      const nodes = [call('b', second), text('last', { prompt: 'last' })]
      const first = await addWorkflow(bench, graph(nodes, ['b -> last.system']))
      bench.doubles.openai.script('chat', { do: 'answer' }, refused)
      const failed = await ended(bench, await started(bench, first))
      assert.equal(failed.status, 'FAILED')
      const json = { data: graph([text('t', { prompt: 'after' })]) }
      await bench.call({ method: 'PUT', path: `${P}/workflows/${third}`, json })
      const result = await retried(bench, failed.runId, { version: 'newest' })
      assert.equal(result.status, 'COMPLETED', JSON.stringify(result.nodeErrors))
      assert.deepEqual(prompts(bench), ['before', 'last', 'after', 'last'])
    })

    test('does again the items that failed, and what was made from the list, and no other', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models: testModels })
      const apply = text('', { responseFormat: 'json' })
      const workflow = await addWorkflow(
        bench,
        graph(
          [
            { id: 'in', type: 'input.json' },
            {
              id: 'each',
              type: 'flow.map',
              data: { apply, onItemError: 'collect', concurrency: 1, context: ['system'] },
            },
            { id: 'all', type: 'text.template', data: { template: 'all {{list}}' } },
            text('sum'),
            text('before', { prompt: 'before' }),
          ],
          [
            'in -> each.items',
            'before -> each.system',
            'each.results -> all.list',
            'all -> sum.prompt',
          ],
        ),
      )
      const { openai } = bench.doubles
      openai.script('chat', says('brief'), says('1'), says('no JSON'), refused, says('4'))
      const inputs = { in: ['a', 'b', 'c', 'd'] }
      const first = await ended(bench, await started(bench, workflow, { inputs }))
      assert.equal(first.status, 'COMPLETED', JSON.stringify(first.nodeErrors))
      const node = first.nodes.find(({ nodeId }: Body) => nodeId === 'each')
      assert.equal(node.failedItems, 2)
      const items = (runId: string, query: string) =>
        bench.call({ path: `${P}/workflow-runs/${runId}/items?path=each&${query}` })
      const { data } = (await items(first.runId, 'status=FAILED&size=1')).body
      assert.deepEqual([data.total, data.totalPages, data.items[0].index], [2, 2, 1])
      assert.equal(data.items[0].error.code, 'TYPE_MISMATCH')
      const { data: next } = (await items(first.runId, `status=FAILED&cursor=${data.next}`)).body
      assert.deepEqual([next.items[0].error.code, next.next], ['INVALID_REQUEST', null])
      assert.equal((await items(first.runId, 'path=sum')).status, 400)
      openai.requests.length = 0
      openai.script('chat', says('2'), says('3'))
      const second = await retried(bench, first.runId)
      assert.equal(second.status, 'COMPLETED', JSON.stringify(second.nodeErrors))
      assert.equal(
        second.nodes.find(({ nodeId }: Body) => nodeId === 'each').failedItems,
        undefined,
      )
      const asked = prompts(bench)
      assert.deepEqual(asked.slice(0, 2), ['b', 'c'])
      assert.match(asked[2] ?? '', /^all /)
      assert.equal(asked.length, 3)
      const again = await bench.call({
        method: 'POST',
        path: `${P}/workflow-runs/${second.runId}/retry`,
        headers: { 'idempotency-key': randomUUID() },
      })
      assert.equal(again.status, 422, 'nothing of it has failed')
    })

    test('asks again for the answer that its node could not use, and for no other', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models: testModels })
      const inner = await addWorkflow(
        bench,
        graph(
          [{ id: 'in', type: 'input.text' }, text('a'), text('b', { responseFormat: 'json' })],
          ['in -> a.prompt', 'in -> b.prompt', 'a -> b.system'],
        ),
      )
      const apply = { type: 'workflow.call', data: { workflowId: inner } }
      const each = { id: 'each', type: 'flow.map', data: { apply, concurrency: 1 } }
      const outer = await addWorkflow(
        bench,
        graph([{ id: 'list', type: 'input.json' }, each], ['list -> each.items']),
      )
      const answers = ['one', '{"n":1}', 'two', 'Sure! Here it is:'].map(says)
      bench.doubles.openai.script('chat', ...answers, says('{"n":2}'))
      const failed = await ended(
        bench,
        await started(bench, outer, { inputs: { list: ['x', 'y'] } }),
      )
      assert.match(failed.nodeErrors[0].message, /TYPE_MISMATCH/)
      assert.deepEqual(prompts(bench), ['x', 'x', 'y', 'y'])
      const result = await retried(bench, failed.runId)
      assert.equal(result.status, 'COMPLETED', JSON.stringify(result.nodeErrors))
      assert.deepEqual(prompts(bench).slice(4), ['y'])
      assert.deepEqual(
        result.outputs.each.map(({ json }: Body) => json),
        [{ n: 1 }, { n: 2 }],
      )
    })
  })

  describe(`a provider that asks to wait longer than a run may take, on ${database}`, () => {
    const headers = { 'retry-after': '7200' }
    test('fails the node of a text at once, to be retried, and the message says when', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models: testModels })
      bench.doubles.openai.always('chat', { do: 'refuse', status: 429, headers })
      const result = await run(bench, graph([text('a', { prompt: 'hi' })]))
      assertToldWhen(result, bench.clock.nowMs())
      assert.equal(bench.doubles.openai.counts.chat, 1)
    })

    test('fails the node of a picture at once, to be retried, and the message says when', async (t) => {
      const bench = await openBench(t, { database, doubles: ['fal'], models: testModels })
      bench.doubles.fal.always('submit', { do: 'refuse', status: 429, headers })
      const node = {
        id: 'a',
        type: 'image.generate',
        data: { model: 'fal/flux-schnell', prompt: 'x' },
      }
      assertToldWhen(await run(bench, graph([node])), bench.clock.nowMs())
      assert.equal(bench.doubles.fal.counts.submit, 1)
    })
  })
}

function assertToldWhen(result: Body, nowMs: number) {
  assert.equal(result.status, 'FAILED')
  const [{ code, retryable, message }] = result.nodeErrors
  assert.deepEqual([code, retryable], ['PROVIDER_UNAVAILABLE', true])
  const untilMs = Date.parse(/wait until (\S+):/.exec(message)?.[1] ?? '')
  assert.ok(untilMs > nowMs && untilMs <= nowMs + 7_200_000, message)
}
