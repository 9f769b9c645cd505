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
