import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { seededRandom } from '../../simulation/random.ts'
import { databases } from '../../support/databases.ts'
import { type Body, P } from '../../support/server.ts'
import { startHost } from '../generation/host.ts'
import { type Bench, eventually, openBench, testModels } from '../generation/setting.ts'
import { proveReuse } from './reuse-graphs.ts'
import { addWorkflow, ended, graph, started, until } from './setting.ts'

const text = (id: string, data: object = {}) => ({
  id,
  type: 'text.generate',
  data: { model: 'test/text', ...data },
})
const image = (id: string, data: object = {}) => ({
  id,
  type: 'image.generate',
  data: { model: 'fal/flux-schnell', ...data },
})

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
      usage: { prompt_tokens: 1000, completion_tokens: 1000, total_tokens: 2000 },
    },
  }) as const

const calls = ({ doubles }: Bench) =>
  (doubles.openai?.counts.chat ?? 0) + (doubles.fal?.counts.submit ?? 0)

const nodeOf = (run: Body, id: string): Body => run.nodes.find(({ nodeId }: Body) => nodeId === id)

async function runs(bench: Bench, workflowId: number, body: object = {}): Promise<Body> {
  const run = await ended(bench, await started(bench, workflowId, { reuse: 'exact', ...body }))
  return run
}

