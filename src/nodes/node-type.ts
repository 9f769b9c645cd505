// What a node type promises: its ports, what its settings may be, what it may cost, and how it
// runs. One file per type in types/, one line each in table.ts; validation, schemas, estimates,
// the engine and the canvas all read from there. Never reaches the store, a provider or the
// network by itself: whatever it needs is handed in.
import type { TObject } from 'typebox'
import type { Estimated, EstimateRequest } from './guess.ts'
import type { ModelLookup } from './models.ts'
import type { NodeExecution } from './node-execution.ts'

export type PortType = 'text' | 'number' | 'boolean' | 'image' | 'video' | 'json' | 'list' | 'any'

export type InputPort = {
  readonly name: string
  readonly type: PortType
  readonly required: boolean
  /** Takes any number of connections. */
  readonly multi?: true
}

export type OutputPort = {
  readonly name: string
  readonly type: PortType
  /** May carry nothing although the node ran. */
  readonly optional?: true
  /** May carry null whatever its type: what nobody gave. */
  readonly nullable?: true
}

export type Ports = {
  readonly inputs: readonly InputPort[]
  readonly outputs: readonly OutputPort[]
  /** Any other port name is taken too. */
  readonly open?: true
}

export const maxLabelChars = 200

/** `data` of a node; an object, otherwise unchecked until its type has checked it. */
export type Config = Readonly<Record<string, unknown>>

/** The ports of a workflow as others call it. */
export type CallLookup = (workflowId: number) => Ports | undefined

/** Values by port; a port that takes several connections has its values in `merged`. */
export type NodeInputs<Value> = {
  readonly ports: Readonly<Record<string, Value>>
  readonly merged: readonly { readonly source: string; readonly value: Value }[]
}

/** By port. A port that is absent stays inactive, and what hangs on it is skipped. */
export type NodeOutputs = Record<string, unknown>

/** `path` is a JSON Pointer into `data`. */
export type ConfigProblem = { path: string; message: string }

export type CheckEnv = {
  readonly models: ModelLookup
  readonly calls: CallLookup
  readonly nodeType: (name: string) => NodeType | undefined
}

export const portTypes = [
  'text',
  'number',
  'boolean',
  'image',
  'video',
  'json',
  'list',
  'any',
] as const satisfies readonly PortType[]

export const nodeGroups = [
  'input',
  'generate',
  'shape',
  'flow',
  'connect',
  'output',
  'browser',
] as const

export type Canvas = {
  label: string
  group: (typeof nodeGroups)[number]
  /** Name of a lucide icon. */
  icon: string
  help: string
  /** What `data` of a node holds that was just put on the canvas. */
  initial?: Config
}

export type ModelKind = 'TEXT' | 'CODE' | 'IMAGE' | 'VIDEO'

export type NodeType<C = Config> = {
  readonly type: string
  readonly canvas: Canvas
  /** JSON Schema of the settings in `data`; other keys are kept and ignored. */
  readonly config: TObject
  /** Computed again after a crash instead of recorded: no effect outside, same answer each time. */
  readonly pure: boolean
  /** Never executes on a server. */
  readonly browserOnly?: true
  /** Exactly one of its outputs carries a value. */
  readonly branches?: true
  /** Settings that decide which ports there are, or of which type. */
  readonly portsDependOn?: readonly string[]
  /** Kinds of models it can call. */
  readonly modelKinds?: readonly ModelKind[]
  /** Null while the settings do not say. Takes unchecked settings. */
  ports(data: Config, calls: CallLookup): Ports | null
  /** The value `data` gives an unconnected port, where it is not simply the key of its name. */
  fill?(data: Config, port: string): unknown
  /** What the schema cannot say. Takes settings that match the schema. */
  check?(config: C, env: CheckEnv): ConfigProblem[]
  /** The expression it evaluates. Takes unchecked settings. */
  expression?(data: Config, env: Pick<CheckEnv, 'nodeType'>): { path: string; text: string } | null
  /** A JSON Schema a user wrote for a run's input. Takes unchecked settings. */
  userSchema?(data: Config): { schema: object; default?: unknown } | null
  /** The model it calls. Takes unchecked settings. */
  model?(data: Config, env: Pick<CheckEnv, 'nodeType'>): string | null
  /** The workflow it calls. Takes unchecked settings. */
  calls?(data: Config): number | null
  /** For input nodes: the JSON Schema of the value a run is given. */
  inputSchema?(config: C): Record<string, unknown>
  /** For input nodes: what is wrong with a value a run is given, beyond a schema of the user's. */
  inputProblem?(config: C, value: unknown): string | null
  estimate(request: EstimateRequest<C>): Estimated | Promise<Estimated>
  execute?(
    context: NodeExecution,
    inputs: NodeInputs<unknown>,
    config: C,
  ): NodeOutputs | Promise<NodeOutputs>
}

/** The border between checked settings and their type: validation has matched the schema. */
export const defineNode = <C>(spec: NodeType<C>): NodeType => spec as unknown as NodeType

/** A fixed set of ports; `!` after the type marks a required one. */
export function fixedPorts(
  inputs: Record<string, PortType | `${PortType}!`>,
  outputs: Record<string, PortType>,
): Ports {
  return {
    inputs: Object.entries(inputs).map(([name, word]) => ({
      name,
      type: word.replace('!', '') as PortType,
      required: word.endsWith('!'),
    })),
    outputs: Object.entries(outputs).map(([name, type]) => ({ name, type })),
  }
}
