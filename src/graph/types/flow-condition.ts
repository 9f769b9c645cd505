import { Type } from '#core/schema.ts'
import { doubtful, known, local } from '../node/guess.ts'
import { NodeFailure } from '../node/node-failure.ts'
import { defineNode } from '../node/node-type.ts'
import { Expression, expressionIn } from './json-transform.ts'

type Config = { expression: string }

export const flowCondition = defineNode<Config>({
  type: 'flow.condition',
  canvas: {
    label: 'Condition',
    group: 'flow',
    icon: 'split',
    help: 'Passes the value on to one of two branches: a JSONata expression decides, true or false.',
    initial: { expression: '$boolean($)' },
  },
  config: Type.Object({ expression: Expression }),
  pure: true,
  branches: true,
  ports: () => ({
    inputs: [{ name: 'value', type: 'any', required: true }],
    outputs: [
      { name: 'true', type: 'any', optional: true },
      { name: 'false', type: 'any', optional: true },
    ],
  }),
  expressions: (data) => expressionIn(data, 'expression'),
  async estimate({ config, inputs: { ports }, env }) {
    const value = ports.value ?? known(null)
    const outcome = value.known ? await env.evaluate(config.expression, value.value) : value
    if (outcome.known && typeof outcome.value === 'boolean') {
      return local({ [String(outcome.value)]: value })
    }
    const estimated = local({ true: value, false: value }, [
      'Which branch is taken is known only at run time: nodes behind it count as 0 in lowCost and fully otherwise.',
    ])
    return value.known ? doubtful(estimated) : estimated
  },
  async execute(context, { ports }, { expression }) {
    const outcome = await context.evaluateExpression(expression, ports.value ?? null)
    if (typeof outcome !== 'boolean') {
      throw new NodeFailure('TYPE_MISMATCH', 'The expression must return true or false.')
    }
    return { [String(outcome)]: ports.value ?? null }
  },
})
