import { Type } from '#core/schema.ts'
import { portTypes } from '#graph/node/node-type.ts'
import { Closed, NamedRecord, OneOf } from '../../schemas.ts'

const PortType = OneOf(portTypes)

export const GraphPorts = NamedRecord('GraphPorts', {
  inputs: Type.Array(
    Closed({
      name: Type.String(),
      type: PortType,
      required: Type.Boolean({ description: 'It needs a connection or a value in `data`.' }),
      multi: Type.Optional(
        Type.Literal(true, { description: 'Accepts any number of connections.' }),
      ),
    }),
  ),
  outputs: Type.Array(
    Closed({
      name: Type.String(),
      type: PortType,
      optional: Type.Optional(
        Type.Literal(true, { description: 'May have no value although the node ran.' }),
      ),
    }),
  ),
  open: Type.Optional(
    Type.Literal(true, { description: 'Ports with other names are accepted too.' }),
  ),
})

export const PortsByNode = Type.Record(Type.String(), GraphPorts, {
  description: 'By node, for its settings. Absent if they do not determine the ports.',
})
