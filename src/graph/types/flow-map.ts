import { isRecord } from '#core/record.ts'
import { Type } from '#core/schema.ts'
import { doubtful, known, unknownValue } from '../node/guess.ts'
import { type Config as Data, defineNode, fixedPorts, type Guess } from '../node/node-type.ts'
import {
  type Apply,
  applicable,
  estimateEach,
  estimateStep,
  estimateUnknown,
  likeTheFirst,
  mapItems,
  stepProblems,
} from './map-step.ts'

type Config = { apply: Apply; concurrency?: number; maxItems?: number }

const ports = fixedPorts({ items: 'list!' }, { results: 'list' })
const defaultMaxItems = 50
const PortName = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 64, description }))

export const flowMap = defineNode<Config>({
  type: 'flow.map',
  canvas: {
    label: 'For each',
    group: 'flow',
    icon: 'list-tree',
    help: 'Does the same step for every item of a list and collects the results in order.',
    initial: { apply: { type: 'text.template', data: { template: '{{item}}' } } },
  },
  config: Type.Object({
    apply: Type.Object(
      {
        type: Type.Unsafe<string>({
          type: 'string',
          enum: [...applicable],
          description: 'The node type of the step.',
        }),
        data: Type.Object({}, { description: 'Settings of that step.' }),
        itemPort: PortName('The input port that receives the item. Default: the first one.'),
        outputPort: PortName('The output port that is collected. Default: the first one.'),
      },
      { title: 'Step', description: 'The step: a node type, its settings, and the ports to use.' },
    ),
    concurrency: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10,
        default: 3,
        title: 'At once',
        description: 'How many items are processed at the same time.',
      }),
    ),
    maxItems: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 200,
        default: defaultMaxItems,
        title: 'Maximum items',
        description: 'A longer list fails the node.',
      }),
    ),
  }),
  pure: false,
  ports: () => ports,
  check: ({ apply }, env) => stepProblems(apply, env),
  expression(data, env) {
    const step = readApply(data)
    const found = (step && env.nodeType(step.type)?.expression?.(step.data, env)) ?? null
    return found && { path: `/apply/data${found.path}`, text: found.text }
  },
  model: (data, env) => {
    const step = readApply(data)
    return (step && env.nodeType(step.type)?.model?.(step.data, env)) ?? null
  },
  credential(data, env) {
    const step = readApply(data)
    const found = (step && env.nodeType(step.type)?.credential?.(step.data, env)) ?? null
    return found && { ...found, path: `/apply/data${found.path}` }
  },
  calls(data) {
    const step = readApply(data)
    const target = step?.type === 'workflow.call' ? step.data.workflowId : null
    return typeof target === 'number' && Number.isSafeInteger(target) && target >= 1 ? target : null
  },
  waits: (data) => readApply(data)?.type.startsWith('wait.') ?? false,
  async estimate({ config: { apply, maxItems = defaultMaxItems }, inputs, env }) {
    const items = inputs.ports.items ?? known([])
    const run = (item: Guess) => estimateStep(apply, item, env)
    if (!items.known || !Array.isArray(items.value))
      return estimateUnknown(await run(anItemOf(items)), items, { apply, env, maxItems })
    const list = items.value.slice(0, maxItems)
    const isOver = items.value.length > maxItems
    const estimated = (await env.visit(list.length))
      ? await estimateEach(list, apply, env)
      : await likeTheFirst(await run(known(list[0])), list.length, { apply, env })
    const sentence = `The list has more than ${maxItems} items: a run would fail here.`
    return isOver ? doubtful(estimated, sentence) : estimated
  },
  execute: async (
    context,
    { ports: { items } },
    { apply, concurrency = 3, maxItems = defaultMaxItems },
  ) => ({
    results: await mapItems(context, items, apply, { concurrency, maxItems }),
  }),
})

/** An item of an unknown list is at most as long as all of it, and usually its share. */
function anItemOf(list: Guess): Guess {
  if (list.known) return unknownValue()
  const { tokens, items } = list
  const expected = Math.ceil(tokens.expected / Math.max(1, items.expected))
  return unknownValue({ low: 0, expected, high: tokens.high })
}

const readApply = ({ apply }: Data): Apply | null =>
  isRecord(apply) &&
  typeof apply.type === 'string' &&
  applicable.some((type) => type === apply.type) &&
  isRecord(apply.data)
    ? { type: apply.type, data: apply.data }
    : null
