// What can be said of a value, a count or a cost before anything has run.
import type { ModelLookup } from './models.ts'
import type { CallLookup, NodeInputs, NodeType } from './node-type.ts'

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

export const exactly = (count: number): Spread => ({ low: count, expected: count, high: count })

export const known = (value: unknown): Guess => ({ known: true, value })

const generatedTokens = 500
export const unknownItems = 10
/** Where nothing bounds a text or list, highCost stops here. */
const highTokens = 4096
const highItems = 200

export const unknownValue = (tokens: Partial<Spread> = {}): Guess => ({
  known: false,
  tokens: { low: 1, expected: generatedTokens, high: highTokens, ...tokens },
  items: { low: 0, expected: unknownItems, high: highItems },
})

/** A node that calls nothing and costs nothing. */
export const local = (outputs: Estimated['outputs'], assumptions: string[] = []): Estimated => ({
  model: null,
  calls: 0,
  units: {},
  cost: exactly(0),
  exact: true,
  assumptions,
  outputs,
})

/** The same where what is known says that a run would fail, or could not be computed. */
export const doubtful = (estimated: Estimated, ...sentences: string[]): Estimated => ({
  ...estimated,
  exact: false,
  assumptions: [...estimated.assumptions, ...sentences],
})

export const addSpread = (a: Spread, b: Spread): Spread => ({
  low: a.low + b.low,
  expected: a.expected + b.expected,
  high: a.high + b.high,
})

export const timesSpread = (a: Spread, count: Spread): Spread => ({
  low: a.low * count.low,
  expected: a.expected * count.expected,
  high: a.high * count.high,
})

export function addUnits(a: Units, b: Units, times = 1): Units {
  const sum: Record<string, number> = { ...a }
  for (const [name, count] of Object.entries(b)) sum[name] = (sum[name] ?? 0) + count * times
  return sum
}
