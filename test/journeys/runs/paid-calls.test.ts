import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import type { Db } from '#store/db.ts'
import { connectSqlite } from '#store/sqlite/connection.ts'
import { databases } from '../../support/databases.ts'
import { png } from '../../support/provider-doubles/media.ts'
import { type Body, P } from '../../support/server.ts'
import {
  assertFailure,
  attempts,
  type Bench,
  openBench,
  testModels,
} from '../generation/setting.ts'
import { addWorkflow, ended, graph, run, started, submit } from './setting.ts'

const models = {
  models: [
    ...testModels.models,
    {
      id: 'test/dear',
      provider: 'local',
      kind: 'TEXT',
      capabilities: { inputModalities: ['text'], maxOutputTokens: 1_000 },
      pricing: { inputPerMillionTokens: 0, outputPerMillionTokens: 1_000 },
    },
    {
      id: 'test/image',
      provider: 'fal',
      kind: 'IMAGE',
      providerModel: 'fal-ai/flux/schnell',
      pricing: { perImage: 0.01 },
    },
  ],
}
const text = (id: string, prompt?: string) => ({
  id,
  type: 'text.generate',
  data: { model: 'test/text', maxTokens: 100, ...(prompt === undefined ? {} : { prompt }) },
})
const image = (id: string) => ({
  id,
  type: 'image.generate',
  data: { model: 'test/image', prompt: id },
})
const byId = (result: Body, id: string): Body =>
  result.nodes.find((node: Body) => node.nodeId === id)

const retry = (bench: Bench, runId: string, json: object = {}, key: string = randomUUID()) =>
  bench.call({
    method: 'POST',
    path: `${P}/workflow-runs/${runId}/retry`,
    headers: { 'idempotency-key': key },
    json,
  })

/** What follows its end is no part of the picture. */
const otherPng = Buffer.concat([png, Buffer.alloc(1)])

/** Deletes media like retention, although the run itself still exists. */
async function forgetMedia({ db, dataDir }: Bench) {
  const sql = 'delete from media'
  if ('write' in db) return (db as Db).write(sql)
  using file = connectSqlite(join(dataDir, 'atelier.db'), {
    readOnly: false,
    pragmas: ['busy_timeout = 5000'],
  })
  return file.all(sql)
}

const expensive = {
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 1_000, total_tokens: 1_010 },
}

