import { Type } from '#core/schema.ts'
import { inside } from '../node/estimate-reuse.ts'
import { NodeFailure } from '../node/node-failure.ts'
import { type NodeReuse, ReuseSetting, reuseOf } from '../node/node-reuse.ts'
import {
  type CheckEnv,
  defineNode,
  fixedPorts,
  type NodeExecution,
  type NodeInputs,
  type NodeOutputs,
  type NodeType,
} from '../node/node-type.ts'
import { assertBounded, maxValueBytes, measure, tooLarge } from '../node/values.ts'
import { Expression, expressionIn } from './json-transform.ts'
import {
  ApplySetting,
  ContextSetting,
  type LoopConfig,
  loopFill,
  loopPorts,
  outputPort,
  stepInputs,
  stepProblems,
  stepTraits,
} from './loop-step.ts'
import { estimateRepeat } from './repeat-estimate.ts'

type OnLimit = 'fail' | 'pass'
type Config = LoopConfig & {
  until: string
  maxIterations?: number
  onLimit?: OnLimit
  reuse?: NodeReuse
}

const ports = fixedPorts({ value: 'any!' }, { value: 'any', iterations: 'list' })
const defaultMaxIterations = 10

const config = Type.Object({
  apply: ApplySetting,
  context: ContextSetting,
  until: {
    ...Expression,
    title: 'Until',
    description:
      'A JSONata expression, evaluated after each pass: true ends the loop. It sees value (the result of the pass), previous (what the pass was given) and index (0 for the first).',
  },
  maxIterations: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      default: defaultMaxIterations,
      title: 'Maximum passes',
      description: 'How often the step is done at most.',
    }),
  ),
  onLimit: Type.Optional(
    Type.Unsafe<OnLimit>({
      type: 'string',
      enum: ['fail', 'pass'],
      default: 'fail',
      title: 'At the maximum',
      description:
        'If until has not become true by then. fail: the node fails. pass: the last value is passed on.',
    }),
  ),
  reuse: ReuseSetting,
})

export const flowRepeat = (nodeType: CheckEnv['nodeType']): NodeType => {
  const traits = stepTraits(nodeType)
  return defineNode<Config>({
    type: 'flow.repeat',
    canvas: {
      label: 'Repeat',
      group: 'flow',
      icon: 'repeat',
      help: 'Does a step again and again, each time with the result of the last, until an expression is true.',
      initial: {
        apply: { type: 'text.template', data: { template: '{{item}}' } },
        until: 'index >= 2',
      },
    },
    config,
    pure: false,
    portsDependOn: ['apply', 'context'],
    ports: (data, calls) => loopPorts(ports, data, { nodeType, calls }),
    fill: loopFill(Object.keys(config.properties)),
    check: (settings, env) => stepProblems(settings, env, { ownPort: 'value' }),
    ...traits,
    expressions: (data, env) => [...expressionIn(data, 'until'), ...traits.expressions(data, env)],
    estimate: ({ config: settings, env, ...request }) =>
      estimateRepeat({
        ...request,
        env: { ...env, reuse: inside(env.reuse, { settings: settings.reuse }) },
        config: { ...settings, maxIterations: settings.maxIterations ?? defaultMaxIterations },
      }),
    execute: repeatStep,
  })
}

/** One pass has one place, and nobody waits for it. */
const place = { release() {}, take: () => undefined }

async function repeatStep(
  context: NodeExecution,
  { ports: given }: NodeInputs<unknown>,
  settings: Config,
): Promise<NodeOutputs> {
  const { apply, until, maxIterations = defaultMaxIterations, onLimit = 'fail' } = settings
  const step = context.nodeType(apply.type)
  const execute = step?.execute
  if (!step || !execute) throw new NodeFailure('INTERNAL_ERROR', 'The step cannot run here.')
  const port = outputPort(step, apply, context.calls)
  const { calls } = context
  const inputsOf = stepInputs(step, settings, given, { calls, constant: (value) => value })
  const reuse = reuseOf(step, apply.data)
  const iterations: unknown[] = []
  const before = context.passedBefore()
  let value = given.value ?? null
  let size = 0
  let isDone = false
  try {
    for (let index = 0; index < maxIterations && !isDone; index++) {
      const ports = inputsOf(value)
      const previous = value
      const known = before && index < before.passes ? before : undefined
      const outputs = await context.forItem({ index, ports, place, reuse }, async (pass) => {
        const made = await execute(pass, { ports, merged: [] }, apply.data)
        value = made[port] ?? null
        if (!known) isDone = await isOver(pass, until, { value, index, previous })
        return made
      })
      if (!outputs) {
        context.throwIfEnding()
        throw new NodeFailure('INTERNAL_ERROR', 'The pass was not finished.')
      }
      // It was executed again because its calls, which are read from their records, count.
      if (known) {
        if (known.values) value = known.values[index] ?? null
        isDone = known.isOver && index === known.passes - 1
      }
      iterations.push(value)
      context.notePassed({ passes: iterations.length, isOver: isDone, values: iterations })
      // Checked for each pass, because all values are held until the last one.
      size += measure(value, maxValueBytes)
      if (size > maxValueBytes) throw tooLarge()
      await context.hold(value)
    }
  } finally {
    context.dropHeld()
  }
  context.noteItems(iterations.length)
  context.notePassed({ passes: iterations.length, isOver: true })
  if (!isDone && onLimit === 'fail') {
    const message = `until was not true after ${maxIterations} passes.`
    throw new NodeFailure('ITERATION_LIMIT', message)
  }
  assertBounded(iterations)
  return { value, iterations }
}

async function isOver(
  pass: NodeExecution,
  until: string,
  scope: { value: unknown; index: number; previous: unknown },
): Promise<boolean> {
  const answer = await pass.evaluateExpression(until, scope)
  if (typeof answer === 'boolean') return answer
  throw new NodeFailure('TYPE_MISMATCH', 'until must return true or false.')
}
