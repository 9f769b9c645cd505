import { Type } from '#core/schema.ts'
import { known, local } from '../node/guess.ts'
import { defineNode, fixedPorts } from '../node/node-type.ts'

const ports = fixedPorts({ value: 'any!' }, {})

export const output = defineNode({
  type: 'output',
  canvas: {
    label: 'Output',
    group: 'output',
    icon: 'log-out',
    help: 'A result of the run. Its node ID is the key among the outputs.',
  },
  config: Type.Object({}),
  pure: true,
  ports: () => ports,
  estimate: ({ inputs }) => local({ value: inputs.ports.value ?? known(null) }),
  execute: (_, { ports: { value } }) => ({ value: value ?? null }),
})
