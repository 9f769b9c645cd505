// Generators of graphs: valid ones by construction, and ways to break one.
import fc from 'fast-check'
import { type Graph, node, wire } from './graphs.ts'

type Port = { at: string; type: string }
type Draft = { graph: Graph; open: Port[] }

const choice = fc.integer({ min: 0, max: 1_000_000 })

const inputs: ((id: string, n: number) => { node: object; port: Port })[] = [
  (id, n) => ({
    node: node(id, 'input.text', {
      label: `Text ${id}`,
      required: n % 3 !== 0,
      ...(n % 2 ? { minLength: n % 4, maxLength: 4 + (n % 20) } : {}),
    }),
    port: { at: `${id}.value`, type: 'text' },
  }),
  (id, n) => ({
    node: node(id, 'input.text', { enum: ['red', 'green'], ...(n % 2 ? { default: 'red' } : {}) }),
    port: { at: id, type: 'text' },
  }),
  (id, n) => ({
    node: node(id, 'input.number', {
      minimum: -5,
      maximum: n % 50,
      integer: n % 2 === 0,
      required: n % 3 !== 0,
    }),
    port: { at: id, type: 'number' },
  }),
  (id, n) => ({
    node: node(id, 'input.boolean', n % 2 ? { default: true } : { required: n % 3 !== 0 }),
    port: { at: id, type: 'boolean' },
  }),
  (id, n) => ({
    node: node(id, 'input.image', { required: n % 2 === 0 }),
    port: { at: id, type: 'image' },
  }),
  (id) => ({
    node: node(id, 'input.json', {
      schema: {
        type: 'object',
        properties: { size: { $ref: '#/$defs/size' } },
        required: ['size'],
        $defs: { size: { type: 'integer', minimum: 1 } },
      },
    }),
    port: { at: id, type: 'json' },
  }),
]

const isFree = (type: string) => type === 'json' || type === 'any'
const fits = (from: string, to: string) =>
  from === to || isFree(from) || to === 'any' || isFree(to) || (to === 'text' && from !== 'text')

/** A step consumes open ports that fit and adds new ones. */
type Step = (id: string, pick: (type: string) => string | null, n: number) => Draft | null

const steps: Step[] = [
  (id, pick) => {
    const [a, b] = [pick('any'), pick('any')]
    if (!a || !b) return null
    const made = node(id, 'text.template', { template: 'On {{first}} and {{ second.part }}.' })
    const connections = [wire(a, `${id}.first`), wire(b, `${id}.second`)]
    return { graph: { nodes: [made], connections }, open: [{ at: id, type: 'text' }] }
  },
  (id, pick, n) => {
    const prompt = pick('text')
    if (!prompt) return null
    const json = n % 2 === 0
    const made = node(id, 'text.generate', {
      model: 'text',
      responseFormat: json ? 'json' : 'text',
    })
    return {
      graph: { nodes: [made], connections: [wire(prompt, `${id}.prompt`)] },
      open: [
        { at: `${id}.text`, type: 'text' },
        ...(json ? [{ at: `${id}.json`, type: 'json' }] : []),
      ],
    }
  },
  (id, pick) => {
    const prompt = pick('text')
    if (!prompt) return null
    const image = pick('image')
    return {
      graph: {
        nodes: [node(id, 'image.generate', { model: 'image' })],
        connections: [wire(prompt, `${id}.prompt`), ...(image ? [wire(image, `${id}.image`)] : [])],
      },
      open: [
        { at: `${id}.image`, type: 'image' },
        { at: `${id}.images`, type: 'list' },
      ],
    }
  },
  (id, pick) => {
    const value = pick('any')
    if (!value) return null
    return {
      graph: {
        nodes: [node(id, 'flow.condition', { expression: '$exists($)' })],
        connections: [wire(value, id)],
      },
      open: [
        { at: `${id}.true`, type: 'any' },
        { at: `${id}.false`, type: 'any' },
      ],
    }
  },
  (id, pick, n) => {
    const parts = [...new Set([pick('any'), pick('any'), pick('any')])].filter((p) => p !== null)
    if (parts.length === 0) return null
    return {
      graph: {
        nodes: [node(id, 'flow.merge', { mode: ['first', 'list', 'object'][n % 3] })],
        connections: parts.map((part) => wire(part, id)),
      },
      open: [{ at: id, type: n % 3 === 1 ? 'list' : 'any' }],
    }
  },
  (id, pick) => {
    const list = pick('list')
    if (!list) return null
    const apply = { type: 'text.template', data: { template: 'Item {{item}}' } }
    return {
      graph: { nodes: [node(id, 'flow.map', { apply })], connections: [wire(list, `${id}.items`)] },
      open: [{ at: id, type: 'list' }],
    }
  },
  (id, pick, n) => {
    const input = pick('any')
    if (!input) return null
    const types = ['text', 'number', 'boolean', 'image', 'video', 'json', 'list', 'any'] as const
    const outputType = types[n % types.length] ?? 'any'
    const expression = n % 3 === 0 ? '$' : '$lookup($, "claim")'
    return {
      graph: {
        nodes: [node(id, 'json.transform', { expression, outputType })],
        connections: [wire(input, id)],
      },
      open: [{ at: id, type: outputType }],
    }
  },
  (id, pick) => {
    const value = pick('any')
    if (!value) return null
    return { graph: { nodes: [node(id, 'output')], connections: [wire(value, id)] }, open: [] }
  },
]

