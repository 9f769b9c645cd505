// What a node type promises: its ports, what its settings may be, what it may cost, and how it
// runs. One file per type in types/, one line each in table.ts; validation, schemas, estimates,
// the engine and the canvas all read from there. Never reaches the store, a provider or the
// network by itself: whatever it needs is handed in.
import type { TObject } from 'typebox'
import type { ModelKind, ModelLookup } from './models.ts'

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

// Before a run: what a node may cost, guessed from what is known of its inputs.

export type Spread = { low: number; expected: number; high: number }

/** A value known now, or one that only the run will bring. */
export type Guess =
  | { known: true; value: unknown }
  | {
      known: false
      /** Its length as text. */
      tokens: Spread
      /** How many items it has, should it be a list. */
      items: Spread
    }

/** How long the account's answers of a model have been. */
export type OutputHistory = { calls: number; meanOutputTokens: number }

export type EstimateEnv = {
  readonly models: ModelLookup
  readonly nodeType: (name: string) => NodeType | undefined
  readonly calls: CallLookup
  /** Where a text is too long to count whole, the rest is extrapolated. */
  readonly countTokens: (text: string) => Promise<number>
  readonly outputHistory: (model: string) => Promise<OutputHistory | null>
  readonly evaluate: (expression: string, input: unknown) => Promise<Guess>
  /**
   * Told before `count` more estimates are made; lets others work in between. False once there
   * were enough: what repeats is then counted like the first.
   */
  readonly visit: (count: number) => Promise<boolean>
  readonly callWorkflow: (
    workflowId: number,
    inputs: Readonly<Record<string, Guess>>,
  ) => Promise<Estimated>
}

export type EstimateRequest<C> = {
  readonly config: C
  readonly inputs: NodeInputs<Guess>
  readonly env: EstimateEnv
}

export type Units = Readonly<Record<string, number>>

export type Estimated = {
  model: string | null
  calls: number
  units: Units
  /** In millionths of the currency. Null: a price is not known. */
  cost: Spread | null
  exact: boolean
  /** Sentences about this node alone; the node is named by whoever lists them. */
  assumptions: readonly string[]
  /** By port; an absent port is known to stay inactive. */
  outputs: Readonly<Record<string, Guess>>
}

// In a run: what the engine hands a node. Every call is recorded, limited and billed there.

/** A stored picture or video. */
export type Media = {
  url: string
  mimeType: string
  sizeBytes: number
  width?: number
  height?: number
  durationSeconds?: number
  hasAudio?: boolean
}

export type NodeExecution = {
  /** Throws once the run is to stop. */
  throwIfStopped(): void
  generateText(call: {
    model: string
    prompt: string
    system?: string
    image?: Media
    temperature?: number
    maxTokens?: number
    responseFormat: 'text' | 'json'
  }): Promise<string>
  /** Resolves when the task is done. */
  createMediaTask(call: {
    kind: 'IMAGE' | 'VIDEO'
    model: string
    prompt: string
    image?: Media
    parameters: Readonly<Record<string, unknown>>
  }): Promise<Media[]>
  /** Through the outbound policy; resolves with any status. */
  httpRequest(call: {
    method: string
    url: string
    headers: Readonly<Record<string, string>>
    body?: string
    timeoutMs: number
  }): Promise<{ status: number; headers: Record<string, string>; body: string }>
  evaluateExpression(expression: string, input: unknown): Promise<unknown>
  callWorkflow(
    workflowId: number,
    inputs: Readonly<Record<string, unknown>>,
  ): Promise<Record<string, unknown>>
  /** Brings a picture or video from an address a user gave into the media store. */
  importMedia(url: string, kind: 'image' | 'video'): Promise<Media>
  /** The same services for one item of a list, so that each item is recorded by itself. */
  forItem(index: number): NodeExecution
  /** Told what each item is given and what becomes of it, where somebody looks. */
  watchItem?(
    index: number,
    ports: Readonly<Record<string, unknown>>,
    outcome: Promise<object>,
  ): void
  readonly nodeType: (name: string) => NodeType | undefined
  readonly calls: CallLookup
}

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
