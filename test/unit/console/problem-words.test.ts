// The server's own messages about broken graphs, as people read them on the canvas.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Graph } from '#console/canvas/graph.ts'
import type { NodeTypes } from '#console/canvas/node-types.ts'
import { placeProblems } from '#console/canvas/problems.ts'
import { palette } from '#graph/types/palette.ts'
import { graph, node, validate, wire } from '../graph/graphs.ts'

const types = palette as unknown as NodeTypes

async function wordsOf(data: { nodes: unknown[]; connections: unknown[] }): Promise<string[]> {
  const { validation } = await validate(data)
  return placeProblems(data as Graph, validation, types).map(({ words }) => words)
}

const named = (id: string, type: string, data = {}) => node(id, type, { label: 'Writer', ...data })
const said = node('in', 'input.text')
const out = node('out', 'output', { value: 1 })

const cases: [name: string, data: { nodes: unknown[]; connections: unknown[] }, words: string][] = [
  [
    'an empty port',
    graph([named('x', 'text.generate', { model: 'text' }), out]),
    '“prompt” is empty. Connect a wire to it, or set a value.',
  ],
  [
    'a model that was not chosen',
    graph([said, named('x', 'text.generate')], [wire('in.value', 'x.prompt')]),
    'Choose a model.',
  ],
  [
    'a template without text',
    graph([named('x', 'text.template', { template: undefined }), out]),
    '“Template” must be a string.',
  ],
  [
    'a setting out of range',
    graph([
      named('x', 'flow.map', {
        items: [],
        maxItems: 0,
        apply: { type: 'text.template', data: { template: '{{item}}' } },
      }),
      out,
    ]),
    '“Maximum items” must be at least 1.',
  ],
  [
    'a setting of the step inside a list',
    graph([named('x', 'flow.map', { items: [], apply: { type: 'text.generate', data: {} } }), out]),
    'Choose a model.',
  ],
  [
    'a wire of the wrong type',
    graph(
      [
        node('n', 'input.image'),
        node('x', 'input.number'),
        named('m', 'flow.map', {
          apply: { type: 'text.template', data: { template: '{{item}}' } },
        }),
      ],
      [wire('n.value', 'm.items')],
    ),
    'image cannot go into list. Put a Transform between them, or connect another port.',
  ],
  [
    'a port that is gone',
    graph([said, named('x', 'output')], [wire('in.value', 'x.value'), wire('in.old', 'x.value')]),
    'The wire to “Writer” comes from “old”, which this node no longer has. Connect it to “value”, or remove it.',
  ],
  [
    'a placeholder that was renamed',
    graph(
      [said, named('x', 'text.template', { template: 'On {{subject}}' }), out],
      [wire('in.value', 'x.topic')],
    ),
    'The wire from “Text input” goes to “topic”, but the template has no {{topic}}. Connect it to “subject”, or remove it.',
  ],
  [
    'a placeholder that leads nowhere',
    graph(
      [said, named('x', 'text.template', { template: '{{input.text}}' }), out],
      [wire('in.value', 'x.input')],
    ),
    '{{input.text}} has no value: input is a text, which has no members. A run would fail here.',
  ],
  [
    'two wires into one port',
    graph(
      [said, node('in-2', 'input.text'), named('x', 'output')],
      [wire('in.value', 'x.value'), wire('in-2.value', 'x.value')],
    ),
    '“value” accepts one wire but has two. Remove one, or join them with a Merge.',
  ],
  [
    'a circle',
    graph(
      [
        named('a', 'text.template', { template: '{{x}}' }),
        node('b', 'text.template', { template: '{{y}}' }),
        out,
      ],
      [wire('a.text', 'b.y'), wire('b.text', 'a.x')],
    ),
    'The connections form a cycle: Writer → Template → Writer. Remove one of them.',
  ],
  [
    'no output',
    graph([named('x', 'input.text', { default: 'a' })]),
    'There is no output node: the results of “Writer” become the outputs.',
  ],
]
for (const [name, data, words] of cases) {
  test(`${name} is said in the words of the screen`, async () => {
    const all = await wordsOf(data)
    assert.ok(all.includes(words), JSON.stringify(all))
  })
}

test('a tool whose picture nobody on the server needs is not missed', async () => {
  const looked = graph(
    [node('photo', 'input.image'), named('x', 'browser.compare'), out],
    [wire('photo.value', 'x.in')],
  )
  assert.deepEqual(
    (await wordsOf(looked)).filter((words) => /made/.test(words)),
    [],
  )
  const needed = graph(
    [node('photo', 'input.image'), named('x', 'browser.crop'), node('o', 'output')],
    [wire('photo.value', 'x.image'), wire('x.image', 'o.value')],
  )
  assert.match((await wordsOf(needed)).join(' '), /Nothing has been made here yet/)
})