/** Valid by construction: every step uses existing ports that fit. */
export const validGraph: fc.Arbitrary<Graph> = fc
  .record({
    inputs: fc.array(choice, { minLength: 1, maxLength: 5 }),
    steps: fc.array(choice, { maxLength: 14 }),
  })
  .map((draft) => {
    const made: Graph = { nodes: [], connections: [] }
    const open: Port[] = []
    draft.inputs.forEach((n, i) => {
      const built = inputs[n % inputs.length]?.(`in${i}`, Math.floor(n / 7))
      if (!built) return
      made.nodes.push({ ...built.node, position: { x: i, y: n }, extra: { kept: true } })
      open.push(built.port)
    })
    draft.steps.forEach((n, i) => {
      let turn = n
      const pick = (type: string) => {
        const fitting = open.filter((port) => fits(port.type, type))
        turn = Math.floor(turn / 3) + 1
        return fitting[turn % fitting.length]?.at ?? null
      }
      const built = steps[n % steps.length]?.(`n${i}`, pick, Math.floor(n / 11))
      if (!built) return
      made.nodes.push(...built.graph.nodes)
      made.connections.push(...built.graph.connections)
      open.push(...built.open)
    })
    return made
  })

type Break = (graph: Graph, n: number) => unknown

const at = (list: unknown[], n: number) => list[n % list.length] as Record<string, unknown>

/** Each makes any valid graph invalid. */
const breaks: Record<string, Break> = {
  'an unknown type': (graph, n) => Object.assign(at(graph.nodes, n), { type: 'no.such' }),
  'an id taken twice': (graph, n) => void graph.nodes.push({ ...at(graph.nodes, n) }),
  'an id that is none': (graph, n) => Object.assign(at(graph.nodes, n), { id: 'not valid!' }),
  'no data': (graph, n) => void delete at(graph.nodes, n).data,
  'a circle': (graph) => {
    graph.nodes.push(node('x', 'flow.merge'), node('y', 'flow.merge'))
    graph.connections.push(wire('x', 'y'), wire('y', 'x'))
  },
  'a connection from nowhere': (graph, n) =>
    void graph.connections.push({ source: 'nowhere', target: at(graph.nodes, n).id }),
  'a connection into an input': (graph) =>
    void graph.connections.push({ source: at(graph.nodes, 0).id, target: at(graph.nodes, 0).id }),
  'a node without its value': (graph) => void graph.nodes.push(node('lonely', 'output')),
  'a setting of the wrong type': (graph) =>
    void graph.nodes.push(node('odd', 'input.text', { required: 1 })),
  'a missing target': (graph) =>
    void graph.nodes.push(node('call', 'workflow.call', { workflowId: 404 })),
  'an expression that cannot be read': (graph) =>
    void graph.nodes.push(node('bad', 'json.transform', { expression: '(((', input: 1 })),
  'a connection that is a number': (graph) => void graph.connections.push(1),
}

export const brokenGraph: fc.Arbitrary<{ how: string; graph: Graph }> = fc
  .tuple(validGraph, fc.constantFrom(...Object.keys(breaks)), choice)
  .map(([graph, how, n]) => {
    const copy = structuredClone(graph)
    breaks[how]?.(copy, n)
    return { how, graph: copy }
  })

/** JSON that now and then looks like a graph. */
export const garbage: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue(),
  fc.record({
    nodes: fc.array(
      fc.oneof(
        fc.jsonValue(),
        fc.record(
          {
            id: fc.oneof(fc.constantFrom('a', 'b', '__proto__', ''), fc.jsonValue()),
            type: fc.oneof(
              fc.constantFrom(
                'text.generate',
                'flow.map',
                'input.json',
                'http.request',
                'workflow.call',
                'text.template',
                'constructor',
              ),
              fc.jsonValue(),
            ),
            data: fc.oneof(
              fc.dictionary(
                fc.constantFrom(
                  'model',
                  'apply',
                  'schema',
                  'url',
                  'headers',
                  'template',
                  'values',
                  'workflowId',
                  'enum',
                  'label',
                  'default',
                ),
                fc.jsonValue(),
              ),
              fc.jsonValue(),
            ),
            position: fc.jsonValue(),
          },
          { requiredKeys: [] },
        ),
      ),
      { maxLength: 6 },
    ),
    connections: fc.array(
      fc.oneof(
        fc.jsonValue(),
        fc.record(
          {
            source: fc.constantFrom<unknown>('a', 'b', '__proto__', 1),
            target: fc.constantFrom<unknown>('a', 'b', 'toString', null),
            sourceHandle: fc.jsonValue(),
            targetHandle: fc.constantFrom<unknown>('prompt', 'constructor', null),
          },
          { requiredKeys: [] },
        ),
      ),
      { maxLength: 8 },
    ),
  }),
)
