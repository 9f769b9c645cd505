// What the six input nodes have in common: one output, whose value is given when the run starts.
import { type TProperties, Type } from '#core/schema.ts'
import type { Canvas } from './canvas.ts'
import { known, local } from './guess.ts'
import type { ConfigProblem, NodeType, PortType } from './node-type.ts'
import { defineNode, fixedPorts } from './node-type.ts'

export const whenLeftOut = 'Used if the run does not provide a value.'

export type InputConfig = {
  label?: string
  required?: boolean
  default?: unknown
  description?: string
  examples?: unknown[]
}

type InputSpec<C> = {
  type: `input.${string}`
  portType: PortType
  canvas: Omit<Canvas, 'group'>
  settings: TProperties
  schema(config: C): Record<string, unknown>
  problem(config: C, value: unknown): string | null
  check?(config: C): ConfigProblem[]
  userSchema?: NodeType<C>['userSchema']
  execute?: NodeType<C>['execute']
}

/** True if a run must give a value, because there is no default. */
export const isRequired = ({ required, default: fallback }: InputConfig): boolean =>
  required !== false && fallback === undefined

/** True for an optional input without a default: its value may be null. */
export const mayBeLeftOut = ({ required, default: fallback }: InputConfig): boolean =>
  required === false && fallback === undefined

export function defineInput<C extends InputConfig>(spec: InputSpec<C>): NodeType {
  const ports = fixedPorts({}, { value: spec.portType })
  return defineNode<C>({
    type: spec.type,
    canvas: { ...spec.canvas, group: 'input' },
    config: Type.Object({
      required: Type.Optional(
        Type.Boolean({ default: true, description: 'Every run must provide this input.' }),
      ),
      ...spec.settings,
      description: Type.Optional(
        Type.String({
          maxLength: 2000,
          description: 'Shown to the person who fills in the input.',
        }),
      ),
      examples: Type.Optional(
        Type.Array(Type.Unknown(), {
          maxItems: 10,
          description: 'Shown to the person who fills in the input.',
        }),
      ),
    }),
    pure: spec.execute === undefined,
    ports: () => ports,
    inputSchema: (config) => ({
      ...spec.schema(config),
      ...(config.default === undefined ? {} : { default: config.default }),
      ...(config.description ? { description: config.description } : {}),
      ...(config.examples?.length ? { examples: config.examples } : {}),
    }),
    inputProblem: spec.problem,
    ...(spec.userSchema ? { userSchema: spec.userSchema } : {}),
    check(config) {
      const problems = spec.check?.(config) ?? []
      const given: [string, unknown][] = [
        ...(config.default === undefined
          ? []
          : [['/default', config.default] as [string, unknown]]),
        ...(config.examples ?? []).map((v, i): [string, unknown] => [`/examples/${i}`, v]),
      ]
      for (const [path, value] of given) {
        const problem = spec.problem(config, value)
        if (problem) problems.push({ path, message: `${path.slice(1)} ${problem}` })
      }
      return problems
    },
    estimate: ({ inputs }) => local({ value: inputs.ports.value ?? known(null) }),
    execute: spec.execute ?? ((_, { ports: { value } }) => ({ value: value ?? null })),
  })
}

/** Refuses an upper bound below its lower bound: no value could satisfy both. */
export const orderProblem = (
  config: Readonly<Record<string, unknown>>,
  low: string,
  high: string,
): ConfigProblem[] => {
  const [min, max] = [config[low], config[high]]
  return typeof min === 'number' && typeof max === 'number' && min > max
    ? [{ path: `/${high}`, message: `${high} must not be below ${low} (${min})` }]
    : []
}
