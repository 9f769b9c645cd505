// The step that flow.map and flow.repeat do again and again: its settings, which of its ports takes
// the item, which one has the result, and which take values that are the same for every item.

import { isRecord } from '#core/record.ts'
import { Type } from '#core/schema.ts'
import { fillMistake, fillsOf } from '../node/fills.ts'
import { inspectConfig } from '../node/inspect-config.ts'
import type {
  CallLookup,
  CheckEnv,
  Config,
  ConfigProblem,
  InputPort,
  NodeType,
  OutputPort,
  Ports,
} from '../node/node-type.ts'

export type Apply = { type: string; data: Config; itemPort?: string; outputPort?: string }

/** The settings that loops share. */
export type LoopConfig = { apply: Apply; context?: readonly string[] }

/** The node types that execute, have an output, and take a value. */
export const applicable = [
  'text.generate',
  'image.generate',
  'video.generate',
  'text.template',
  'json.transform',
  'http.request',
  'workflow.call',
  'wait.delay',
  'wait.approval',
  'wait.callback',
  'flow.condition',
  'flow.map',
  'flow.repeat',
  'flow.merge',
] as const

const maxContext = 20

const PortName = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 64, description }))

export const ApplySetting = Type.Object(
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
)

export const ContextSetting = Type.Optional(
  Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
    maxItems: maxContext,
    uniqueItems: true,
    title: 'Context',
    description:
      'Further input ports of the step that become ports of this node; every item gets the same value.',
  }),
)

type FindType = CheckEnv['nodeType']

export function readApply({ apply }: Config): Apply | null {
  if (!isRecord(apply) || typeof apply.type !== 'string' || !isRecord(apply.data)) return null
  if (!applicable.some((type) => type === apply.type)) return null
  const { type, data, itemPort, outputPort } = apply
  return {
    ...{ type, data },
    ...(typeof itemPort === 'string' ? { itemPort } : {}),
    ...(typeof outputPort === 'string' ? { outputPort } : {}),
  }
}

/** What a loop has from its step. */
export function stepTraits(nodeType: FindType) {
  const stepOf = (data: Config) => {
    const step = readApply(data)
    const type = step && nodeType(step.type)
    return type ? { type, data: step.data } : null
  }
  return {
    step: readApply,
    model: (data: Config, env: Pick<CheckEnv, 'nodeType'>) => {
      const step = stepOf(data)
      return step?.type.model?.(step.data, env) ?? null
    },
    credential(data: Config, env: Pick<CheckEnv, 'nodeType'>) {
      const step = stepOf(data)
      const found = step?.type.credential?.(step.data, env) ?? null
      return found && { ...found, path: `/apply/data${found.path}` }
    },
    calls(data: Config) {
      const step = stepOf(data)
      return step?.type.calls?.(step.data) ?? null
    },
    waits(data: Config) {
      const step = stepOf(data)
      return step?.type.waits?.(step.data) ?? false
    },
    expressions(data: Config, env: Pick<CheckEnv, 'nodeType'>) {
      const step = stepOf(data)
      const found = step?.type.expressions?.(step.data, env) ?? []
      return found.map(({ path, text }) => ({ path: `/apply/data${path}`, text }))
    },
  } satisfies Partial<NodeType>
}

/** The settings of a loop are no values for its ports, whatever those are called. */
export const loopFill =
  (settings: readonly string[]) =>
  (data: Config, port: string): unknown =>
    settings.includes(port) || port === 'label' || !Object.hasOwn(data, port)
      ? undefined
      : data[port]

/** The ports of a loop: its own, and one for each value that all items get. */
export function loopPorts(
  own: Ports,
  data: Config,
  { nodeType, calls }: { nodeType: FindType; calls: CallLookup },
): Ports {
  const context = contextOf(data)
  if (context.length === 0) return own
  const apply = readApply(data)
  const step = apply && nodeType(apply.type)
  const ports = step ? step.ports(apply.data, calls) : null
  const fills = step && ports ? fillsOf(step, apply.data, ports) : {}
  const taken = [...own.inputs.map(({ name }) => name), apply && ports && itemPortOf(apply, ports)]
  const names = context.filter((name) => !taken.includes(name))
  const further = names.map((name): InputPort => {
    const port = ports?.inputs.find((one) => one.name === name)
    const required = port?.required === true && !Object.hasOwn(fills, name)
    return { name, type: port?.type ?? 'any', required }
  })
  return { ...own, inputs: [...own.inputs, ...further] }
}