for (const { name: database } of databases) {
  describe(database, () => {
    for (const [what, node, env] of [
      ['a text', text('late', 'x'), { CHAT_TIMEOUT_SECONDS: '1' }],
      ['a picture', image('late'), { TASK_IMAGE_TIMEOUT_SECONDS: '1' }],
    ] as const) {
      test(`${what} that is not ready within the time limit of its node is NODE_TIMEOUT`, async (t) => {
        const bench = await openBench(t, { database, doubles: ['openai', 'fal'], models, env })
        bench.doubles.openai.always('chat', { do: 'hold' })
        bench.doubles.fal.plan('running')
        const result = await run(bench, graph([node]))
        assert.equal(result.status, 'FAILED')
        assert.deepEqual(
          result.nodeErrors.map((error: Body) => [error.nodeId, error.code, error.retryable]),
          [['late', 'NODE_TIMEOUT', true]],
        )
      })
    }

    test('the cost of a run is the sum of its calls, also per node', async (t) => {
      const bench = await openBench(t, {
        database,
        doubles: ['openai', 'fal'],
        models,
        env: { OUTBOUND_ALLOW: '127.0.0.1/32' },
      })
      const result = await run(
        bench,
        graph([text('a', 'hi'), text('b'), image('c')], ['a -> b.prompt']),
      )
      assert.equal(result.status, 'COMPLETED', JSON.stringify(result.nodeErrors))
      const rows = await attempts(bench)
      const sum = rows.reduce((total, row) => total + (row.cost_micros ?? 0), 0)
      assert.equal(rows.length, 3)
      assert.equal(Math.round(result.cost.amount * 1e6), sum)
      assert.equal(byId(result, 'c').cost.amount, 0.01)
      const nodes = result.nodes.reduce((total: number, node: Body) => total + node.cost.amount, 0)
      assert.ok(Math.abs(nodes - result.cost.amount) < 1e-9)
    })

    test('a text call whose answer was lost is not repeated and says so', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models })
      bench.doubles.openai.script('chat', { do: 'cut', when: 'after-accepting' })
      const result = await run(bench, graph([text('a', 'hi')]))
      assert.equal(result.status, 'FAILED')
      assert.equal(result.nodeErrors[0].code, 'PROVIDER_OUTCOME_UNKNOWN')
      assert.equal(result.nodeErrors[0].retryable, false)
      assert.equal(bench.doubles.openai.counts.chat, 1)
      // It may have been billed, so it counts.
      assert.ok(result.cost.amount > 0)
    })

    test('a call that was certainly not accepted is repeated', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models })
      bench.doubles.openai.script('chat', { do: 'refuse', status: 429 })
      const result = await run(bench, graph([text('a', 'hi')]))
      assert.equal(result.status, 'COMPLETED', JSON.stringify(result.nodeErrors))
      assert.equal(bench.doubles.openai.counts.chat, 2)
      assert.equal(bench.doubles.openai.counts.accepted, 1)
      assert.equal(byId(result, 'a').attempts, 2)
    })

    test('refused content fails the node at once', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models })
      bench.doubles.openai.always('chat', { do: 'refuse', status: 400 })
      const result = await run(bench, graph([text('a', 'hi')]))
      assert.equal(result.status, 'FAILED')
      assert.equal(bench.doubles.openai.counts.chat, 1)
    })

    test('nothing is started that would exceed maxCost; finished outputs are kept', async (t) => {
      const bench = await openBench(t, {
        database,
        doubles: ['openai', 'fal'],
        models,
        env: { OUTBOUND_ALLOW: '127.0.0.1/32' },
      })
      const data = graph(
        [
          image('a'),
          { id: 'o', type: 'output' },
          { ...image('b'), data: { model: 'test/image' } },
          { id: 'p', type: 'output' },
          {
            id: 'name',
            type: 'json.transform',
            data: { expression: '"again"', outputType: 'text' },
          },
        ],
        ['a -> o', 'a -> name', 'name -> b.prompt', 'b -> p'],
      )
      const workflowId = await addWorkflow(bench, data)
      const runId = (await submit(bench, workflowId, { maxCost: 0.015 })).body.data.runId
      const result = await ended(bench, runId)
      assert.equal(result.status, 'FAILED')
      assert.deepEqual(
        result.nodeErrors.map((e: Body) => [e.nodeId, e.code]),
        [['b', 'COST_LIMIT_REACHED']],
      )
      assert.equal(result.outputs.o.mimeType, 'image/png')
      assert.equal(result.cost.amount, 0.01)
      assert.equal(result.maxCost, 0.015)
      assert.equal(bench.doubles.fal.counts.submit, 1)
    })

    test('calls beside each other wait for room under maxCost instead of failing the run', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models })
      bench.doubles.openai.always('chat', { do: 'hold' })
      // Each reserves 0.1 USD and costs 0.008.
      const apply = { type: 'text.generate', data: { model: 'test/dear', maxTokens: 100 } }
      const data = graph(
        [
          { id: 'in', type: 'input.json' },
          { id: 'm', type: 'flow.map', data: { apply, concurrency: 5 } },
        ],
        ['in -> m.items'],
      )
      const workflowId = await addWorkflow(bench, data)
      const inputs = { in: ['a', 'b', 'c', 'd', 'e'] }
      const { runId } = (await submit(bench, workflowId, { inputs, maxCost: 0.25 })).body.data
      await bench.doubles.openai.arrived('chat', 2)
      assert.equal(bench.doubles.openai.counts.chat, 2)
      bench.doubles.openai.release()
      const result = await ended(bench, runId)
      assert.equal(result.status, 'COMPLETED', JSON.stringify(result.nodeErrors))
      assert.equal(result.cost.amount, 0.04)
    })

    test('pictures that a provider may have billed count against maxCost', async (t) => {
      const bench = await openBench(t, { database, doubles: ['fal'], models })
      bench.doubles.fal.always('submit', { do: 'cut', when: 'after-accepting' })
      const apply = { type: 'image.generate', data: { model: 'test/image' } }
      const data = graph(
        [
          { id: 'in', type: 'input.json' },
          { id: 'm', type: 'flow.map', data: { apply, concurrency: 1, onItemError: 'collect' } },
        ],
        ['in -> m.items'],
      )
      const workflowId = await addWorkflow(bench, data)
      const inputs = { in: ['a', 'b', 'c', 'd', 'e'] }
      const { runId } = (await submit(bench, workflowId, { inputs, maxCost: 0.025 })).body.data
      const result = await ended(bench, runId)
      assert.equal(result.nodeErrors[0]?.code, 'COST_LIMIT_REACHED')
      assert.equal(result.cost.amount, 0.02)
      assert.equal(bench.doubles.fal.counts.submit, 2)
    })

    test('a retry reuses what was finished and pays only for the rest', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models })
      bench.doubles.openai.script('chat', { do: 'answer' }, { do: 'refuse', status: 400 })
      const workflowId = await addWorkflow(
        bench,
        graph(
          [text('a', 'hi'), text('b'), { id: 'o', type: 'output' }],
          ['a -> b.prompt', 'b -> o'],
        ),
      )
      const first = await ended(bench, await started(bench, workflowId, { metadata: { m: 1 } }))
      assert.equal(first.status, 'FAILED')
      const key = randomUUID()
      const answer = await retry(bench, first.runId, {}, key)
      assert.equal(answer.status, 202, answer.text)
      const second = await ended(bench, answer.body.data.runId)
      assert.equal(second.status, 'COMPLETED', JSON.stringify(second.nodeErrors))
      assert.equal(second.retryOf, first.runId)
      assert.deepEqual(second.metadata, { m: 1 })
      assert.equal(bench.doubles.openai.counts.chat, 3)
      assert.equal(byId(second, 'a').cost, null)
      assert.ok(byId(second, 'b').cost.amount > 0)
      assert.equal(second.cost.amount, byId(second, 'b').cost.amount)
      const again = await retry(bench, first.runId, {}, key)
      assert.deepEqual([again.status, again.body.data.runId], [200, second.runId])
      assertFailure(
        await retry(bench, first.runId, { version: 'newest' }, key),
        409,
        'IDEMPOTENCY_KEY_REUSED',
      )
      assertFailure(await retry(bench, second.runId), 422, 'INPUT_INVALID')
    })

    test('a picture that a retry reuses lives as long as the retried run', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai', 'fal'], models })
      bench.doubles.fal.plan('succeeded')
      bench.doubles.openai.script('chat', { do: 'refuse', status: 400 })
      const nodes = [image('p'), text('g', 'hi'), { id: 'o', type: 'output' }]
      const workflowId = await addWorkflow(
        bench,
        graph(
          [...nodes, { id: 'm', type: 'flow.merge', data: { mode: 'list' } }],
          ['p.image -> m', 'g -> m', 'm -> o'],
        ),
      )
      const first = await ended(bench, await started(bench, workflowId))
      assert.equal(first.status, 'FAILED')
      const retention = 30 * 24 * 3_600_000
      bench.clock.advance(retention - 3_600_000)
      const retriedAtMs = bench.clock.nowMs()
      const answer = await retry(bench, first.runId)
      const second = await ended(bench, answer.body.data.runId)
      assert.equal(second.status, 'COMPLETED', JSON.stringify(second.nodeErrors))
      assert.equal(bench.doubles.fal.counts.submit, 1)
      const [{ url }] = second.outputs.o
      assert.equal((await fetch(url)).status, 200)
      const id = new URL(url).pathname.split('/').at(-1) ?? ''
      const [kept] = await bench.db.query<{ created_at: number }>(
        'select created_at from media where id = $1',
        [id],
      )
      // Retention uses this time, as for the run.
      assert.ok(kept && kept.created_at >= retriedAtMs)
    })

    for (const isSame of [false, true]) {
      const what = isSame ? 'nothing else if it comes out the same' : 'what was made from it, too'
      test(`a deleted picture is generated again, and ${what}`, (t) => deletedPicture(t, isSame))
    }

    async function deletedPicture(t: TestContext, isSame: boolean) {
      const bench = await openBench(t, { database, doubles: ['openai', 'fal'], models })
      bench.doubles.fal.plan('succeeded')
      const refuse = { do: 'refuse', status: 400 } as const
      bench.doubles.openai.script('chat', { do: 'answer' }, { do: 'answer' }, refuse)
      const data = graph(
        [image('p'), text('seen', 'what is it?'), text('alone', 'hi'), text('last')],
        ['p.image -> seen.image', 'seen -> last.prompt'],
      )
      // Sequential, so that each scripted answer reaches its node.
      data.connections.push({ source: 'seen', target: 'alone', targetHandle: 'system' })
      data.connections.push({ source: 'alone', target: 'last', targetHandle: 'system' })
      const first = await ended(bench, await started(bench, await addWorkflow(bench, data)))
      assert.deepEqual([first.status, byId(first, 'last').status], ['FAILED', 'FAILED'])
      await forgetMedia(bench)
      if (!isSame) bench.doubles.fal.script('file', { do: 'say', status: 200, body: otherPng })
      const answer = await retry(bench, first.runId)
      const second = await ended(bench, answer.body.data.runId)
      assert.equal(second.status, 'COMPLETED', JSON.stringify(second.nodeErrors))
      assert.equal(bench.doubles.fal.counts.submit, 2)
      assert.equal(bench.doubles.openai.counts.chat, isSame ? 4 : 6)
    }

    test('a retry on the newest version reuses only nodes that are unchanged, including everything upstream', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models })
      bench.doubles.openai.script(
        'chat',
        { do: 'answer' },
        { do: 'answer' },
        { do: 'refuse', status: 400 },
      )
      const wires = ['a -> b.prompt', 'b -> c.prompt']
      const workflowId = await addWorkflow(
        bench,
        graph([text('a', 'hi'), text('b'), text('c')], wires),
      )
      const first = await ended(bench, await started(bench, workflowId))
      assert.equal(first.status, 'FAILED')
      const changed = { ...text('b'), data: { model: 'test/text', maxTokens: 200 } }
      const data = graph([text('a', 'hi'), changed, text('c')], wires)
      await bench.call({ method: 'PUT', path: `${P}/workflows/${workflowId}`, json: { data } })
      const answer = await retry(bench, first.runId, { version: 'newest' })
      const second = await ended(bench, answer.body.data.runId)
      assert.equal(second.status, 'COMPLETED', JSON.stringify(second.nodeErrors))
      assert.equal(second.workflowVersion, 2)
      // a was reused; b was changed, and c depends on it.
      assert.equal(bench.doubles.openai.counts.chat, 5)
    })

    test('a node shows its inputs, outputs and calls', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models })
      const result = await run(
        bench,
        graph(
          [
            { id: 'in', type: 'input.text' },
            { id: 't', type: 'text.template', data: { template: '{{x}}?' } },
            text('g'),
          ],
          ['in -> t.x', 't -> g.prompt'],
        ),
        { in: 'why' },
      )
      const node = async (id: string) =>
        (await bench.call(`${P}/workflow-runs/${result.runId}/nodes/${id}`)).body.data
      const template = await node('t')
      assert.deepEqual(
        [template.inputs, template.outputs, template.calls],
        [{ x: 'why' }, { text: 'why?' }, []],
      )
      const generated = await node('g')
      assert.equal(generated.inputs.prompt, 'why?')
      assert.equal(generated.outputs.text, result.outputs.g)
      assert.deepEqual(
        generated.calls.map((call: Body) => [call.kind, call.status, call.attempts]),
        [['TEXT', 'DONE', 1]],
      )
      assert.equal(bench.doubles.openai.counts.chat, 1)
      assertFailure(
        await bench.call(`${P}/workflow-runs/${result.runId}/nodes/zz`),
        404,
        'NODE_NOT_FOUND',
      )
    })

    test('an account over its spend limit can start free runs but no paid ones', async (t) => {
      const bench = await openBench(t, {
        database,
        doubles: ['openai'],
        models,
        env: { SPEND_LIMIT: '1' },
      })
      bench.doubles.openai.script('chat', { do: 'say', status: 200, body: expensive })
      const dear = { id: 'a', type: 'text.generate', data: { model: 'test/dear', prompt: 'hi' } }
      await run(bench, graph([dear]))
      const paid = await addWorkflow(bench, graph([dear]))
      assertFailure(await submit(bench, paid), 403, 'SPEND_LIMIT_REACHED')
      assert.equal((await run(bench, graph([]))).status, 'COMPLETED')
    })

    test('an outside picture inside outputs is never signed for another account', async (t) => {
      const bench = await openBench(t, { database })
      const foreign = `${bench.url}/media/01a1dd90-4c2b-783d-a2ec-f9c50669286a?exp=1&sig=x`
      const value = { url: foreign, mimeType: 'image/png', sizeBytes: 1 }
      const data = graph(
        [
          { id: 'in', type: 'input.json' },
          { id: 'o', type: 'output' },
        ],
        ['in -> o'],
      )
      assert.deepEqual((await run(bench, data, { in: value })).outputs.o, value)
    })
  })
}
