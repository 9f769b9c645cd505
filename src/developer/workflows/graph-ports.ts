import { Type } from 'typebox'
import { portTypes } from '#nodes/node-type.ts'
import { Closed, OneOf } from '#operations/schemas.ts'

const PortType = OneOf(portTypes)

export const GraphPorts = Closed({
  inputs: Type.Array(
    Closed({
      name: Type.String(),
      type: PortType,
      required: Type.Boolean({ description: 'A connection or a value in `data` must feed it.' }),
      multi: Type.Optional(Type.Literal(true, { description: 'Takes any number of connections.' })),
    }),
  ),
  outputs: Type.Array(
    Closed({
      name: Type.String(),
      type: PortType,
      optional: Type.Optional(
        Type.Literal(true, { description: 'May carry nothing although the node ran.' }),
      ),
    }),
  ),
  open: Type.Optional(Type.Literal(true, { description: 'Any other port name is taken too.' })),
})
