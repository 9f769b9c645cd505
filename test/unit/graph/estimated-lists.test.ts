// Bounds of estimates around lists, passes and called workflows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { estimate, framed } from './estimate.ts'
import { graph, node, wire } from './graphs.ts'

test('a list whose items may be left out may be empty in lowCost', async () => {
  const { of } = await estimate(
    graph(
      [
        node('urls', 'input.json'),
        node('read', 'flow.map', {
          apply: { type: 'http.request', data: { url: 'https://example.com/{{item}}' } },
          onItemError: 'skip',
        }),
        node('paint', 'flow.map', {
          apply: { type: 'image.generate', data: { model: 'image' } },
        }),
        node('o', 'output'),
      ],
      [wire('urls', 'read.items'), wire('read.results', 'paint.items'), wire('paint', 'o')],
    ),
    { urls: ['a', 'b'] },
  )
  const { lowCost, estimatedCost, highCost, exact } = of('paint')
  assert.deepEqual([lowCost, estimatedCost, highCost, exact], [0, 0.08, 0.08, false])
})

test('items that may fail cost nothing in lowCost, and their places stay in a list that collects', async () => {
  const { of, assumptions } = await estimate(
    graph(
      [
        node('items', 'input.json'),
        node('paint', 'flow.map', {
          apply: { type: 'image.generate', data: { model: 'image' } },
          onItemError: 'collect',
        }),
        node('film', 'flow.map', {
          apply: { type: 'video.generate', data: { model: 'video', videoSeconds: 3 } },
        }),
        node('o', 'output'),
      ],
      [wire('items', 'paint.items'), wire('paint.results', 'film.items'), wire('film', 'o')],
    ),
    // The run is COMPLETED: the second item fails before anything is sent.
    { items: ['a cat', ' '] },
  )
  const { lowCost, estimatedCost, highCost, exact } = of('paint')
  assert.deepEqual([lowCost, estimatedCost, highCost, exact], [0, 0.08, 0.08, false])
  assert.equal(of('film').lowCost, 0.6)
  assert.match(assumptions.join(), /Items may fail/)
})

test('null for an input of a called workflow counts as its default, as in a run', async () => {
  const inner = graph(
    [
      node('style', 'input.text', { default: 'word '.repeat(500) }),
      node('write', 'text.generate', { model: 'text', maxTokens: 10 }),
      node('o', 'output'),
    ],
    [wire('style', 'write.prompt'), wire('write', 'o')],
  )
  const outer = graph(
    [
      node('style', 'input.text', { required: false }),
      node('call', 'workflow.call', { workflowId: 7 }),
      node('o', 'output'),
    ],
    [wire('style', 'call.style'), wire('call.o', 'o')],
  )
  const { of } = await estimate(outer, {}, { stored: { 7: inner } })
  assert.equal(of('call').units.inputTokens, 500 + framed)
})

test('the list of all passes may be as long as its one answer', async () => {
  const { of } = await estimate(
    graph(
      [
        node('topic', 'input.text'),
        node('again', 'flow.repeat', {
          apply: { type: 'text.generate', data: { model: 'text', maxTokens: 60_000 } },
          until: 'true',
          maxIterations: 1,
        }),
        node('sum', 'text.generate', { model: 'text', maxTokens: 1 }),
        node('o', 'output'),
      ],
      [wire('topic', 'again.value'), wire('again.iterations', 'sum.prompt'), wire('sum', 'o')],
    ),
    { topic: 'cats' },
  )
  // Its prompt has the whole answer, in JSON.
  const { highCost } = of('sum')
  assert.ok(highCost !== null && highCost >= (60_000 * 2) / 1e6, `${highCost}`)
})

