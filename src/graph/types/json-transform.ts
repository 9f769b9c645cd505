import { Type } from '#core/schema.ts'
import { anyOf, atMost, doubtful, known, local, unknownValue } from '../node/guess.ts'
import {
  type Config as Data,
  defineNode,
  type OutputPort,
  type Ports,
  type PortType,
  portTypes,
} from '../node/node-type.ts'
import { readAs } from '../node/port-values.ts'

type Config = { expression: string; outputType?: PortType }

const isPortType = (word: unknown): word is PortType => portTypes.some((type) => type === word)

const maxChars = 10_000

export const Expression = Type.String({
  minLength: 1,
  maxLength: maxChars,
  description: 'A JSONata expression; its input is the value of the port.',
})

/** The expression in a setting. Accepts unchecked settings. */
export function expressionIn(data: Data, setting: string): { path: string; text: string }[] {
  const text = data[setting]
  const isText = typeof text === 'string' && text !== '' && text.length <= maxChars
  return isText ? [{ path: `/${setting}`, text }] : []
}

export const jsonTransform = defineNode<Config>({
  type: 'json.transform',
  canvas: {
    label: 'Transform',
    group: 'shape',
    icon: 'function-square',
    help: 'Reshapes a value with a JSONata expression, for example items[price > 10].name.',
    initial: { expression: '$' },
  },
  config: Type.Object({
    expression: Expression,
    outputType: Type.Optional(
      Type.Unsafe<PortType>({
        type: 'string',
        enum: [...portTypes],
        default: 'json',
        description: 'The type of the result. The run fails if the result has another type.',
      }),
    ),
  }),
  pure: true,
  portsDependOn: ['outputType'],
  ports({ outputType = 'json' }): Ports {
    const output: OutputPort = { name: 'output', type: isPortType(outputType) ? outputType : 'any' }
    return { inputs: [{ name: 'input', type: 'any', required: true }], outputs: [output] }
  },
  expressions: (data) => expressionIn(data, 'expression'),
  async estimate({ config, inputs: { ports }, env }) {
    const input = ports.input ?? known(null)
    if (!input.known) return local({ output: anyOf([atMost(input), unknownValue()]) })
    const output = await env.evaluate(config.expression, input.value)
    return output.known ? local({ output }) : doubtful(local({ output }))
  },
  async execute(context, { ports }, { expression, outputType = 'json' }) {
    const result = await context.evaluateExpression(expression, ports.input ?? null)
    return { output: await readAs(context, outputType, result) }
  },
})
