import { Type } from '#core/schema.ts'
import { defineInput, whenLeftOut } from '../node/input-node.ts'

export const inputBoolean = defineInput({
  type: 'input.boolean',
  portType: 'boolean',
  canvas: {
    label: 'Yes/no input',
    icon: 'toggle-left',
    help: 'A yes or no given when the run starts, for example to choose a branch.',
  },
  settings: { default: Type.Optional(Type.Boolean({ description: whenLeftOut })) },
  schema: () => ({ type: 'boolean' }),
  problem: (_, value) => (typeof value === 'boolean' ? null : 'must be true or false'),
})