async function estimated(bench: Bench, workflowId: number, body: object): Promise<Body> {
  const path = `${P}/workflows/${workflowId}/estimate`
  const json = { reuse: 'exact', ...body }
  const answer = await bench.call({ method: 'POST', path, json })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

async function put(bench: Bench, workflowId: number, data: object) {
  const path = `${P}/workflows/${workflowId}`
  assert.equal((await bench.call({ method: 'PUT', path, json: { data } })).status, 200)
}

/** topic -> draft -> picture -> seen, and draft -> title. */
const story = (titlePrompt: string) =>
  graph(
    [
      { id: 'topic', type: 'input.text' },
      text('draft'),
      image('picture'),
      text('seen', { prompt: 'What is it?' }),
      text('title', { system: titlePrompt }),
    ],
    [
      'topic -> draft.prompt',
      'draft -> picture.prompt',
      'picture -> seen.image',
      'draft -> title.prompt',
    ],
  )

for (const { name: database } of databases) {
  describe(`reuse on ${database}`, () => {
    test('an unchanged workflow costs nothing, and an edit what it changes', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai', 'fal'], models: testModels })
      bench.doubles.openai.always('chat', says('A story.'))
      const inputs = { topic: 'tea' }
      const workflowId = await addWorkflow(bench, story('Short.'))
      const first = await ended(bench, await started(bench, workflowId, { inputs }))
      assert.equal(first.status, 'COMPLETED', JSON.stringify(first.nodeErrors))
      assert.equal(calls(bench), 4)
      assert.equal(first.savedCost, undefined)

      const estimate = await estimated(bench, workflowId, { inputs })
      assert.deepEqual(estimate.reusableNodes, ['draft', 'picture', 'seen', 'title'])
      assert.equal(estimate.highCost, 0)
      assert.equal(estimate.savedCost, first.cost.amount)
      assert.equal(estimate.exact, true)

      const again = await runs(bench, workflowId, { inputs })
      assert.equal(again.status, 'COMPLETED', JSON.stringify(again.nodeErrors))
      assert.equal(calls(bench), 4)
      assert.equal(again.cost.amount, 0)
      assert.equal(again.savedCost.amount, first.cost.amount)
      const draft = nodeOf(again, 'draft')
      assert.deepEqual([draft.status, draft.cost.amount], ['COMPLETED', 0])
      assert.equal(draft.savedCost.amount, nodeOf(first, 'draft').cost.amount)
      assert.deepEqual(
        { runId: draft.reusedFrom.runId, nodeId: draft.reusedFrom.nodeId },
        { runId: first.runId, nodeId: 'draft' },
      )
      // The picture is a record of its own, with the same bytes.
      const [one, other] = await Promise.all(
        [first, again].map(async ({ runId }) => {
          const node = await bench.call(`${P}/workflow-runs/${runId}/nodes/picture`)
          return node.body.data.outputs.image.url as string
        }),
      )
      assert.notEqual(one?.split('?')[0], other?.split('?')[0])

      // Behind a node that runs again, nothing is known: it costs at least nothing.
      const changed = await estimated(bench, workflowId, { inputs: { topic: 'milk' } })
      assert.deepEqual(changed.reusableNodes, [])
      const lowest = Object.fromEntries(
        changed.nodeEstimates.map(({ nodeId, lowCost, highCost }: Body) => [
          nodeId,
          [lowCost > 0, highCost > 0],
        ]),
      )
      assert.deepEqual(lowest.draft, [true, true])
      assert.deepEqual(lowest.title, [false, true])

      await put(bench, workflowId, story('Very short.'))
      const partly = await estimated(bench, workflowId, { inputs })
      assert.deepEqual(partly.reusableNodes, ['draft', 'picture', 'seen'])
      const edited = await runs(bench, workflowId, { inputs })
      assert.equal(calls(bench), 5)
      assert.equal(nodeOf(edited, 'title').reusedFrom, undefined)
      assert.equal(edited.cost.amount, nodeOf(edited, 'title').cost.amount)

      const without = { inputs, reuse: 'none', targets: ['title'] }
      assert.equal((await runs(bench, workflowId, without)).status, 'COMPLETED')
      assert.equal(calls(bench), 7)
    })

    test('random graphs ask nothing twice, and after an edit only what it changes', async (t) => {
      const random = seededRandom(Date.now() % 2 ** 31)
      const tally = await proveReuse(t, { database, graphs: 8, random })
      assert.ok(tally.reused > 0)
    })

    test('equal items stay as many answers, and each item keeps its own', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models: testModels })
      bench.doubles.openai.script('chat', ...['1', '2', '3', '4', '5', '6'].map(says))
      const inner = await addWorkflow(
        bench,
        graph(
          [
            { id: 'in', type: 'input.text' },
            text('t', { prompt: 'the same' }),
            { id: 'out', type: 'output' },
          ],
          ['t -> out'],
        ),
      )
      const each = (apply: object) => ({ type: 'flow.map', data: { apply, concurrency: 1 } })
      const workflowId = await addWorkflow(
        bench,
        graph(
          [
            { id: 'list', type: 'input.json' },
            { id: 'direct', ...each({ type: 'text.generate', data: { model: 'test/text' } }) },
            { id: 'called', ...each({ type: 'workflow.call', data: { workflowId: inner } }) },
          ],
          ['list -> direct.items', 'list -> called.items'],
        ),
      )
      const inputs = { list: ['a', 'b', 'a'] }
      const first = await runs(bench, workflowId, { inputs })
      assert.equal(first.status, 'COMPLETED', JSON.stringify(first.nodeErrors))
      assert.equal(calls(bench), 6)
      const again = await runs(bench, workflowId, { inputs })
      assert.equal(calls(bench), 6)
      assert.deepEqual(again.outputs, first.outputs)
      assert.equal(new Set(again.outputs.direct).size, 3)
      assert.equal(new Set(again.outputs.called).size, 3)
    })

    test('an answer that its node could not use, or that failed, is asked for again', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models: testModels })
      const node = text('a', { prompt: 'JSON', responseFormat: 'json' })
      const workflowId = await addWorkflow(bench, graph([node]))
      bench.doubles.openai.script('chat', says('Sure!'), says('{"n":1}'))
      const failed = await runs(bench, workflowId)
      assert.equal(failed.nodeErrors[0].code, 'TYPE_MISMATCH')
      const fine = await runs(bench, workflowId)
      assert.equal(fine.status, 'COMPLETED')
      assert.equal(calls(bench), 2)
      assert.equal((await runs(bench, workflowId)).cost.amount, 0)
      assert.equal(calls(bench), 2)
    })

    test('an answer that its node could not use is nobody’s, also while its run goes on', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai', 'fal'], models: testModels })
      const { openai, fal } = bench.doubles
      const nodes = [text('a', { prompt: 'JSON', responseFormat: 'json' }), image('p')]
      const drawn = graph([{ id: 'cat', type: 'input.text' }, ...nodes], ['cat -> p.prompt'])
      const workflowId = await addWorkflow(bench, drawn)
      openai.script('chat', { do: 'hold' }, says('{"n":1}'))
      fal.script('submit', { do: 'hold' })
      const runId = await started(bench, workflowId, { inputs: { cat: 'cat' } })
      await Promise.all([fal.arrived('submit', 1), openai.arrived('chat', 1)])
      openai.release()
      await until(bench, runId, (run) => nodeOf(run, 'a').status === 'FAILED')
      assert.deepEqual((await estimated(bench, workflowId, {})).reusableNodes, [])
      const targets = ['a']
      assert.equal((await runs(bench, workflowId, { targets })).status, 'COMPLETED')
      await bench.call({ method: 'POST', path: `${P}/workflow-runs/${runId}/cancel`, json: {} })
      fal.release()
      await ended(bench, runId)
      assert.equal(openai.counts.chat, 2)
    })

    test('nor is one that a request got, as soon as the failure of its node is stored', async (t) => {
      const env = { OUTBOUND_ALLOW: '127.0.0.1/32' }
      const bench = await openBench(t, { database, doubles: ['fal'], env })
      const { fal } = bench.doubles
      const host = await startHost(t, async (_, response) => {
        await fal.arrived('submit', 1)
        response.end('no JSON')
      })
      const reuse = { maxAgeSeconds: 3600 }
      const get = (responseType: string) => ({
        ...{ id: 'get', type: 'http.request' },
        data: { method: 'GET', url: host.url, responseType, reuse },
      })
      const inputs = { cat: 'cat' }
      const cat = [{ id: 'cat', type: 'input.text' }, image('p')]
      const drawn = (as: string) => graph([...cat, get(as)], ['cat -> p.prompt'])
      const workflowId = await addWorkflow(bench, drawn('json'))
      fal.script('submit', { do: 'hold' })
      const runId = await started(bench, workflowId, { inputs })
      await fal.arrived('submit', 1)
      await until(bench, runId, ({ nodeErrors }) => nodeErrors?.length > 0)
      const targets = ['get']
      assert.equal((await runs(bench, workflowId, { targets })).status, 'FAILED')
      assert.equal(host.requests.length, 2)
      fal.release()
      await ended(bench, runId)
      // Whoever can use such an answer keeps it, and to others an estimate does not promise it.
      const asText = await addWorkflow(bench, drawn('text'))
      await runs(bench, asText, { targets })
      assert.equal((await runs(bench, asText, { targets })).status, 'COMPLETED')
      assert.equal(host.requests.length, 3)
      assert.deepEqual((await estimated(bench, workflowId, { targets })).reusableNodes, [])
      assert.deepEqual((await estimated(bench, asText, { targets })).reusableNodes, ['get'])
    })

    test('nor is one that a list went on without, if its run is cancelled while it sleeps', async (t) => {
      const env = { OUTBOUND_ALLOW: '127.0.0.1/32' }
      const bench = await openBench(t, { database, doubles: [], env })
      const host = await startHost(t, (_, response) => void response.end('no JSON'))
      const get = {
        type: 'http.request',
        data: {
          method: 'GET',
          url: host.url,
          responseType: 'json',
          reuse: { maxAgeSeconds: 3600 },
        },
      }
      const each = { type: 'flow.map', data: { apply: get, onItemError: 'collect' } }
      const nodes = [
        { id: 'items', type: 'input.json', data: { default: ['x'] } },
        { id: 'each', ...each },
        { id: 'ask', type: 'wait.approval', data: { title: 'Publish?' } },
      ]
      const wired = ['items -> each.items', 'each.results -> ask.value']
      const workflowId = await addWorkflow(bench, graph(nodes, wired))
      const asleep = 'select 1 from runs where id = $1 and wake_at is not null'
      for (const sent of [1, 2]) {
        const runId = await started(bench, workflowId, { reuse: 'exact' })
        await eventually(
          () => bench.db.query(asleep, [runId]),
          (rows) => rows.length > 0,
        )
        assert.equal(host.requests.length, sent)
        const path = `${P}/workflow-runs/${runId}/cancel`
        const { body } = await bench.call({ method: 'POST', path, json: {} })
        assert.equal(body.data.status, 'CANCELLED')
      }
    })

    test('a node says that it takes no part, or how old an answer may be', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models: testModels })
      const data = (reuse: unknown) => graph([text('a', { prompt: 'x', reuse })])
      const workflowId = await addWorkflow(bench, data(false))
      for (const _ of [1, 2]) assert.equal((await runs(bench, workflowId)).status, 'COMPLETED')
      assert.equal(calls(bench), 2)
      await put(bench, workflowId, data({ maxAgeSeconds: 3600 }))
      await runs(bench, workflowId)
      assert.equal(calls(bench), 2)
      bench.clock.advance(3_600_001)
      await runs(bench, workflowId)
      assert.equal(calls(bench), 3)
      const path = `${P}/workflows/${workflowId}`
      const json = { data: data({ maxAgeSeconds: 0 }) }
      assert.equal((await bench.call({ method: 'PUT', path, json })).status, 422)
    })

    test('what a node says about reuse holds for all that is called in it', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models: testModels })
      const inner = await addWorkflow(bench, graph([text('t', { prompt: 'x' })]))
      const apply = { type: 'text.generate', data: { model: 'test/text' } }
      const made = (reuse?: unknown) =>
        graph(
          [
            { id: 'in', type: 'input.text', data: { default: 'y' } },
            { id: 'call', type: 'workflow.call', data: { workflowId: inner, reuse } },
            { id: 'loop', type: 'flow.repeat', data: { apply, until: 'index >= 1', reuse } },
          ],
          ['in -> loop.value'],
        )
      const workflowId = await addWorkflow(bench, made())
      await runs(bench, workflowId)
      const paid = calls(bench)
      const all = ['call', 'loop']
      for (const [reuse, isAsked] of [
        [false, true],
        [undefined, false],
        [{ maxAgeSeconds: 3600 }, false],
      ] as const) {
        await put(bench, workflowId, made(reuse))
        const { reusableNodes } = await estimated(bench, workflowId, {})
        assert.deepEqual(reusableNodes, isAsked ? [] : all)
        const before = calls(bench)
        assert.equal((await runs(bench, workflowId)).status, 'COMPLETED')
        assert.equal(calls(bench) - before, isAsked ? paid : 0)
      }
      bench.clock.advance(3_600_001)
      assert.deepEqual((await estimated(bench, workflowId, {})).reusableNodes, [])
      const before = calls(bench)
      await runs(bench, workflowId)
      assert.equal(calls(bench) - before, paid)
    })

    test('a workflow stores its default, a retry keeps it and first takes its own calls', async (t) => {
      const bench = await openBench(t, { database, doubles: ['openai'], models: testModels })
      const nodes = [text('a', { prompt: 'a' }), text('b', { prompt: 'b' })]
      const data = { ...graph(nodes, ['a -> b.system']), reuse: 'exact' }
      const workflowId = await addWorkflow(bench, data)
      bench.doubles.openai.script('chat', { do: 'answer' }, { do: 'refuse', status: 400 })
      const failed = await runs(bench, workflowId, { reuse: undefined })
      assert.equal(failed.reuse, 'exact')
      assert.equal(failed.status, 'FAILED')
      const retry = await bench.call({
        method: 'POST',
        path: `${P}/workflow-runs/${failed.runId}/retry`,
        headers: { 'idempotency-key': randomUUID() },
        json: {},
      })
      const again = await ended(bench, retry.body.data.runId)
      assert.equal(again.status, 'COMPLETED')
      assert.equal(calls(bench), 3)
      // Its own call, not a reused one: nothing was saved.
      assert.equal(again.savedCost.amount, 0)
    })
  })
}
