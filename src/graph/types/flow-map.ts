import { Type } from '#core/schema.ts'
import { inside } from '../node/estimate-reuse.ts'
import { type NodeReuse, ReuseSetting } from '../node/node-reuse.ts'
import { type CheckEnv, defineNode, fixedPorts, type NodeType } from '../node/node-type.ts'
import {
  ApplySetting,
  ContextSetting,
  type LoopConfig,
  listPort,
  loopFill,
  loopPorts,
  stepProblems,
  stepTraits,
} from './loop-step.ts'
import { estimateMap } from './map-estimate.ts'
import { mapItems, type OnItemError } from './map-items.ts'

type Config = LoopConfig & {
  concurrency?: number
  maxItems?: number
  onItemError?: OnItemError
  reuse?: NodeReuse
}

const failing = fixedPorts({ items: 'list!' }, { results: 'list' })
const tolerant = { ...failing, outputs: [...failing.outputs, listPort('errors')] }
const defaultMaxItems = 50

/** Whether an item that fails leaves the others, and the run, alone. Accepts unchecked settings. */
export const isTolerant = ({ onItemError }: { onItemError?: unknown }): boolean =>
  onItemError === 'skip' || onItemError === 'collect'

const config = Type.Object({
  apply: ApplySetting,
  context: ContextSetting,
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
      maximum: 10_000,
      default: defaultMaxItems,
      title: 'Maximum items',
      description: 'A longer list fails the node.',
    }),
  ),
  onItemError: Type.Optional(
    Type.Unsafe<OnItemError>({
      type: 'string',
      enum: ['fail', 'skip', 'collect'],
      default: 'fail',
      title: 'If an item fails',
      description:
        'fail: the run fails. skip: the item is left out. collect: null takes its place. With the last two, the port errors lists the items that failed. A cancellation, a time limit of the run and a limit on money always end the run.',
    }),
  ),
  reuse: ReuseSetting,
})

export const flowMap = (nodeType: CheckEnv['nodeType']): NodeType =>
  defineNode<Config>({
    type: 'flow.map',
    canvas: {
      label: 'For each',
      group: 'flow',
      icon: 'list-tree',
      help: 'Does the same step for every item of a list and collects the results in order.',
      initial: { apply: { type: 'text.template', data: { template: '{{item}}' } } },
    },
    config,
    pure: false,
    portsDependOn: ['apply', 'context', 'onItemError'],
    ports: (data, calls) =>
      loopPorts(isTolerant(data) ? tolerant : failing, data, { nodeType, calls }),
    fill: loopFill(Object.keys(config.properties)),
    check: (settings, env) => stepProblems(settings, env, { ownPort: 'items' }),
    ...stepTraits(nodeType),
    isTolerant,
    estimate: ({ config: settings, env, ...request }) =>
      estimateMap({
        ...request,
        env: { ...env, reuse: inside(env.reuse, { settings: settings.reuse }) },
        config: { ...settings, maxItems: settings.maxItems ?? defaultMaxItems },
        onItemError: settings.onItemError ?? 'fail',
      }),
    execute: (context, inputs, settings) =>
      mapItems(context, inputs, {
        ...settings,
        concurrency: settings.concurrency ?? 3,
        maxItems: settings.maxItems ?? defaultMaxItems,
        onItemError: settings.onItemError ?? 'fail',
      }),
  })
