import { Type } from '#core/schema.ts'
import { defineInput, type InputConfig, orderProblem, whenLeftOut } from '../node/input-node.ts'

type Config = InputConfig & { minimum?: number; maximum?: number; integer?: boolean }

export const inputNumber = defineInput<Config>({
  type: 'input.number',
  portType: 'number',
  canvas: {
    label: 'Number input',
    icon: 'hash',
    help: 'A number given when the run starts. Set the smallest and largest value, or whole numbers only.',
  },
  settings: {
    default: Type.Optional(Type.Number({ description: whenLeftOut })),
    minimum: Type.Optional(Type.Number({ title: 'Smallest' })),
    maximum: Type.Optional(Type.Number({ title: 'Largest' })),
    integer: Type.Optional(Type.Boolean({ default: false, title: 'Whole numbers only' })),
  },
  schema: ({ minimum, maximum, integer }) => ({
    type: integer ? 'integer' : 'number',
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
  }),
  check: (config) => orderProblem(config, 'minimum', 'maximum'),
  problem({ minimum = -Infinity, maximum = Infinity, integer }, value) {
    if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number'
    if (integer && !Number.isInteger(value)) return 'must be a whole number'
    if (value < minimum) return `must be at least ${minimum}`
    if (value > maximum) return `must be at most ${maximum}`
    return null
  },
})