test('an answer that is found for one item of an unknown list says nothing about the others', async () => {
  const inner = graph(
    [
      node('item', 'input.text'),
      node('paint', 'image.generate', { model: 'image', prompt: 'the same for each' }),
      node('o', 'output'),
    ],
    [wire('paint', 'o')],
  )
  const apply = { type: 'workflow.call', data: { workflowId: 5 } }
  let asked = 0
  const { of } = await estimate(
    graph(
      [node('list', 'input.json'), node('each', 'flow.map', { apply }), node('o', 'output')],
      [wire('list', 'each.items'), wire('each', 'o')],
    ),
    {},
    {
      stored: { 5: inner },
      find: async () => (asked++ === 0 ? { value: [{ url: 'u' }], savedMicros: 40_000 } : null),
    },
  )
  // 10 items are assumed, and 50 at the most.
  const { lowCost, estimatedCost, highCost, exact } = of('each')
  assert.deepEqual([lowCost, estimatedCost, highCost, exact], [0, 0.4, 2, false])
})

test('the items of a list that is too long to look at each may all be found', async () => {
  const apply = { type: 'image.generate', data: { model: 'image' } }
  const each = (id: string) => node(id, 'flow.map', { apply, maxItems: 10_000 })
  const items = Array.from({ length: 10_000 }, (_, i) => `picture ${i}`)
  const { of } = await estimate(
    graph(
      [node('list', 'input.json'), each('one'), each('two'), node('o', 'output')],
      [wire('list', 'one.items'), wire('list', 'two.items'), wire('one', 'o')],
    ),
    { list: items },
    { find: async () => ({ value: [{ url: 'u' }], savedMicros: 40_000 }) },
  )
  const costs = (id: string) => [of(id).lowCost, of(id).highCost]
  assert.deepEqual(
    [costs('one'), costs('two')],
    [
      [0, 0],
      [0, 400],
    ],
  )
})

test('calls of a workflow that are not looked at each may find answers, or not', async () => {
  const inner = graph(
    [node('item', 'input.text'), node('paint', 'image.generate', { model: 'image' })],
    [wire('item', 'paint.prompt')],
  )
  const apply = { type: 'workflow.call', data: { workflowId: 5 } }
  let found = 0
  const { of, assumptions } = await estimate(
    graph(
      [node('list', 'input.json'), node('each', 'flow.map', { apply, maxItems: 10_000 })],
      [wire('list', 'each.items')],
    ),
    { list: Array.from({ length: 6_000 }, (_, i) => `picture ${i}`) },
    {
      stored: { 5: inner },
      async find() {
        found++
        return { value: [{ url: 'u' }], savedMicros: 40_000 }
      },
    },
  )
  const { lowCost, highCost, exact } = of('each')
  assert.match(assumptions.join(), /Further calls of workflow 5/)
  assert.deepEqual([lowCost, highCost, exact], [0, (6_000 - found) * 0.04, false])
})

test('passes of a loop that are not looked at each may find answers, or not', async () => {
  const apply = { type: 'text.template', data: { template: '{{item}}' } }
  const write = { type: 'text.generate', data: { model: 'text', maxTokens: 1_000 } }
  let found = 0
  const { of } = await estimate(
    graph(
      [
        node('list', 'input.json'),
        node('topic', 'input.text'),
        node('each', 'flow.map', { apply, maxItems: 10_000 }),
        node('every', 'flow.map', { apply, maxItems: 10_000 }),
        node('again', 'flow.repeat', { apply: write, until: 'u', maxIterations: 100 }),
      ],
      [wire('list', 'each.items'), wire('list', 'every.items'), wire('topic', 'again.value')],
    ),
    // They leave room for some 40 more looks in one estimate.
    { list: Array.from({ length: 5_980 }, (_, i) => `${i}`), topic: 'cats' },
    {
      async find() {
        found++
        return { value: 'more cats', savedMicros: 2_000 }
      },
      evaluate: async () => ({ value: false }),
    },
  )
  const { lowCost, highCost, exact } = of('again')
  assert.ok(found > 0 && found < 50, String(found))
  // Each may be given 1,000 tokens at 2 per million, and answer with as many at 10.
  const most = (100 - found) * 0.012
  assert.ok(highCost !== null && highCost >= most, String(highCost))
  assert.deepEqual([lowCost, exact], [0, false])
})
