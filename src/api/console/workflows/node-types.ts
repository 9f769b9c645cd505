import { Type } from '#core/schema.ts'
import { nodeGroups } from '#graph/node/canvas.ts'
import { portTypes } from '#graph/node/node-type.ts'
import { palette } from '#graph/types/palette.ts'
import { Named } from '../../named.ts'
import { answer } from '../../operation.ts'
import { Closed, NamedRecord, Nullable, OneOf } from '../../schemas.ts'
import { defineConsole, requireSession } from '../context.ts'
import { GraphPorts } from './graph-ports.ts'

const PortType = Named('PortType', OneOf(portTypes))

const NodeType = NamedRecord('NodeType', {
  type: Type.String({ description: 'The `type` of a node.' }),
  label: Type.String(),
  group: OneOf(nodeGroups),
  icon: Type.String({ description: 'Name of a lucide icon.' }),
  help: Type.String(),
  config: Type.Object({}, { description: 'JSON Schema of `data`; every setting has a title.' }),
  initial: Type.Object({}, { description: 'The `data` of a new node.' }),
  ports: Nullable(GraphPorts),
  portsDependOn: Type.Array(Type.String(), {
    description: 'Settings that change the ports; checkWorkflow returns the resulting ports.',
  }),
  modelKinds: Type.Array(OneOf(['TEXT', 'CODE', 'IMAGE', 'VIDEO']), {
    description: 'Kinds of models its setting `model` may name.',
  }),
  browserOnly: Type.Boolean({ description: 'A run on the server skips it.' }),
  branches: Type.Boolean({ description: 'Exactly one of its outputs has a value.' }),
})

export const listNodeTypes = defineConsole({
  id: 'listNodeTypes',
  route: 'GET /node-types',
  summary: 'Lists the node types that workflows are built from',
  access: 'viewer',
  success: {
    200: {
      description: 'The node types in the order of the palette.',
      data: Closed({
        portTypes: Type.Array(PortType),
        accepts: Closed(Object.fromEntries(portTypes.map((type) => [type, Type.Array(PortType)])), {
          description:
            'For each type of input port, the types of output ports that may be connected to it.',
        }),
        items: Type.Array(NodeType),
      }),
    },
  },
  handle(context) {
    requireSession(context)
    return answer(palette)
  },
})
