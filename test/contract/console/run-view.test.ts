import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ended, graph, started } from '../../journeys/runs/setting.ts'
import { type Body, P } from '../../support/server.ts'
import { addWorkflow, at, dataOf, onBothDatabases, refusedAs } from './setting.ts'

const model = 'demo-text'

const inner = graph(
  [
    { id: 'word', type: 'input.text' },
    { id: 'ask', type: 'text.template', data: { template: 'Say {{word}}' } },
    { id: 'write', type: 'text.generate', data: { model, maxTokens: 5 } },
    { id: 'done', type: 'output' },
  ],
  ['word -> ask.word', 'ask -> write.prompt', 'write -> done'],
)

const outer = (workflowId: number) =>
  graph(
    [
      { id: 'words', type: 'input.json' },
      { id: 'title', type: 'input.text', data: { required: false, default: 'list' } },
      {
        id: 'each',
        type: 'flow.map',
        data: { apply: { type: 'workflow.call', data: { workflowId }, outputPort: 'done' } },
      },
      { id: 'once', type: 'workflow.call', data: { workflowId } },
      { id: 'out', type: 'output' },
    ],
    ['words -> each.items', 'title -> once.word', 'each -> out'],
  )

onBothDatabases('looking at a run', (on) => {
  const caller = () => ({ call: on.api })

  async function ranOuter(words: unknown): Promise<{ runId: string; workflowId: number }> {
    const workflowId = await addWorkflow(on, outer(await addWorkflow(on, inner, 'inner')), 'outer')
    const runId = await started(caller(), workflowId, { inputs: { words } })
    await ended(caller(), runId)
    return { runId, workflowId }
  }

  test('it shows the graph that ran, its inputs, its calls and what was expected of it', async () => {
    const { runId, workflowId } = await ranOuter(['a', 'b'])
    const json = { data: graph([{ id: 'other', type: 'input.text' }]) }
    await on.api({ method: 'PUT', path: `${P}/workflows/${workflowId}`, json })
    const view = await dataOf(on.owner, `/runs/${runId}/view`)
    assert.equal(view.run.status, 'COMPLETED')
    assert.deepEqual(ids(view.graph.nodes), ['words', 'title', 'each', 'once', 'out'])
    assert.deepEqual(view.inputs, { words: ['a', 'b'] })
    assert.equal(view.called.length, 1)
    assert.deepEqual(view.called[0].graph, inner)
    assert.equal(view.outputs.out.length, 2)
    assert.deepEqual(
      view.nodes.map((node: Body) => [node.nodeId, node.status]),
      ids(view.graph.nodes).map((id) => [id, 'COMPLETED']),
    )
    assert.deepEqual(view.calls.map((call: Body) => call.path).sort(), [
      'each[0]/write#0',
      'each[1]/write#0',
      'once/write#0',
    ])
    const inputsOf = ({ ports }: Body, id: string) => ids(ports[id].inputs, 'name')
    assert.deepEqual(inputsOf(view, 'once'), ['word'])
    const renamed = { data: graph([{ id: 'other', type: 'input.text' }]) }
    const path = `${P}/workflows/${view.called[0].workflowId}`
    await on.api({ method: 'PUT', path, json: renamed })
    const later = await dataOf(on.owner, `/runs/${runId}/view`)
    assert.deepEqual(inputsOf(later, 'once'), ['word'], 'as it was when the run was accepted')
    assert.equal(view.estimate.nodeEstimates.length, 5)
    assert.equal(view.run.estimatedCost, view.estimate.estimatedCost)
    const listed = await dataOf(on.owner, `/runs?q=${runId}`)
    assert.equal(listed.items[0].estimatedCost, view.estimate.estimatedCost)
  })

  test('the beginnings of all results come in one answer, with a digest that equal values share', async () => {
    const { runId } = await ranOuter(['a', 'b'])
    const { items } = await dataOf(on.owner, `/runs/${runId}/previews`)
    const of = new Map<string, Body>(items.map((item: Body) => [item.nodeId, item.outputs]))
    assert.deepEqual([...of.keys()].sort(), ['each', 'once', 'out', 'title', 'words'])
    assert.equal(of.get('title')?.[0].text, 'list')
    assert.deepEqual([of.get('words')?.[0].kind, of.get('words')?.[0].count], ['list', 2])
    assert.deepEqual([of.get('each')?.[0].kind, of.get('each')?.[0].count], ['list', 2])
    assert.equal(of.get('each')?.[0].digest, of.get('out')?.[0].digest)
    assert.notEqual(of.get('each')?.[0].digest, of.get('title')?.[0].digest)
  })

  test('with the revision seen before, only what changed since is sent', async () => {
    const { runId } = await ranOuter(['a'])
    const whole = await dataOf(on.owner, `/runs/${runId}/view`)
    const since = await dataOf(on.owner, `/runs/${runId}/view?since=${whole.rev}`)
    assert.deepEqual(since.nodes, [])
    for (const member of ['graph', 'called', 'inputs', 'outputs', 'estimate']) {
      assert.ok(!(member in since), member)
    }
    assert.equal(since.run.status, 'COMPLETED')
    assert.equal(since.run.estimatedCost, whole.run.estimatedCost)
    for (const odd of ['x', '9.9.9', '3.abc.AAAA', `${whole.rev}AAAA`]) {
      const answer = await dataOf(on.owner, `/runs/${runId}/view?since=${encodeURIComponent(odd)}`)
      assert.ok(answer.graph, odd)
    }
  })

  test('whoever polls with revisions ends up with what a single look shows', async () => {
    const data = graph(
      [
        { id: 'draw', type: 'image.generate', data: { model: 'demo-image', prompt: 'a boat' } },
        { id: 'out', type: 'output' },
      ],
      ['draw -> out'],
    )
    const runId = await started(caller(), await addWorkflow(on, data))
    const nodes = new Map<string, Body>()
    const calls = new Map<string, Body>()
    let last = await dataOf(on.owner, `/runs/${runId}/view`)
    let outputs = last.outputs
    for (;;) {
      for (const node of last.nodes) nodes.set(node.nodeId, node)
      for (const call of last.calls) calls.set(call.path, call)
      outputs = last.outputs ?? outputs
      if (last.run.completedAt !== null) break
      last = await dataOf(on.owner, `/runs/${runId}/view?since=${last.rev}`)
    }
    const whole = await dataOf(on.owner, `/runs/${runId}/view`)
    assert.deepEqual([...nodes.values()], whole.nodes)
    assert.deepEqual([...calls.values()], whole.calls)
    assert.deepEqual(outputs, whole.outputs)
  })

  test('an unchanged view is not sent again', async () => {
    const { runId } = await ranOuter(['a'])
    const first = await at(on.owner, `/runs/${runId}/view`)
    const headers = { 'if-none-match': String(first.headers.etag) }
    const second = await at(on.owner, `/runs/${runId}/view`, { headers })
    assert.deepEqual([second.status, second.text], [304, ''])
  })

  test('items of a list and nodes of called workflows can be looked into', async () => {
    const { runId } = await ranOuter(['a', 'b'])
    const read = (path: string) =>
      dataOf(on.owner, `/runs/${runId}/node?path=${encodeURIComponent(path)}`)
    const each = await read('each')
    assert.deepEqual(
      each.children.map((child: Body) => [child.path, child.type, child.status]),
      [
        ['each[0]', 'workflow.call', 'COMPLETED'],
        ['each[1]', 'workflow.call', 'COMPLETED'],
      ],
    )
    assert.deepEqual(each.inputs, { items: ['a', 'b'] })
    assert.equal(each.outputs.results.length, 2)
    assert.equal(each.calls.length, 2)
    const item = await read('each[1]')
    assert.deepEqual(item.inputs, { word: 'b' })
    assert.deepEqual(
      item.children.map((child: Body) => child.path),
      ['each[1]/word', 'each[1]/ask', 'each[1]/write', 'each[1]/done'],
    )
    const ask = await read('each[1]/ask')
    assert.deepEqual([ask.inputs, ask.outputs], [{ word: 'b' }, { text: 'Say b' }])
    const write = await read('once/write')
    assert.deepEqual(write.inputs, { prompt: 'Say list' })
    assert.equal(typeof write.outputs.text, 'string')
    assert.equal(write.attempts, 1)
    assert.ok(write.startedAt <= write.completedAt)
    const once = await read('once')
    assert.equal(once.status, 'COMPLETED')
    assert.equal(once.outputs.done, write.outputs.text)
  })

  test('a failure is found at its place inside, and the run says so', async () => {
    const failing = graph(
      [
        { id: 'list', type: 'input.json' },
        {
          id: 'each',
          type: 'flow.map',
          data: { apply: { type: 'json.transform', data: { expression: '$error("no")' } } },
        },
      ],
      ['list -> each.items'],
    )
    const runId = await started(caller(), await addWorkflow(on, failing), { inputs: { list: [1] } })
    await ended(caller(), runId)
    const each = await dataOf(on.owner, `/runs/${runId}/node?path=each`)
    assert.deepEqual([each.status, each.error.code], ['FAILED', 'EXPRESSION_ERROR'])
    assert.deepEqual(
      each.children.map((child: Body) => [child.path, child.status, child.error.code]),
      [['each[0]', 'FAILED', 'EXPRESSION_ERROR']],
    )
    const item = await dataOf(on.owner, `/runs/${runId}/node?path=each%5B0%5D`)
    assert.deepEqual([item.inputs, item.outputs], [{ input: 1 }, null])
    const failed = await dataOf(on.owner, '/runs?status=FAILED')
    assert.deepEqual(ids(failed.items, 'runId'), [runId])
  })

  test('what is not in the run is not found', async () => {
    const { runId } = await ranOuter(['a'])
    for (const path of [
      'none',
      'each/write',
      'once[0]',
      'once/none',
      'each[0]/ask/x',
      '/',
      'each[',
    ]) {
      const answer = await at(on.owner, `/runs/${runId}/node?path=${encodeURIComponent(path)}`)
      refusedAs(answer, 404, 'NODE_NOT_FOUND')
    }
    refusedAs(await at(on.owner, `/runs/${runId}/node`), 400, 'INVALID_REQUEST')
  })

  test('a stranger sees no run of mine, by no way', async () => {
    const { runId, workflowId } = await ranOuter(['a'])
    const own = ['view', 'node?path=each', 'previews'].map((end) => `/runs/${runId}/${end}`)
    for (const path of own) {
      refusedAs(await at(on.stranger, path), 404, 'RUN_NOT_FOUND')
    }
    for (const query of ['', `?q=${runId}`, `?workflowId=${workflowId}`]) {
      assert.deepEqual((await dataOf(on.stranger, `/runs${query}`)).items, [])
    }
  })

  test('runs are listed across workflows, by cursor, and cursors are for their own list', async () => {
    const { items, next } = await dataOf(on.owner, '/runs?size=2')
    assert.equal(items.length, 2)
    const following = await dataOf(on.owner, `/runs?size=2&cursor=${next}`)
    assert.ok(following.items[0].createdAt <= items[1].createdAt)
    refusedAs(
      await at(on.owner, `/runs?size=2&status=FAILED&cursor=${next}`),
      400,
      'INVALID_REQUEST',
    )
    refusedAs(await at(on.stranger, `/runs?size=2&cursor=${next}`), 400, 'INVALID_REQUEST')
    for (const query of ['status=DONE', 'size=0', 'from=yesterday', 'workflowId=x', 'cursor=x']) {
      refusedAs(await at(on.owner, `/runs?${query}`), 400, 'INVALID_REQUEST')
    }
    refusedAs(await at(on.owner, '/runs/1/view'), 400, 'INVALID_REQUEST')
  })
})

const ids = (list: Body[], key = 'id'): string[] => list.map((item) => item[key])
