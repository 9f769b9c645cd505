import { Type } from 'typebox'
import { nodeGroups, portTypes } from '#nodes/node-type.ts'
import { palette } from '#nodes/palette.ts'
import { answer } from '#operations/operation.ts'
import { Closed, Nullable, OneOf } from '#operations/schemas.ts'
import { defineDeveloper, requireSession } from '../context.ts'
import { GraphPorts } from './graph-ports.ts'

const PortType = OneOf(portTypes)

const NodeType = Closed({
  type: Type.String({ description: 'As `type` of a node.' }),
  label: Type.String(),
  group: OneOf(nodeGroups),
  icon: Type.String({ description: 'Name of a lucide icon.' }),
  help: Type.String(),
  config: Type.Object({}, { description: 'JSON Schema of `data`; every setting has a title.' }),
  initial: Type.Object({}, { description: 'The `data` of a node just made.' }),
  ports: Nullable(GraphPorts),
  portsDependOn: Type.Array(Type.String(), {
    description: 'Settings that change the ports: ask checkWorkflow which there are then.',
  }),
  modelKinds: Type.Array(OneOf(['TEXT', 'CODE', 'IMAGE', 'VIDEO']), {
    description: 'Kinds of models its setting `model` may name.',
  }),
  browserOnly: Type.Boolean({ description: 'A run on the server skips it.' }),
  branches: Type.Boolean({ description: 'Exactly one of its outputs carries a value.' }),
})

export const listNodeTypes = defineDeveloper({
  id: 'listNodeTypes',
  route: 'GET /node-types',
  summary: 'Lists the node types a workflow is built of',
  scope: 'public',
  success: {
    200: {
      description: 'The node types in the order a palette shows them.',
      data: Closed({
        portTypes: Type.Array(PortType),
        accepts: Closed(Object.fromEntries(portTypes.map((type) => [type, Type.Array(PortType)])), {
          description:
            'By the type of an input port: the types of output ports that may be connected to it.',
        }),
        items: Type.Array(NodeType),
      }),
    },
  },
  errors: ['AUTH_REQUIRED'],
  repeatable: true,
  handle(context) {
    requireSession(context)
    return answer(palette)
  },
})
