import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inputSchemaOf, outputSchemaOf } from '#graph/plan/schema.ts'
import { type Graph, graph, node, validate, wire } from './graphs.ts'

type Properties = Record<string, Record<string, unknown>>

async function schemasOf(data: Graph, options = {}) {
  const { plan, validation } = await validate(data, options)
  assert.ok(plan, JSON.stringify(validation.errors))
  return { input: inputSchemaOf(plan), output: outputSchemaOf(plan) }
}

const propertiesOf = (schema: Record<string, unknown>) => schema.properties as Properties

test('inputs are keyed by node id, with label, limits, default and examples', async () => {
  const { input } = await schemasOf(
    graph([
      node('topic', 'input.text', {
        label: 'Topic',
        minLength: 2,
        maxLength: 9,
        description: 'What it is about.',
        examples: ['boats'],
      }),
      node('tone', 'input.text', { enum: ['dry', 'warm'], default: 'dry' }),
      node('count', 'input.number', { minimum: 1, maximum: 5, integer: true }),
      node('loud', 'input.boolean', { required: false }),
      node('photo', 'input.image'),
    ]),
  )
  assert.equal(input.$schema, 'https://json-schema.org/draft/2020-12/schema')
  assert.equal(input.type, 'object')
  assert.equal(input.additionalProperties, false)
  assert.deepEqual(input.required, ['topic', 'count', 'photo'])
  assert.deepEqual(propertiesOf(input).topic, {
    type: 'string',
    minLength: 2,
    maxLength: 9,
    description: 'What it is about.',
    examples: ['boats'],
    title: 'Topic',
    'x-port-type': 'text',
  })
  assert.deepEqual(propertiesOf(input).tone, {
    type: 'string',
    enum: ['dry', 'warm'],
    default: 'dry',
    title: 'tone',
    'x-port-type': 'text',
  })
  assert.equal(propertiesOf(input).count?.type, 'integer')
  assert.deepEqual(propertiesOf(input).loud, {
    type: 'boolean',
    title: 'loud',
    'x-port-type': 'boolean',
  })
  const { type, format, contentMediaType } = propertiesOf(input).photo ?? {}
  assert.deepEqual([type, format, contentMediaType], ['string', 'uri', 'image/*'])
})

test("a user's schema is embedded, and its references are rewritten", async () => {
  const schema = {
    type: 'object',
    properties: {
      tree: { $ref: '#' },
      size: { $ref: '#/$defs/size' },
      $ref: { type: 'string', const: '#/not-a-reference' },
    },
    $defs: { size: { type: 'integer' } },
  }
  const { input } = await schemasOf(graph([node('data', 'input.json', { schema, label: 'Data' })]))
  const moved = propertiesOf(input).data
  assert.deepEqual(moved?.properties, {
    tree: { $ref: '#/properties/data' },
    size: { $ref: '#/properties/data/$defs/size' },
    $ref: { type: 'string', const: '#/not-a-reference' },
  })
  assert.equal(moved?.title, 'Data')
  assert.equal(schema.properties.tree.$ref, '#')
})

test('an output takes its type from what is connected to it', async () => {
  const { output } = await schemasOf(
    graph(
      [
        node('t', 'input.text'),
        node('n', 'input.number'),
        node('j', 'input.json'),
        node('i', 'image.generate', { model: 'image' }),
        ...['text', 'number', 'json', 'image', 'list'].map((id) =>
          node(id, 'output', { label: `My ${id}` }),
        ),
      ],
      [
        wire('t', 'i.prompt'),
        wire('t', 'text'),
        wire('n', 'number'),
        wire('j', 'json'),
        wire('i.image', 'image'),
        wire('i.images', 'list'),
      ],
    ),
  )
  const { text, number, json, image, list } = propertiesOf(output)
  assert.deepEqual(text, { type: 'string', title: 'My text', 'x-port-type': 'text' })
  assert.deepEqual(number, { type: 'number', title: 'My number', 'x-port-type': 'number' })
  assert.deepEqual(json, { title: 'My json', 'x-port-type': 'json' })
  assert.deepEqual(list, { type: 'array', title: 'My list', 'x-port-type': 'list' })
  assert.deepEqual(image?.required, ['url', 'mimeType', 'sizeBytes'])
  assert.deepEqual(output.required, ['text', 'number', 'json', 'image', 'list'])
})

test('without an output node every unconnected end is an output, several ports as an object', async () => {
  const { output } = await schemasOf(
    graph(
      [
        node('t', 'input.text'),
        node('write', 'text.generate', { model: 'text' }),
        node('draw', 'image.generate', { model: 'image' }),
        node('show', 'browser.compare'),
      ],
      [wire('t', 'write.prompt'), wire('t', 'draw.prompt'), wire('draw', 'show')],
    ),
  )
  assert.deepEqual(Object.keys(propertiesOf(output)), ['write', 'draw'])
  assert.equal(propertiesOf(output).write?.type, 'string')
  assert.deepEqual(propertiesOf(output).draw?.required, ['image', 'images'])
})

/** `in` passes a condition; each branch ends in an output. */
const branching = (extraNodes: object[], extraWires: object[]) =>
  graph(
    [
      node('in', 'input.text'),
      node('way', 'flow.condition', { expression: 'true' }),
      node('yes', 'output'),
      node('no', 'output'),
      ...extraNodes,
    ],
    [wire('in', 'way'), wire('way.true', 'yes'), wire('way.false', 'no'), ...extraWires],
  )

test('an output behind a condition is not required', async () => {
  const { output } = await schemasOf(branching([], []))
  assert.deepEqual(output.required, [])
})

test('two branches joined again are required, also around another condition', async () => {
  const { output } = await schemasOf(
    branching(
      [
        node('inner', 'flow.condition', { expression: 'true' }),
        node('join1', 'flow.merge'),
        node('join2', 'flow.merge'),
        node('all', 'output'),
      ],
      [
        wire('way.true', 'inner'),
        wire('inner.true', 'join1'),
        wire('inner.false', 'join1'),
        wire('join1', 'join2'),
        wire('way.false', 'join2'),
        wire('join2', 'all'),
      ],
    ),
  )
  assert.deepEqual(output.required, ['all'])
})

test('a branch joined with a value that is always there is required; branches of two conditions are not', async () => {
  const { output } = await schemasOf(
    branching(
      [
        node('other', 'flow.condition', { expression: 'true' }),
        node('sure', 'flow.merge'),
        node('unsure', 'flow.merge'),
        node('a', 'output'),
        node('b', 'output'),
      ],
      [
        wire('in', 'other'),
        wire('way.true', 'sure'),
        wire('in', 'sure'),
        wire('way.true', 'unsure'),
        wire('other.true', 'unsure'),
        wire('sure', 'a'),
        wire('unsure', 'b'),
      ],
    ),
  )
  assert.deepEqual(output.required, ['a'])
})

test('an output that a called workflow may lack is not required of the caller either', async () => {
  const data = graph(
    [
      node('call', 'workflow.call', { workflowId: 3, in: 'x' }),
      node('maybe', 'output'),
      node('sure', 'output'),
    ],
    [wire('call.yes', 'maybe'), wire('call.same', 'sure')],
  )
  const target = branching([node('same', 'output')], [wire('in', 'same')])
  const { output } = await schemasOf(data, { stored: { 3: target } })
  assert.deepEqual(output.required, ['sure'])
  assert.equal(propertiesOf(output).sure?.type, 'string')
})
