// The contents of a graph, for generated clients: one schema per node type, distinguished by
// `type`. The operations themselves accept any objects, because the graph validation reports all
// problems of a graph at once, with better messages than a schema gives.

import { maxLabelChars, type NodeType } from '#graph/node/node-type.ts'
import { browserTools } from '#graph/types/browser.ts'
import { exampleNode } from '#graph/types/node-examples.ts'
import { nodeTypes } from '#graph/types/table.ts'
import { GraphShape } from './workflow-record.ts'

type Schema = Record<string, unknown>
/** Rewrites a schema in the form that generators handle best. */
type Write = (schema: object) => object

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** `http.request` becomes `HttpRequestNode`. */
const nodeName = (type: string): string =>
  `${type.replace(/(?:^|[^a-z]+)([a-z])/gi, (_, first: string) => first.toUpperCase())}Node`

function nodeSchema(nodeType: NodeType, write: Write): Schema {
  const { type, canvas, config } = nodeType
  return {
    type: 'object',
    description: canvas.help,
    required: ['id', 'type', 'data'],
    properties: {
      id: {
        type: 'string',
        pattern: '^[A-Za-z0-9_-]{1,64}$',
        description: 'Unique in the graph; the key of an input or output.',
      },
      type: { type: 'string', const: type },
      position: ref('NodePosition'),
      data: write({
        ...config,
        properties: {
          label: { type: 'string', maxLength: maxLabelChars, description: 'Shown on the node.' },
          ...mapped(config.properties, withDefaultInWords),
        },
      }),
    },
    examples: [exampleNode(nodeType)],
  }
}

/** A setting with a default may be left out, yet generators would treat it as required. */
function withDefaultInWords({ default: value, ...setting }: Schema): Schema {
  if (value === undefined) return setting
  const description = `${setting.description ?? ''} Default: ${JSON.stringify(value)}.`.trim()
  return { ...setting, description }
}

const mapped = (settings: object, change: (setting: Schema) => Schema): object =>
  Object.fromEntries(
    Object.entries(settings).map(([name, setting]) => [name, change(setting as Schema)]),
  )

const handle = (which: string) => ({
  type: ['string', 'null'],
  description: `The port of the ${which}; its first one if left out.`,
})

export function graphComponents(write: Write): Record<string, Schema> {
  const types = [...nodeTypes, ...browserTools]
  const { nodes, connections } = GraphShape.properties
  return {
    Graph: {
      ...GraphShape,
      properties: {
        nodes: { ...nodes, items: ref('Node') },
        connections: { ...connections, items: ref('Connection') },
      },
    },
    Node: {
      description: 'One of the node types (docs/nodes.md).',
      oneOf: types.map(({ type }) => ref(nodeName(type))),
      discriminator: {
        propertyName: 'type',
        mapping: Object.fromEntries(types.map(({ type }) => [type, ref(nodeName(type)).$ref])),
      },
    },
    ...Object.fromEntries(
      types.map((nodeType) => [nodeName(nodeType.type), nodeSchema(nodeType, write)]),
    ),
    NodePosition: {
      type: 'object',
      description: 'Where the canvas shows the node.',
      required: ['x', 'y'],
      properties: { x: { type: 'number' }, y: { type: 'number' } },
    },
    Connection: {
      type: 'object',
      description: 'From an output of one node to an input of another.',
      required: ['source', 'target'],
      properties: {
        id: { type: ['string', 'null'] },
        source: { type: 'string', description: 'Id of the node it begins at.' },
        target: { type: 'string', description: 'Id of the node it leads to.' },
        sourceHandle: handle('source'),
        targetHandle: handle('target'),
      },
      examples: [{ source: 'topic', target: 'headline', targetHandle: 'prompt' }],
    },
  }
}
