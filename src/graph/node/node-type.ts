// The contract of a node type: its ports, its settings, its cost and its execution. Each type has
// a file in types/ and a line in table.ts; validation, schemas, estimates, the engine and the
// canvas are all derived from there. A node type never uses the store, a provider or the network
// by itself: everything it needs is passed in.
import type { TObject } from '#core/schema.ts'
import type { Canvas } from './canvas.ts'
import type { ModelKind, ModelLookup } from './models.ts'
import type { ItemFailure } from './node-failure.ts'
import type { NodeReuse } from './node-reuse.ts'
import type { Answer, HttpAnswer, HttpCall, Media, MediaCall, TextCall } from './outside-calls.ts'
import type { EstimateReuse, ReusedPart } from './reuse-lookup.ts'
import type { ItemPlace, WaitEnd, WaitRequest } from './wait-request.ts'

export type { Answer, Media } from './outside-calls.ts'

export type PortType = 'text' | 'number' | 'boolean' | 'image' | 'video' | 'json' | 'list' | 'any'

export type InputPort = {
  readonly name: string
  readonly type: PortType
  readonly required: boolean
  /** Accepts any number of connections. */
  readonly multi?: true
}

export type OutputPort = {
  readonly name: string
  readonly type: PortType
  /** May have no value although the node ran. */
  readonly optional?: true
  /** May be null whatever its type, because an optional input was not given. */
  readonly nullable?: true
}

export type Ports = {
  readonly inputs: readonly InputPort[]
  readonly outputs: readonly OutputPort[]
  /** Ports with other names are accepted too. */
  readonly open?: true
}

export const maxLabelChars = 200

/** `data` of a node: an object whose members are unchecked until its type has checked them. */
export type Config = Readonly<Record<string, unknown>>

/** The ports of a workflow that others call. */
export type CallLookup = (workflowId: number) => Ports | undefined

/** Values by port; a port that takes several connections has its values in `merged`. */
export type NodeInputs<Value> = {
  readonly ports: Readonly<Record<string, Value>>
  readonly merged: readonly { readonly source: string; readonly value: Value }[]
}

/** Values by port. A port that is absent is inactive, and the nodes behind it are skipped. */
export type NodeOutputs = Record<string, unknown>

/** `path` is a JSON Pointer into `data`. */
export type ConfigProblem = { path: string; message: string }

/**
 * A credential that a node names, and its use: a request to this address, or a call to this model.
 * `path` is a JSON Pointer into `data`.
 */
export type NamedCredential = { path: string; name: string } & ({ url: string } | { model: string })

/**
 * A text with placeholders. They name ports, or members of the value of the port `from`; `given` are
 * names that the node adds. `path` is a JSON Pointer into `data`.
 */
export type PlaceholderText = {
  path: string
  text: string
  from?: string
  given?: readonly string[]
}

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

// Before a run: the cost of a node, estimated from what is known about its inputs.

export type Spread = { low: number; expected: number; high: number }

/** A value that is known now, or one that only the run will produce. */
export type Guess =
  | { known: true; value: unknown }
  | {
      known: false
      /** Its length as text. */
      tokens: Spread
      /** How many items it has if it is a list. */
      items: Spread
    }

/** How long the answers of a model have been for this account. */
export type OutputHistory = { calls: number; meanOutputTokens: number }

export type EstimateEnv = {
  readonly models: ModelLookup
  readonly nodeType: (name: string) => NodeType | undefined
  readonly calls: CallLookup
  /** Extrapolates for texts that are too long to be counted completely. */
  readonly countTokens: (text: string) => Promise<number>
  readonly outputHistory: (model: string) => Promise<OutputHistory | null>
  readonly evaluate: (expression: string, input: unknown) => Promise<Guess>
  /**
   * Called before `count` more estimates; yields to the event loop now and then. False once the
   * limit is reached: repeated nodes and items are then assumed to cost what the first one did.
   */
  readonly visit: (count: number) => Promise<boolean>
  readonly callWorkflow: (
    workflowId: number,
    inputs: Readonly<Record<string, Guess>>,
    reuse: EstimateReuse | undefined,
  ) => Promise<Estimated>
  /** For a run that takes over answers of earlier calls. */
  readonly reuse?: EstimateReuse | undefined
}

export type EstimateRequest<C> = {
  readonly config: C
  readonly inputs: NodeInputs<Guess>
  readonly env: EstimateEnv
  /** How many items or passes the node had in earlier runs of the workflow, if that is known. */
  readonly usualItems?: () => Promise<number | null>
}

export type Units = Readonly<Record<string, number>>

export type Estimated = {
  model: string | null
  calls: number
  units: Units
  /** In millionths of the currency. Null if a price is unknown. */
  cost: Spread | null
  exact: boolean
  /** Sentences about this node; the list of all assumptions adds the name of the node. */
  assumptions: readonly string[]
  /** By port. A port that is absent is known to be inactive. */
  outputs: Readonly<Record<string, Guess>>
  /** Calls that are not in `calls`, because their answers would be taken over. */
  reused?: ReusedPart
}

// In a run: what the engine passes to a node. The engine records, limits and bills every call.

export type ItemStart = {
  index: number
  ports: Readonly<Record<string, unknown>>
  place: ItemPlace
  /** As the settings of the step say. */
  reuse?: NodeReuse
}

