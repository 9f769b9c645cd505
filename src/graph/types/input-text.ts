import { Type } from '#core/schema.ts'
import { defineInput, type InputConfig, orderProblem, whenLeftOut } from '../node/input-node.ts'

type Config = InputConfig & { minLength?: number; maxLength?: number; enum?: string[] }

const Length = (title: string) =>
  Type.Optional(
    Type.Integer({ minimum: 0, maximum: 2_000_000, title, description: 'In characters.' }),
  )

export const inputText = defineInput<Config>({
  type: 'input.text',
  portType: 'text',
  canvas: {
    label: 'Text input',
    icon: 'type',
    help: 'A text given when the run starts. Limit its length or offer a list of choices.',
  },
  settings: {
    default: Type.Optional(Type.String({ description: whenLeftOut })),
    minLength: Length('Shortest'),
    maxLength: Length('Longest'),
    enum: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: 200,
        uniqueItems: true,
        title: 'Choices',
        description: 'The only texts allowed.',
      }),
    ),
  },
  schema: ({ minLength, maxLength, enum: choices }) => ({
    type: 'string',
    ...(minLength === undefined ? {} : { minLength }),
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(choices === undefined ? {} : { enum: choices }),
  }),
  check: (config) => orderProblem(config, 'minLength', 'maxLength'),
  problem({ minLength = 0, maxLength = Number.POSITIVE_INFINITY, enum: choices }, value) {
    if (typeof value !== 'string') return 'must be a string'
    const length = codePoints(value)
    if (length < minLength) return `must have at least ${minLength} characters`
    if (length > maxLength) return `must have at most ${maxLength} characters`
    if (choices && !choices.includes(value)) return `must be one of ${choices.join(', ')}`
    return null
  },
})

/** JSON Schema counts characters, not UTF-16 units. */
function codePoints(text: string): number {
  let count = text.length
  for (let i = 0; i < text.length - 1; i++) {
    const isPair =
      (text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00
    if (isPair) count--
  }
  return count
}
