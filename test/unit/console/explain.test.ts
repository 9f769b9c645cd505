import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainGraph, needsOf } from '#console/canvas/explain.ts'
import type { Graph } from '#console/canvas/graph.ts'
import type { NodeTypes } from '#console/canvas/node-types.ts'
import { pictureAsNode, textAsNode } from '#console/canvas/paste-as-node.ts'

const types = {
  portTypes: [],
  accepts: {},
  items: [
    { type: 'text.generate', label: 'Generate text' },
    { type: 'wait.delay', label: 'Delay', help: 'Waits for a time.' },
  ],
} as unknown as NodeTypes

const node = (id: string, type: string, data: object = {}) => ({
  id,
  type,
  data: { label: id[0]?.toUpperCase() + id.slice(1), ...data },
})

const graph: Graph = {
  nodes: [
    node('out', 'output'),
    node('pause', 'wait.delay'),
    node('topics', 'input.json', { default: ['tides'] }),
    node('each', 'flow.map', { apply: { type: 'text.generate', data: {} } }),
    node('again', 'flow.repeat', { apply: { type: 'text.generate' }, until: 'index = 2' }),
    node('many', 'flow.condition', { expression: '$count($) > 1' }),
    node('draw', 'image.generate', { model: 'demo-image' }),
  ],
  connections: [
    { source: 'topics', target: 'each' },
    { source: 'each', target: 'many' },
    { source: 'topics', target: 'again' },
    { source: 'many', sourceHandle: 'true', target: 'draw', targetHandle: 'prompt' },
    { source: 'draw', target: 'out' },
    { source: 'each', target: 'out' },
  ],
}

test('a graph is told in the order it runs, with the names that people gave', () => {
  const { steps } = explainGraph(graph, types)
  assert.deepEqual(Object.fromEntries(steps.map(({ title, text }) => [title, text])), {
    Pause: 'Waits for a time.',
    Topics: 'Is given when a run starts, or is “["tides"]”.',
    Each: 'Does “Generate text” for every item of Topics.',
    Again: 'Does “Generate text” again and again, first with Topics, until “index = 2” is true.',
    Many: 'Decides by “$count($) > 1” which way Each goes on.',
    Draw: 'Makes a picture with “demo-image” from Many. Only if “true” is chosen.',
    Out: 'Gives Draw and Each as a result, under the name “out”.',
  })
  assert.equal(steps.at(-1)?.title, 'Out')
  assert.deepEqual(needsOf(graph), ['a text model', 'an image model'])
})

test('what is on the clipboard becomes the node that fits it', () => {
  const typeAndData = (text: string) => {
    const { nodes } = JSON.parse(textAsNode(text) ?? '{"nodes":[]}')
    return nodes[0] && [nodes[0].type, nodes[0].data]
  }
  const picture = 'https://x.example/a%20b.PNG?size=2'
  assert.deepEqual(typeAndData(picture), ['input.image', { default: picture }])
  const film = 'https://x.example/film.mp4'
  assert.deepEqual(typeAndData(film), ['input.video', { default: film }])
  const other = 'https://x.example/items'
  assert.deepEqual(typeAndData(` ${other}\n`), ['http.request', { url: other }])
  assert.deepEqual(typeAndData('{"a": 1}'), ['input.json', { default: { a: 1 } }])
  assert.deepEqual(typeAndData('{not json'), ['input.text', { default: '{not json' }])
  assert.deepEqual(typeAndData('42'), ['input.text', { default: '42' }])
  assert.equal(textAsNode('   '), null)
  assert.equal(textAsNode('x'.repeat(30_000)), null)
  assert.match(pictureAsNode('data:image/png;base64,AA=='), /"input\.image"/)
})