export type NodeExecution = {
  /** Throws once the run is ending, so that nothing more may begin. */
  throwIfEnding(): void
  generateText(call: TextCall): Promise<Answer>
  /** Resolves when the task is done. */
  createMediaTask(call: MediaCall): Promise<Media[]>
  /** Subject to the outbound policy. Resolves for every HTTP status. */
  httpRequest(call: HttpCall): Promise<HttpAnswer>
  evaluateExpression(expression: string, input: unknown): Promise<unknown>
  callWorkflow(
    workflowId: number,
    inputs: Readonly<Record<string, unknown>>,
  ): Promise<Record<string, unknown>>
  /** Resolves when the wait is over. If a run does nothing else, it sleeps until then. */
  wait(request: WaitRequest): Promise<WaitEnd>
  /** Downloads an image or video from an address of a user into the media store. */
  importMedia(url: string, kind: 'image' | 'video'): Promise<Media>
  /**
   * Executes one item of a list, or one pass, with the same services, so that each is recorded by
   * itself. Its place is released while it only waits. Null if the run is ending and the item was
   * not begun, or not finished.
   */
  forItem<MayFail extends true | undefined = undefined>(
    item: ItemStart & { mayFail?: MayFail },
    execute: (item: NodeExecution) => NodeOutputs | Promise<NodeOutputs>,
  ): Promise<NodeOutputs | (MayFail extends true ? ItemFailure : never) | null>
  /** What a loop had done before the run slept: nothing of it is decided again. */
  passedBefore(): PassedLoop | undefined
  /** To be known after a sleep; what it holds may change until then. */
  notePassed(passed: PassedLoop): void
  /** For later estimates: how many items the node has, or how many passes it took. */
  noteItems(count: number): void
  /**
   * Counts a value that the node keeps while it works, and waits until there is memory for more.
   * Throws if the run may hold no more.
   */
  hold(value: unknown): Promise<void> | undefined
  /** Nothing that was held counts any more. */
  dropHeld(): void
  readonly nodeType: (name: string) => NodeType | undefined
  readonly calls: CallLookup
}

/** Passes of a loop that are over. `values`: the result of each, until the last one. */
export type PassedLoop = {
  passes: number
  isOver: boolean
  values?: readonly unknown[] | undefined
}

export type NodeType<C = Config> = {
  readonly type: string
  readonly canvas: Canvas
  /** JSON Schema of the settings in `data`; other keys are stored but ignored. */
  readonly config: TObject
  /** Has no side effects and is deterministic, so it is recomputed after a crash, not recorded. */
  readonly pure: boolean
  /** Never executes on a server. */
  readonly browserOnly?: true
  /** Exactly one of its outputs has a value. */
  readonly branches?: true
  /** Settings that determine the ports or their types. */
  readonly portsDependOn?: readonly string[]
  /** Kinds of models it can call. */
  readonly modelKinds?: readonly ModelKind[]
  /** Null if the settings do not determine the ports yet. Accepts unchecked settings. */
  ports(data: Config, calls: CallLookup): Ports | null
  /** The constant for an unconnected port, if it is not simply the key of that name in `data`. */
  fill?(data: Config, port: string): unknown
  /** Checks what the schema cannot express. The settings already match the schema. */
  check?(config: C, env: CheckEnv): ConfigProblem[]
  /** The expressions it evaluates. Accepts unchecked settings. */
  expressions?(
    data: Config,
    env: Pick<CheckEnv, 'nodeType'>,
  ): readonly { path: string; text: string }[]
  /** Its texts with placeholders. Accepts unchecked settings. */
  placeholders?(data: Config): readonly PlaceholderText[]
  /** For loops: the node type and settings of the step, in `apply`. Accepts unchecked settings. */
  step?(data: Config): { type: string; data: Config } | null
  /** For loops: an item may fail without the others. Accepts unchecked settings. */
  isTolerant?(data: Config): boolean
  /**
   * A JSON Schema that a user wrote for an input of the run, or for what it waits for. Its setting is
   * called `schema` unless `setting` names another. Accepts unchecked settings.
   */
  userSchema?(data: Config): { schema: object; default?: unknown; setting?: string } | null
  /** With these settings it may wait for a time or an answer; it takes no slot. */
  waits?(data: Config): boolean
  /** The model it calls. Accepts unchecked settings. */
  model?(data: Config, env: Pick<CheckEnv, 'nodeType'>): string | null
  /** The credential it uses, and what for. Accepts unchecked settings. */
  credential?(data: Config, env: Pick<CheckEnv, 'nodeType'>): NamedCredential | null
  /** The workflow it calls. Accepts unchecked settings. */
  calls?(data: Config): number | null
  /** For input nodes: the JSON Schema of the value in the run's inputs. */
  inputSchema?(config: C): Record<string, unknown>
  /** For input nodes: the problem with a value of the run's inputs. Ignores user schemas. */
  inputProblem?(config: C, value: unknown): string | null
  estimate(request: EstimateRequest<C>): Estimated | Promise<Estimated>
  execute?(
    context: NodeExecution,
    inputs: NodeInputs<unknown>,
    config: C,
  ): NodeOutputs | Promise<NodeOutputs>
}

/** Assigns the type of the settings. The cast is safe: validation has checked the schema. */
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