const contextOf = ({ context }: Config): string[] =>
  Array.isArray(context)
    ? [...new Set(context.filter((name): name is string => typeof name === 'string'))].slice(
        0,
        maxContext,
      )
    : []

export function stepProblems(
  { apply, context = [] }: LoopConfig,
  env: CheckEnv,
  { ownPort }: { ownPort: string },
): ConfigProblem[] {
  const step = env.nodeType(apply.type)
  if (!step) return []
  const problems = inspectConfig(step, apply.data, env).map(({ path, message }) => ({
    path: `/apply/data${path}`,
    message: `apply: ${message}`,
  }))
  const ports = step.ports(apply.data, env.calls)
  if (!ports) return problems
  return [
    ...problems,
    ...contextProblems(apply, context, { ports, ownPort }),
    ...portProblems(apply, context, { step, ports }),
  ]
}

const itemPortOf = ({ itemPort }: Apply, { inputs }: Ports) => itemPort ?? inputs[0]?.name

function contextProblems(
  apply: Apply,
  context: readonly string[],
  { ports, ownPort }: { ports: Ports; ownPort: string },
): ConfigProblem[] {
  const itemPort = itemPortOf(apply, ports)
  const free = ports.inputs.map(({ name }) => name).filter((name) => name !== itemPort)
  return context.flatMap((name, index) => {
    if (free.includes(name) && name !== ownPort) return []
    const path = `/context/${index}`
    if (name === ownPort) {
      return [{ path, message: `context: "${name}" is already a port of this node` }]
    }
    if (name === itemPort) {
      return [{ path, message: `context: the port "${name}" of the step receives the item` }]
    }
    const choice = free.length ? `use one of ${free.join(', ')}` : 'it has no further input'
    return [{ path, message: `context: the step has no input "${name}": ${choice}` }]
  })
}

function portProblems(
  apply: Apply,
  context: readonly string[],
  { step, ports }: { step: NodeType; ports: Ports },
): ConfigProblem[] {
  const problems: ConfigProblem[] = []
  const names = ports.inputs.map((port) => port.name)
  const itemPort = itemPortOf(apply, ports)
  if (itemPort === undefined || !names.includes(itemPort)) {
    const choice = names.length ? `set it to one of ${names.join(', ')}` : 'the step has no input'
    problems.push({ path: '/apply/itemPort', message: `apply.itemPort: ${choice}` })
  }
  const outputs = ports.outputs.map((port) => port.name)
  if (apply.outputPort !== undefined && !outputs.includes(apply.outputPort)) {
    const message = `apply.outputPort: set it to one of ${outputs.join(', ')}`
    problems.push({ path: '/apply/outputPort', message })
  }
  const fills = fillsOf(step, apply.data, ports)
  for (const port of ports.inputs) {
    const { name, required } = port
    if (name === itemPort) continue
    const mistake = fillMistake(port, fills)
    if (mistake) {
      problems.push({ path: `/apply/data/${name}`, message: `apply.data.${name} ${mistake}` })
    } else if (required && !(name in fills) && !context.includes(name)) {
      const message = `apply.data must provide a value for the port "${name}"`
      problems.push({ path: `/apply/data/${name}`, message })
    }
  }
  return problems
}

/**
 * The inputs of the step for an item: the item, what all items get, and constants for the other
 * ports. Which ports there are is found once for all items, because it may take a walk over a long
 * template.
 */
export function stepInputs<Value>(
  step: NodeType,
  { apply, context = [] }: LoopConfig,
  given: Readonly<Record<string, Value>>,
  { calls, constant }: { calls: CallLookup; constant(value: unknown): Value },
): (item: Value) => Record<string, Value> {
  const ports = step.ports(apply.data, calls) ?? { inputs: [], outputs: [] }
  const itemPort = itemPortOf(apply, ports) ?? 'item'
  const same: Record<string, Value> = {}
  for (const [name, value] of Object.entries(fillsOf(step, apply.data, ports))) {
    same[name] = constant(value)
  }
  for (const name of context) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (value !== undefined) same[name] = value
  }
  return (item) => ({ ...same, [itemPort]: item })
}

export const outputPort = (step: NodeType, apply: Apply, calls: CallLookup): string =>
  apply.outputPort ?? step.ports(apply.data, calls)?.outputs[0]?.name ?? 'output'

export const listPort = (name: string): OutputPort => ({ name, type: 'list' })
